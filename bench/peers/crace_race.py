"""crace 1.4.0, continuous racing by the authors of irace, as its user guide recommends.

- With a cutoff: `capping` with `boundMax`, which also chooses its adaptive dominance test and elitist racing. crace has no
  PAR10: a timeout costs the cutoff. Without: its default, the F-race.
- The default configuration is its initial one (`configurationsFile`).
- Its best configuration so far is told as the incumbent.

It runs in this process with a target runner of our own (`TargetRunnerBase`), because it would start a program for each
trial. The module has another name than the package that it imports.

Repairs and why:

- With capping it demands a budget in time (`maxTime`). Its races count trials as well, so that option is taken back once
  it has been checked, and the end of the race is decided by `maxExperiments` alone.
- Deterministic scenarios are not supported (`deterministic` is always off): it repeats instances with new seeds. Those are
  answered from memory, and count neither here nor there.
- Three kinds of parameters fail when models are first updated or sampled from, here after two trials: ordinal ones (an
  attribute is missing, an argument is wrong), constants (a division by zero) and reals with `log` (an argument is wrong).
  Some of these errors end it; a `TypeError` is taken for the end of the race and tried again for ever. So ordinal
  parameters are handed over as integers, constants not at all, and logarithmic reals as their logarithms.
- Conditions are evaluated on texts, so that those on numbers end the program; they and forbidden clauses ignore all parts
  if one parameter is inactive. Both are evaluated here; the parameter file only tells what depends on what.
- `digits` is ignored, and reals have four decimals: they have 15 here.
- It sleeps for a second when it has to wait for a trial; here it does not.
- Instances are a file of names of two letters or more: others are skipped.
- A crash counts as a timeout, as does a trial that breaks the constraint. Infinite costs would exclude a configuration.
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
    repair_conditions(file)
    repair_budget()
    local_concurrent.ConcurrentExecutionMaster._distribute_job = distribute_at_once
    options = crace_scenario.Scenario.from_input(scenario_file=write_files(scenario, file))
    if scenario.cutoff is not None:
        options.options.maxTime.set_value(0)
    runner = Runner(scenario, channel, file)
    local_concurrent.TargetRunner = lambda *command: runner
    configurator = Crace(options)
    runner.race = configurator.race
    run(configurator)
    runner.tell_incumbent()


def run(configurator):
    """Until its own end or that of the budget. Errors in its tasks would let it wait for ever."""
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
    """The scenario file, beside those that it names."""
    texts = {
        "parameterFile": file.parameters(),
        "configurationsFile": file.configuration(scenario.default),
        "trainInstancesFile": "".join(f"{INSTANCE}{instance}\n" for instance in range(scenario.instances)),
    }
    options = {
        "trainInstancesDir": '""',
        "execDir": scenario.work,
        "logDir": scenario.work / "log",
        "targetRunner": sys.executable,  # Never run, but it must be a program.
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
    """Only with kinds of parameters that crace can sample, and with conditions that only name the parents."""

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
        """Also of its own values, which are not all texts and may be missing."""
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
    """Runs a trial at once instead of a program."""

    def __init__(self, scenario, channel, file):
        self.channel, self.file = channel, file
        self.trials = BoundedTrials(scenario, channel, remembers=scenario.deterministic)
        self.capping = scenario.cutoff is not None
        self.race = None

    async def run_experiment(self, experiment):
        self.tell_incumbent()
        _, _, seed, instance = experiment.cmd_line.split()
        settings = [word.split("=") for word in experiment.param_line.split()]
        bound = float(experiment.budget_format) if self.capping else None
        before = self.channel.trials
        cost, duration = self.trials.run(instance.removeprefix(INSTANCE), seed, bound, self.file.decode(settings))
        if self.channel.trials == before:
            # Both are about to be raised by one.
            self.race.n_experiments -= 1
            self.race.c_used_budget -= 1
        now = time.time()
        return experiment.cmd_line, 0, f"{cost!r} {duration!r}", "", now, now

    def cancel_experiment(self):
        """Nothing is ever under way."""

    def tell_incumbent(self):
        if self.race.best_id is not None:
            best = self.race.configurations.get_configuration(self.race.best_id)
            self.channel.incumbent(self.file.decode(best.param_values.items()))


def repair_conditions(file):
    parameters = {code: name for name, code in file.codes.items()}

    def is_active(self, values):
        return file.space.is_active(parameters[self.name], file.decode(values.items()))

    ParameterEntry.is_active = is_active
    ForbiddenExpressions.is_forbidden = lambda self, values: file.space.is_forbidden(file.decode(values.items()))
    crace_scenario.Parameters = functools.partial(Parameters, digits=15)


def repair_budget():
    def check(self, experiment):
        if self.n_experiments >= self.options.maxExperiments.value:
            self.terminated = "exp"

    Race._check_race_termination = check


async def distribute_at_once(self):
    if self._has_free_worker() and self.experiment_pool.has_next_experiment():
        self._send_job_to_worker(self.experiment_pool.get_next_experiment(), self._get_free_worker())
    await asyncio.sleep(0)
