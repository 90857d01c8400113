"""What is tuned: `scenario.json`, and the cost that a trial counts for a configurator."""

import dataclasses
import json
import math
import pathlib


@dataclasses.dataclass(frozen=True)
class Constraint:
    """An output that must be at most so large."""

    output: str
    most: float


@dataclasses.dataclass(frozen=True)
class Scenario:
    """One scenario; the names are those of `scenario.json`."""

    folder: pathlib.Path
    cutoff: float | None
    par: float
    instances: int
    deterministic: bool
    trials: int
    seed: int
    constraint: Constraint | None
    features: list | None
    default: dict

    @classmethod
    def read(cls, folder):
        folder = pathlib.Path(folder).resolve()
        document = json.loads((folder / "scenario.json").read_text())
        constraint = document["constraint"]
        return cls(
            folder=folder,
            constraint=Constraint(**constraint) if constraint else None,
            **{key: document[key] for key in FIELDS},
        )

    @property
    def work(self):
        """The folder for the configurator's own files."""
        return self.folder / "work"

    def whole_cutoff(self):
        """The cutoff for configurators that round caps to whole numbers: in a unit so small that this does not matter."""
        return max(1_000_000, math.ceil(self.cutoff))

    def scale(self):
        """How many of those units a cost of 1 is."""
        return self.whole_cutoff() / self.cutoff

    def instance_features(self):
        """One list per instance: the given features, or else its number."""
        return self.features or [[float(instance)] for instance in range(self.instances)]


FIELDS = ("cutoff", "par", "instances", "deterministic", "trials", "seed", "features", "default")


class ComparedCost:
    """The one number that a configurator is told of a trial: its cost, or a penalty.

    A trial that reached the cutoff or crashed counts `par` x cutoff. So does one that breaks the constraint: of the
    peers only Optuna knows constraints, and a penalty is what users of the others do. Without a cutoff the penalty is
    ten times the worst cost seen so far (or as far beyond it, if costs can be negative).
    """

    def __init__(self, scenario):
        self.scenario = scenario
        self.least = self.worst = None

    def __call__(self, outcome):
        cost = self.constraint_aside(outcome)
        return self.penalty() if outcome.status == "finished" and self.excess(outcome) > 0 else cost

    def constraint_aside(self, outcome):
        """For those who know constraints."""
        if outcome.status != "finished":
            return self.penalty()
        self.least = outcome.cost if self.least is None else min(self.least, outcome.cost)
        self.worst = outcome.cost if self.worst is None else max(self.worst, outcome.cost)
        return outcome.cost

    def excess(self, outcome):
        """How far a finished trial's output lies above its bound; 0 without a constraint."""
        constraint = self.scenario.constraint
        if constraint is None:
            return 0.0
        if constraint.output not in outcome.outputs:
            raise ValueError(f"a finished trial told no output `{constraint.output}`, which the scenario bounds")
        return outcome.outputs[constraint.output] - constraint.most

    def penalty(self):
        if self.scenario.cutoff is not None:
            return self.scenario.par * self.scenario.cutoff
        if self.worst is None:
            return 1.0
        return self.worst + 9 * (max(abs(self.worst), self.worst - self.least) or 1.0)
