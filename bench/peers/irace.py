"""irace 3.5 (Debian's r-cran-irace) as its user guide recommends; `irace.R` is the other side.

- Elitist iterated racing with its defaults: `maxExperiments` is the budget, the seed and `deterministic` are passed on.
- With a cutoff: `capping` with `boundMax` and PAR10 (`boundPar`). Without: its default, the F-race.
- The default configuration is its initial one (`configurationsFile`).
- The elite of every iteration is told as the incumbent; the last one counts if the budget ends within an iteration.

Repairs and why:

- It refuses budgets that are small for its number of survivors: `minNbSurvival` is lowered step by step until it starts,
  and then `nbIterations`. It stops by itself when the rest does not suffice for another race, or after that number of
  iterations: up to a fifth of some hundred trials are left, and more than half of sixty.
- Caps and `boundMax` are whole numbers: costs are scaled so that the cutoff is at least 1 000 000.
- A deterministic scenario with fewer instances than `firstTest` (5) is refused: `firstTest` is lowered to their number. At
  one instance even that is refused. Then irace takes repetitions of it for different seeds, which are answered from
  memory and cost no trial, in races of at least two (`mu`, `firstTest`) that are not elitist and so without capping: an
  elite is the configuration with most repetitions first, so the first good one would stay for ever. irace counts
  repetitions as experiments, so its own budget is larger.
- Reals have four decimals unless told otherwise: they have 15 here.
- A crash counts as a timeout, as does a trial that breaks the constraint.
"""

import os
import pathlib
import subprocess

from bounded_trials import BoundedTrials
from channel import BudgetOver
from parameter_file import ParameterFile
from space import Space

# How races of a lonely instance are set up, and how many experiments of irace's own budget are made of one trial there.
LONELY = {"elitist": 0, "firstTest": 2, "mu": 2}
REPETITIONS = 2.4
SCRIPT = pathlib.Path(__file__).with_suffix(".R")


def configure(scenario, channel):
    file = ParameterFile(Space.read(scenario.folder / "space.json"))
    (scenario.work / "parameters.txt").write_text(file.parameters())
    (scenario.work / "forbidden.txt").write_text(file.forbidden())
    (scenario.work / "initial.txt").write_text(file.configuration(scenario.default))
    trials = BoundedTrials(scenario, channel, remembers=is_lonely(scenario))
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


def is_lonely(scenario):
    return scenario.deterministic and scenario.instances == 1


def settings(scenario):
    """irace's options, by name."""
    options = {
        "seed": scenario.seed % 2**31,
        "maxExperiments": scenario.trials,
        "deterministic": int(scenario.deterministic),
    }
    if is_lonely(scenario):
        return options | {"maxExperiments": round(REPETITIONS * scenario.trials), "deterministic": 0, **LONELY}
    if scenario.deterministic:
        options["firstTest"] = min(5, scenario.instances)
    if scenario.cutoff is not None:
        options |= {"capping": 1, "boundMax": scenario.whole_cutoff(), "boundPar": round(scenario.par)}
    return options


def conversation(scenario):
    """Starts R; yields its requests, each with the function that answers."""
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
