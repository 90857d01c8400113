"""The scenario to tune (`scenario.json`), and the cost that a configurator gets for a trial."""

import dataclasses
import json
import math
import pathlib


@dataclasses.dataclass(frozen=True)
class Constraint:
    """An upper bound on an output."""

    output: str
    most: float


@dataclasses.dataclass(frozen=True)
class Scenario:
    """One scenario; the fields are named as in `scenario.json`."""

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
        """Returns the cutoff in a unit so small that rounding caps to whole numbers does not matter."""
        return max(1_000_000, math.ceil(self.cutoff))

    def scale(self):
        """Returns the number of units of `whole_cutoff` in a cost of 1."""
        return self.whole_cutoff() / self.cutoff

    def instance_features(self):
        """Returns one list per instance: the given features or, if there are none, its number."""
        return self.features or [[float(instance)] for instance in range(self.instances)]


FIELDS = ("cutoff", "par", "instances", "deterministic", "trials", "seed", "features", "default")


class ComparedCost:
    """The single number that a configurator gets for a trial: its cost, or a penalty.

    A trial that reached the cutoff or crashed costs `par` x cutoff. So does one that breaks the constraint: among the
    peers, only Optuna supports constraints, and users of the others set a penalty. Without a cutoff, the penalty is ten
    times the worst cost seen so far. If costs can be negative, it is the worst cost plus nine times its size or nine
    times the spread of the costs, whichever is larger.
    """

    def __init__(self, scenario):
        self.scenario = scenario
        self.best = self.worst = None

    def __call__(self, outcome):
        cost = self.without_constraint(outcome)
        return self.penalty() if outcome.status == "finished" and self.excess(outcome) > 0 else cost

    def without_constraint(self, outcome):
        """Returns the cost for configurators that handle constraints themselves."""
        if outcome.status != "finished":
            return self.penalty()
        self.best = outcome.cost if self.best is None else min(self.best, outcome.cost)
        self.worst = outcome.cost if self.worst is None else max(self.worst, outcome.cost)
        return outcome.cost

    def excess(self, outcome):
        """Returns how far a finished trial's output is above its bound; 0 if there is no constraint."""
        constraint = self.scenario.constraint
        if constraint is None:
            return 0.0
        if constraint.output not in outcome.outputs:
            raise ValueError(f"a finished trial did not report the output `{constraint.output}`, which the scenario bounds")
        return outcome.outputs[constraint.output] - constraint.most

    def penalty(self):
        if self.scenario.cutoff is not None:
            return self.scenario.par * self.scenario.cutoff
        if self.worst is None:
            return 1.0
        return self.worst + 9 * (max(abs(self.worst), self.worst - self.best) or 1.0)
