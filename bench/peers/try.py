"""Tests an adapter with a made-up target:  try.py CONFIGURATOR [--python PYTHON] [--trials 60] ...

Stands in for the benchmark's side of the channel with the space in `sample/`, which has every kind of parameter. Checks
every requested configuration: it must set exactly the active parameters, to valid values, and violate no forbidden
clause. Prints what the adapter did. The exit code is 1 if the adapter broke a rule, left too much of the budget unused,
or ended with an incumbent that breaks the constraint.
"""

import argparse
import hashlib
import json
import math
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile

from space import Choices, Space
from channel import text

HERE = pathlib.Path(__file__).resolve().parent
MEMORY = 40.0
DEFAULT = {"method": "plain", "effort": "low", "restarts": True, "rate": 0.5, "width": 1, "format": "v2"}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("configurator")
    parser.add_argument("--python", default=sys.executable, help="Python of the configurator's environment")
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--instances", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unit", type=float, default=1.0, help="factor on all costs")
    parser.add_argument("--endless", action="store_true", help="no cutoff: costs are known only at the end of a trial")
    parser.add_argument("--noisy", action="store_true", help="costs depend on the seed")
    parser.add_argument("--bounded", action="store_true", help="add a constraint on a second output")
    parser.add_argument("--least", type=float, default=0.9, help="share of the budget that must be used")
    parser.add_argument("--keep", action="store_true", help="keep the adapter's folder and print its path")
    return parser.parse_args()


class Target:
    """A formula: methods with parameters of their own, instances of varying difficulty, and crashes in one corner."""

    def __init__(self, options):
        self.options = options
        self.space = Space.read(HERE / "sample" / "space.json")
        self.cutoff = None if options.endless else 60.0 * options.unit

    def parse(self, words):
        """Returns the configuration in a request; raises ValueError if the configuration is invalid."""
        configuration = {}
        for word in words:
            name, value = word.split("=", 1)
            parameter = self.space.parameters[name]
            if isinstance(parameter, Choices):
                found = [choice for choice in parameter.values if text(choice) == value]
                if not found:
                    raise ValueError(f"`{name}` cannot be `{value}`")
                configuration[name] = found[0]
            else:
                number = int(value) if parameter.integer else float(value)
                if not parameter.lower <= number <= parameter.upper:
                    raise ValueError(f"`{name}` cannot be {value}")
                configuration[name] = number
        for name in self.space.parameters:
            if self.space.is_active(name, configuration) != (name in configuration):
                raise ValueError(f"`{name}` is active but missing, or inactive but given: {words}")
        if self.space.is_forbidden(configuration):
            raise ValueError(f"a forbidden configuration: {words}")
        return configuration

    def cost(self, configuration, instance, seed):
        """Returns the cost of a trial without a cutoff."""
        cost = {"plain": 20.0, "tabu": 8.0, "anneal": 10.0}[configuration["method"]]
        if configuration["method"] == "tabu":
            cost *= 1 + abs(math.log(configuration["tenure"] / 40.0))
        if configuration["method"] == "anneal":
            cost *= 1 + 0.4 * abs(math.log(configuration["start-temperature"] / 0.2))
        cost *= {"low": 1.6, "middle": 1.0, "high": 1.3}[configuration["effort"]]
        cost *= {"short": 1.3, "long": 1.1}.get(configuration.get("memory"), 1.0)
        cost *= 1 + 0.003 * abs(configuration.get("interval", 400) - 80)
        cost *= 1 + 4 * (configuration["rate"] - 0.3) ** 2
        cost *= {1: 1.5, 2: 1.0, 4: 1.1, 8: 2.0}[configuration["width"]]
        cost *= (1 + instance % 3) / 2
        if self.options.noisy:
            digest = hashlib.sha256(f"{instance} {seed} {configuration}".encode()).hexdigest()
            cost *= -math.log(1 - random.Random(digest).random())
        return cost * self.options.unit

    def memory(self, configuration):
        return 10.0 * configuration["width"] * {"low": 1, "middle": 2, "high": 4}[configuration["effort"]]

    def answer(self, instance, seed, cap, configuration):
        cost = self.cost(configuration, instance, seed)
        if configuration["rate"] > 0.97:
            return f"crashed\t{min(cost, self.cutoff or cost)!r}"
        if cap is not None and cost > cap < self.cutoff:
            return f"stopped\t{cap!r}"
        if self.cutoff is not None and cost > self.cutoff:
            return f"timeout\t{self.cutoff!r}"
        return f"finished\t{cost!r}" + (f"\tmemory={self.memory(configuration)}" if self.options.bounded else "")

    def true_cost(self, configuration):
        """Returns the mean over the instances, and over seeds that no adapter requests."""
        seeds = range(-200, 0) if self.options.noisy else [0]
        pairs = [(instance, seed) for instance in range(self.options.instances) for seed in seeds]
        return sum(self.cost(configuration, *pair) for pair in pairs) / len(pairs)


def prepare(folder, options, target):
    shutil.copy(HERE / "sample" / "space.json", folder)
    (folder / "work").mkdir()
    scenario = {
        "name": "sample",
        "cutoff": target.cutoff,
        "par": 10.0,
        "instances": options.instances,
        "deterministic": not options.noisy,
        "trials": options.trials,
        "seed": options.seed,
        "constraint": {"output": "memory", "most": MEMORY} if options.bounded else None,
        "features": None,
        "default": DEFAULT,
    }
    (folder / "scenario.json").write_text(json.dumps(scenario))


def serve(adapter, options, target):
    """Answers requests until the adapter ends.

    Returns the number of trials by outcome, the configurations tried, and the incumbents with the trials before each.
    """
    counts, tried, incumbents = {}, set(), []
    for line in adapter.stdout:
        word, *rest = line.rstrip("\n").split("\t")
        if word == "incumbent":
            incumbents.append((sum(counts.values()), target.parse(rest)))
            continue
        instance, seed, cap, *settings = rest
        configuration = target.parse(settings)
        cap = None if cap == "-" else float(cap)
        if word != "run" or not 0 <= int(instance) < options.instances or (cap is not None and cap <= 0):
            raise ValueError(f"invalid request: {line!r}")
        if cap is not None and target.cutoff is None:
            raise ValueError(f"a cap in a scenario without a cutoff: {line!r}")
        if sum(counts.values()) == options.trials:
            answer = "over"
        else:
            answer = target.answer(int(instance), int(seed), cap, configuration)
            status = answer.split("\t")[0]
            counts[status] = counts.get(status, 0) + 1
            tried.add(tuple(configuration.items()))
        adapter.stdin.write(answer + "\n")
        adapter.stdin.flush()
    return counts, tried, incumbents


def main():
    options = arguments()
    target = Target(options)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="peer-"))
    prepare(folder, options, target)
    command = [options.python, str(HERE / "adapter.py"), options.configurator, str(folder)]
    with open(folder / "log.txt", "w") as log:
        adapter = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, encoding="utf-8"
        )
        try:
            counts, tried, incumbents = serve(adapter, options, target)
        except BaseException:
            adapter.kill()
            raise
        code = adapter.wait()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    trials = sum(counts.values())
    print(
        f"{options.configurator}: {trials} trials ({', '.join(f'{n} {status}' for status, n in counts.items())}), "
        f"{len(tried)} configurations, {len(incumbents)} incumbents, {usage.ru_utime + usage.ru_stime:.1f} s CPU"
    )
    print(f"  default {target.true_cost(DEFAULT):.3f}; optimum about {target.true_cost(OPTIMUM):.3f}")
    for after, configuration in incumbents[-3:]:
        memory = f", memory {target.memory(configuration)}" if options.bounded else ""
        print(f"  after {after} trials {target.true_cost(configuration):.3f}{memory}: {configuration}")
    passed = code == 0 and trials >= options.least * options.trials and incumbents
    if passed and options.bounded:
        passed = target.memory(incumbents[-1][1]) <= MEMORY
    if not passed or options.keep:
        print(f"  exit code {code}; see {folder}")
    else:
        shutil.rmtree(folder)
    sys.exit(0 if passed else 1)


OPTIMUM = {
    "method": "tabu", "tenure": 40, "memory": "adaptive", "effort": "middle", "restarts": True, "interval": 80,
    "rate": 0.3, "width": 2, "format": "v2",
}  # fmt: skip

if __name__ == "__main__":
    main()
