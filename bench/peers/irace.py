"""irace 3.5 (Debian's r-cran-irace), run as its user guide recommends; `irace.R` is the part in R.

- Elitist iterated racing with its defaults. `maxExperiments` is the budget; the seed and `deterministic` are passed on.
- With a cutoff: `capping` with `boundMax` and PAR10 (`boundPar`). Without a cutoff: its default, the F-race.
- The default configuration is its initial one (`configurationsFile`).
- The elite of every iteration is reported as the incumbent; if the budget ends within an iteration, the last elite counts.

Workarounds, with the reasons:

- irace rejects budgets that are too small for its number of survivors. So `minNbSurvival` is lowered step by step until
  irace starts, and then `nbIterations`. irace stops when the remaining budget is too small for another race, or after
  that number of iterations. With a few hundred trials it leaves up to a fifth of them unused, and with 60 trials more
  than half.
- Caps and `boundMax` are whole numbers, so costs are scaled to make the cutoff at least 1 000 000.
- irace rejects a deterministic scenario with fewer instances than `firstTest` (5), so `firstTest` is lowered to the
  number of instances. With one instance, irace rejects even that. Then the scenario is declared stochastic: irace
  repeats the instance with new seeds, and repetitions are answered from memory and cost no trial. Races have at least
  two repetitions (`mu`, `firstTest`). They are not elitist, and therefore have no capping: elites are ordered by their
  number of repetitions first, so the first good configuration would stay the elite forever. irace counts repetitions as
  experiments, so its own budget is larger.
- Reals have four decimals by default; here they have 15.
- A crash counts as a timeout, and so does a trial that breaks the constraint.
"""

import os
import pathlib
import subprocess

from bounded_trials import BoundedTrials
from channel import BudgetOver
from parameter_file import ParameterFile
from space import Space

# Options for a single deterministic instance, and the number of experiments in irace's own budget per trial.
SINGLE_INSTANCE = {"elitist": 0, "firstTest": 2, "mu": 2}
REPETITIONS = 2.4
SCRIPT = pathlib.Path(__file__).with_suffix(".R")


def configure(scenario, channel):
    file = ParameterFile(Space.read(scenario.folder / "space.json"))
    (scenario.work / "parameters.txt").write_text(file.parameters())
    (scenario.work / "forbidden.txt").write_text(file.forbidden())
    (scenario.work / "initial.txt").write_text(file.configuration(scenario.default))
    trials = BoundedTrials(scenario, channel, remembers=has_single_instance(scenario))
    for request, answer in conversation(scenario):
        word, *rest = request.split("\t")
        pairs = [part.split("=") for part in rest if "=" in part]
        if word == "incumbent":
            channel.incumbent(file.decode(pairs))
            continue
        instance, seed, bound = rest[:3]
        try:
            cost, time = trials.run(instance, seed, None if bound == "NA" else float(bound), file.decode(pairs))
            answer(f"{cost!r} {time!r}")
        except BudgetOver:
            answer("over")


def has_single_instance(scenario):
    return scenario.deterministic and scenario.instances == 1


def settings(scenario):
    """Returns irace's options by name."""
    options = {
        "seed": scenario.seed % 2**31,
        "maxExperiments": scenario.trials,
        "deterministic": int(scenario.deterministic),
    }
    if has_single_instance(scenario):
        return options | {"maxExperiments": round(REPETITIONS * scenario.trials), "deterministic": 0, **SINGLE_INSTANCE}
    if scenario.deterministic:
        options["firstTest"] = min(5, scenario.instances)
    if scenario.cutoff is not None:
        options |= {"capping": 1, "boundMax": scenario.whole_cutoff(), "boundPar": round(scenario.par)}
    return options


def conversation(scenario):
    """Starts R and yields its requests, each with the function that answers it."""
    requests, theirs = os.pipe()
    ours, answers = os.pipe()
    options = [f"{name}={value}" for name, value in settings(scenario).items()]
    places = [scenario.work, f"/dev/fd/{ours}", f"/dev/fd/{theirs}", scenario.instances]
    command = ["Rscript", "--vanilla", *map(str, [SCRIPT, *places]), *options]
    script = subprocess.Popen(command, pass_fds=(ours, theirs))
    os.close(ours)
    os.close(theirs)
    with os.fdopen(requests, encoding="utf-8") as lines, os.fdopen(answers, "w", encoding="utf-8") as replies:

        def answer(text):
            replies.write(text + "\n")
            replies.flush()

        for line in lines:
            yield line.rstrip("\n"), answer
    if script.wait() != 0:
        raise RuntimeError(f"irace ended with code {script.returncode}; its output is in the log")
