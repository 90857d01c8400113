"""The space in the form of irace and its kin: a file of parameters, one of forbidden clauses, one of configurations.

Names and choices are numbered (`p0`, `v0`), because irace's files cannot hold all names and texts; `decode` gives the
real ones back. The condition of a parameter is a condition on numbers and on lists of choices, in the writer's own
spelling of "is one of".
"""

import re

from space import Among, Choices, Compare, Every, Relation


class ParameterFile:
    """What is written for a space, and what comes back. `among` spells that a parameter has one of some values."""

    def __init__(self, space, among):
        self.space = space
        self.among = among
        self.codes = {name: f"p{number}" for number, name in enumerate(space.parameters)}
        self.names = {code: name for name, code in self.codes.items()}

    def parameters(self):
        return "".join(self._line(own) for own in self.space.parameters.values())

    def forbidden(self):
        return "".join(f"{self._clause(clause)}\n" for clause in self.space.forbidden)

    def configuration(self, values):
        """A table of one row, `NA` for inactive parameters."""
        row = [self._value(name, values[name]) if name in values else "NA" for name in self.codes]
        return f"{' '.join(self.codes.values())}\n{' '.join(row)}\n"

    def decode(self, words):
        """The configuration that is meant by words such as `p0=v1`."""
        values = {}
        for word in words:
            code, text = word.split("=", 1)
            name = self.names[code]
            own = self.space.parameters[name]
            if isinstance(own, Choices):
                values[name] = own.values[int(re.fullmatch(r"v(\d+)", text)[1])]
            else:
                values[name] = int(float(text)) if own.integer else float(text)
        return values

    def _line(self, own):
        code = self.codes[own.name]
        if isinstance(own, Choices):
            kind, inner = "o" if own.ordinal else "c", ", ".join(f"v{i}" for i in range(len(own.values)))
        else:
            kind = ("i" if own.integer else "r") + (",log" if own.log else "")
            inner = f"{own.lower!r}, {own.upper!r}"
        condition = self.space.conditions.get(own.name)
        tail = f" | {self._clause(condition)}" if condition else ""
        return f'{code} "{code}=" {kind} ({inner}){tail}\n'

    def _clause(self, clause):
        if isinstance(clause, Among):
            quote = '"{}"' if isinstance(self.space.parameters[clause.name], Choices) else "{}"
            values = [quote.format(self._value(clause.name, value)) for value in clause.values]
            return self.among(self.codes[clause.name], values)
        if isinstance(clause, Compare):
            return f"({self.codes[clause.name]} {clause.operator} {clause.value!r})"
        if isinstance(clause, Relation):
            return f"({self.codes[clause.left]} {clause.operator} {self.codes[clause.right]})"
        sign = " & " if isinstance(clause, Every) else " | "
        parts = [self._clause(part) for part in clause.parts]
        return parts[0] if len(parts) == 1 else f"({sign.join(parts)})"

    def _value(self, name, value):
        own = self.space.parameters[name]
        return f"v{own.values.index(value)}" if isinstance(own, Choices) else repr(value)
