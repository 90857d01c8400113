"""crace 1.4.0, continuous racing by the authors of irace, run as its user guide recommends.

- With a cutoff: `capping` with `boundMax`, which also selects its adaptive dominance test and elitist racing. crace has no
  PAR10: a timeout costs the cutoff. Without a cutoff: its default, the F-race.
- The default configuration is its initial one (`configurationsFile`).
- Its best configuration so far is reported as the incumbent.

crace runs in this process with our own target runner (`TargetRunnerBase`), because it would otherwise start a program for
each trial. This module is not called `crace`, because that is the package it imports.

Workarounds, with the reasons:

- With capping, crace requires a budget in time (`maxTime`). Its races count trials as well, so the option is reset after
  crace has checked it, and `maxExperiments` alone decides when the race ends.
- crace does not support deterministic scenarios (`deterministic` is always off): it repeats instances with new seeds.
  Repetitions are answered from memory, and neither crace nor the benchmark counts them as trials.
- Three kinds of parameters fail when models are first updated or sampled, here after two trials: ordinal parameters (a
  missing attribute, a wrong argument), constants (a division by zero) and reals with `log` (a wrong argument). Some of
  these errors end crace, but it treats a `TypeError` as the end of the race and retries forever. So ordinal parameters
  are passed as integers, logarithmic reals as their logarithms, and constants not at all.
- crace evaluates conditions only on text, so conditions on numbers end the program. It ignores all parts of a condition
  or forbidden clause if one parameter in it is inactive. Both are evaluated here; the parameter file only states which
  parameter depends on which.
- crace ignores `digits` and gives reals four decimals; here they have 15.
- crace sleeps for a second when it waits for a trial; here it does not.
- Instances are read from a file with their names; names shorter than two letters are skipped.
- A crash counts as a timeout, and so does a trial that breaks the constraint. Infinite costs would exclude a configuration.
"""

import asyncio
import functools
import math
import sys
import time

from crace.configurator.crace import Crace
from crace.containers import scenario as crace_scenario
from crace.containers.forbidden_expressions import ForbiddenExpressions
from crace.containers.parameters import ParameterEntry, Parameters
from crace.execution import local_concurrent
from crace.execution.target_runner import TargetRunnerBase
from crace.race.race import Race

from bounded_trials import BoundedTrials
from channel import BudgetOver
from parameter_file import ParameterFile
from space import Choices, Numbers, Space, names

INSTANCE = "instance-"


def configure(scenario, channel):
    file = CraceFile(Space.read(scenario.folder / "space.json"))
    patch_conditions(file)
    patch_budget()
    local_concurrent.ConcurrentExecutionMaster._distribute_job = distribute_at_once
    options = crace_scenario.Scenario.from_input(scenario_file=write_files(scenario, file))
    if scenario.cutoff is not None:
        options.options.maxTime.set_value(0)
    runner = Runner(scenario, channel, file)
    local_concurrent.TargetRunner = lambda *command: runner
    configurator = Crace(options)
    runner.race = configurator.race
    run(configurator)
    runner.report_incumbent()


def run(configurator):
    """Runs crace until it ends or the budget is spent. Without `stop`, errors in its tasks would make it wait forever."""
    errors = []

    def stop(loop, context):
        errors.append(context.get("exception") or RuntimeError(context["message"]))
        loop.stop()

    asyncio.get_event_loop().set_exception_handler(stop)
    try:
        configurator.run()
    except RuntimeError as stopped:
        error = errors[0] if errors else stopped
        if not isinstance(error, BudgetOver):
            raise error from None


def write_files(scenario, file):
    """Writes the scenario file and the files that it names; returns the path of the scenario file."""
    texts = {
        "parameterFile": file.parameters(),
        "configurationsFile": file.configuration(scenario.default),
        "trainInstancesFile": "".join(f"{INSTANCE}{instance}\n" for instance in range(scenario.instances)),
    }
    options = {
        "trainInstancesDir": '""',
        "execDir": scenario.work,
        "logDir": scenario.work / "log",
        "targetRunner": sys.executable,  # Never run, but crace requires an executable.
        "seed": scenario.seed % 99_999_999 + 1,
        "maxExperiments": scenario.trials,
    }
    for name, text in texts.items():
        options[name] = scenario.work / f"{name}.txt"
        options[name].write_text(text)
    if scenario.cutoff is not None:
        options |= {"capping": 1, "maxTime": 1, "boundMax": scenario.whole_cutoff(), "boundDigits": 2}
    path = scenario.work / "scenario.txt"
    path.write_text("".join(f"{name} = {value}\n" for name, value in options.items()))
    return str(path)


class CraceFile(ParameterFile):
    """A parameter file with only the kinds of parameters that crace can sample; conditions only name the parents."""

    def __init__(self, space):
        super().__init__(space)
        self.constants = [own for own in space.parameters.values() if isinstance(own, Choices) and len(own.values) == 1]
        for own in self.constants:
            del self.codes[own.name]

    def domain(self, own):
        if is_ordinal(own):
            return "i", f"0, {len(own.values) - 1}"
        if is_log_real(own):
            return "r", f"{math.log(own.lower)!r}, {math.log(own.upper)!r}"
        return super().domain(own)

    def encode(self, own, value):
        if is_ordinal(own):
            return str(own.values.index(value))
        return repr(math.log(value)) if is_log_real(own) else super().encode(own, value)

    def meaning(self, own, text):
        if is_log_real(own):
            return min(max(math.exp(float(text)), own.lower), own.upper)
        return super().meaning(own, text)

    def condition(self, own):
        parents = names(self.space.conditions.get(own.name)) & self.codes.keys()
        return " & ".join(f"({self.codes[name]} == {self.codes[name]})" for name in sorted(parents))

    def decode(self, settings):
        """Also decodes crace's own values, which may be missing and are not all text."""
        values = super().decode((code, str(value)) for code, value in settings if value not in (None, "NA"))
        for own in self.constants:
            if self.space.is_active(own.name, values):
                values[own.name] = own.default
        return values


def is_ordinal(own):
    return isinstance(own, Choices) and own.ordinal


def is_log_real(own):
    return isinstance(own, Numbers) and own.log and not own.integer


class Runner(TargetRunnerBase):
    """Runs a trial in this process instead of starting a program."""

    def __init__(self, scenario, channel, file):
        self.channel, self.file = channel, file
        self.trials = BoundedTrials(scenario, channel, remembers=scenario.deterministic)
        self.capping = scenario.cutoff is not None
        self.race = None

    async def run_experiment(self, experiment):
        self.report_incumbent()
        _, _, seed, instance = experiment.cmd_line.split()
        settings = [word.split("=") for word in experiment.param_line.split()]
        bound = float(experiment.budget_format) if self.capping else None
        before = self.channel.trials
        cost, duration = self.trials.run(instance.removeprefix(INSTANCE), seed, bound, self.file.decode(settings))
        if self.channel.trials == before:
            # crace is about to increase both by one.
            self.race.n_experiments -= 1
            self.race.c_used_budget -= 1
        now = time.time()
        return experiment.cmd_line, 0, f"{cost!r} {duration!r}", "", now, now

    def cancel_experiment(self):
        """Does nothing: no trial is ever in progress."""

    def report_incumbent(self):
        if self.race.best_id is not None:
            best = self.race.configurations.get_configuration(self.race.best_id)
            self.channel.incumbent(self.file.decode(best.param_values.items()))


def patch_conditions(file):
    parameters = {code: name for name, code in file.codes.items()}

    def is_active(self, values):
        return file.space.is_active(parameters[self.name], file.decode(values.items()))

    ParameterEntry.is_active = is_active
    ForbiddenExpressions.is_forbidden = lambda self, values: file.space.is_forbidden(file.decode(values.items()))
    crace_scenario.Parameters = functools.partial(Parameters, digits=15)


def patch_budget():
    def check(self, experiment):
        if self.n_experiments >= self.options.maxExperiments.value:
            self.terminated = "exp"

    Race._check_race_termination = check


async def distribute_at_once(self):
    if self._has_free_worker() and self.experiment_pool.has_next_experiment():
        self._send_job_to_worker(self.experiment_pool.get_next_experiment(), self._get_free_worker())
    await asyncio.sleep(0)
