"""Reads `space.json` (ConfigSpace's JSON) for configurators that cannot read it themselves.

Choices need not be text, and their order matters only for ordinal parameters. A comparison of choices is converted to the
list of choices for which it holds, so that only numbers remain to be compared.
"""

import dataclasses
import json
import operator

OPERATORS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
WORDS = {"EQ": "==", "EQUALS": "==", "NEQ": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}


@dataclasses.dataclass(frozen=True)
class Choices:
    """A parameter with a list of values: categorical, ordinal, or constant if there is only one value."""

    name: str
    values: tuple
    ordinal: bool
    default: object


@dataclasses.dataclass(frozen=True)
class Numbers:
    """A parameter with a range."""

    name: str
    lower: float
    upper: float
    integer: bool
    log: bool
    default: float


@dataclasses.dataclass(frozen=True)
class Among:
    """The parameter has one of the values. Like all comparisons, this is false if the parameter is inactive."""

    name: str
    values: tuple

    def holds(self, configuration):
        return configuration.get(self.name) in self.values if self.name in configuration else False


@dataclasses.dataclass(frozen=True)
class Compare:
    """A numeric parameter compared with a number."""

    name: str
    operator: str
    value: float

    def holds(self, configuration):
        return self.name in configuration and OPERATORS[self.operator](configuration[self.name], self.value)


@dataclasses.dataclass(frozen=True)
class Relation:
    """Two numeric parameters compared with each other."""

    left: str
    operator: str
    right: str

    def holds(self, configuration):
        if self.left not in configuration or self.right not in configuration:
            return False
        return OPERATORS[self.operator](configuration[self.left], configuration[self.right])


@dataclasses.dataclass(frozen=True)
class Every:
    """All parts hold."""

    parts: tuple

    def holds(self, configuration):
        return all(part.holds(configuration) for part in self.parts)


@dataclasses.dataclass(frozen=True)
class Some:
    """At least one part holds."""

    parts: tuple

    def holds(self, configuration):
        return any(part.holds(configuration) for part in self.parts)


class Space:
    """Parameters by name, the conditions of those that have one, and the forbidden clauses."""

    def __init__(self, document):
        self.parameters = {entry["name"]: parameter(entry) for entry in document["hyperparameters"]}
        conditions = {}
        for entry in document["conditions"]:
            conditions.setdefault(entry["child"], []).append(self._clause(entry))
        self.conditions = {child: Every(tuple(parts)) for child, parts in conditions.items()}
        self.forbidden = [self._clause(entry) for entry in document["forbiddens"]]

    @classmethod
    def read(cls, path):
        return cls(json.loads(path.read_text()))

    def in_order(self):
        """Returns the parameters, each after the parameters that its condition names."""
        done, waiting = {}, dict(self.parameters)
        while waiting:
            ready = [name for name in waiting if not (names(self.conditions.get(name)) & waiting.keys())]
            if not ready:
                raise ValueError(f"circular conditions: {', '.join(waiting)}")
            for name in ready:
                done[name] = waiting.pop(name)
        return list(done.values())

    def is_active(self, name, configuration):
        """Returns whether a parameter is active; the parameters in its condition must already have been decided."""
        condition = self.conditions.get(name)
        return condition is None or condition.holds(configuration)

    def is_forbidden(self, configuration):
        return any(clause.holds(configuration) for clause in self.forbidden)

    def _clause(self, entry):
        kind = entry["type"]
        if kind in ("AND", "OR"):
            parts = tuple(self._clause(part) for part in entry.get("conditions") or entry["clauses"])
            return Every(parts) if kind == "AND" else Some(parts)
        if kind.startswith("RELATION_"):
            return self._relation(entry["left"], WORDS[kind.removeprefix("RELATION_")], entry["right"])
        name = entry.get("parent") or entry["name"]
        if kind == "IN":
            return Among(name, tuple(entry["values"]))
        return self._compare(name, WORDS[kind.removeprefix("CLAUSE_")], entry["value"])

    def _compare(self, name, sign, value):
        """Compares a parameter with one of its own values; ordinal parameters compare by their order."""
        own = self.parameters[name]
        if isinstance(own, Numbers):
            return Compare(name, sign, value)
        place = own.values.index(value)
        return Among(name, tuple(v for i, v in enumerate(own.values) if OPERATORS[sign](i, place)))

    def _relation(self, left, sign, right):
        """Compares two numeric parameters; with choices, lists all pairs for which the relation holds."""
        own = self.parameters[left]
        if isinstance(own, Numbers) and isinstance(self.parameters[right], Numbers):
            return Relation(left, sign, right)
        if isinstance(own, Numbers):
            return self._relation(right, MIRRORED[sign], left)
        other = self.parameters[right]
        parts = []
        for value in own.values:
            if isinstance(other, Numbers):
                counterpart = Compare(right, MIRRORED[sign], value)
            else:
                counterpart = Among(right, tuple(v for v in other.values if OPERATORS[sign](value, v)))
            parts.append(Every((Among(left, (value,)), counterpart)))
        return Some(tuple(parts))


def parameter(entry):
    kind, name = entry["type"], entry["name"]
    if kind == "constant":
        return Choices(name, (entry["value"],), False, entry["value"])
    if kind in ("categorical", "ordinal"):
        values = entry["choices"] if kind == "categorical" else entry["sequence"]
        return Choices(name, tuple(values), kind == "ordinal", entry["default_value"])
    if kind in ("uniform_int", "uniform_float"):
        integer = kind == "uniform_int"
        return Numbers(name, entry["lower"], entry["upper"], integer, entry["log"], entry["default_value"])
    raise ValueError(f"space.json: unknown type `{kind}` for `{name}`")


def names(clause):
    """Returns the parameters that a clause names."""
    if clause is None:
        return set()
    if isinstance(clause, (Every, Some)):
        return set().union(*map(names, clause.parts))
    return {clause.left, clause.right} if isinstance(clause, Relation) else {clause.name}
