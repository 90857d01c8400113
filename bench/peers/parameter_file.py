"""The space in the format of irace and crace: files with parameters, forbidden clauses and configurations.

Names and choices are numbered (`p0`, `v0`), because the files cannot hold all names and texts; `decode` restores the
originals.
"""

from space import Among, Choices, Compare, Every, Relation


class ParameterFile:
    """Writes a space, and reads configurations back."""

    def __init__(self, space):
        self.space = space
        self.codes = {name: f"p{number}" for number, name in enumerate(space.parameters)}

    def parameters(self):
        return "".join(self._line(self.space.parameters[name]) for name in self.codes)

    def forbidden(self):
        return "".join(f"{self._clause(clause)}\n" for clause in self.space.forbidden)

    def configuration(self, values):
        """Returns a table with one row, and `NA` for inactive parameters."""
        row = [self.encode(self.space.parameters[name], values[name]) if name in values else "NA" for name in self.codes]
        return f"{' '.join(self.codes.values())}\n{' '.join(row)}\n"

    def decode(self, settings):
        """Returns the configuration for pairs of code and text, such as `p0` and `v1`."""
        names = {code: name for name, code in self.codes.items()}
        return {names[code]: self.meaning(self.space.parameters[names[code]], text) for code, text in settings}

    def domain(self, own):
        """Returns the type and the values of a parameter."""
        if isinstance(own, Choices):
            return "o" if own.ordinal else "c", ", ".join(f"v{number}" for number in range(len(own.values)))
        return ("i" if own.integer else "r") + (",log" if own.log else ""), f"{own.lower!r}, {own.upper!r}"

    def encode(self, own, value):
        return f"v{own.values.index(value)}" if isinstance(own, Choices) else repr(value)

    def meaning(self, own, text):
        if isinstance(own, Choices):
            return own.values[int(text.removeprefix("v"))]
        return int(float(text)) if own.integer else float(text)

    def condition(self, own):
        condition = self.space.conditions.get(own.name)
        return condition and self._clause(condition)

    def _line(self, own):
        code = self.codes[own.name]
        kind, values = self.domain(own)
        condition = self.condition(own)
        return f'{code} "{code}=" {kind} ({values})' + (f" | {condition}\n" if condition else "\n")

    def _clause(self, clause):
        if isinstance(clause, Among):
            own = self.space.parameters[clause.name]
            quote = '"{}"' if isinstance(own, Choices) else "{}"
            values = ", ".join(quote.format(self.encode(own, value)) for value in clause.values)
            return f"({self.codes[clause.name]} %in% c({values}))"
        if isinstance(clause, Compare):
            return f"({self.codes[clause.name]} {clause.operator} {clause.value!r})"
        if isinstance(clause, Relation):
            return f"({self.codes[clause.left]} {clause.operator} {self.codes[clause.right]})"
        sign = " & " if isinstance(clause, Every) else " | "
        parts = [self._clause(part) for part in clause.parts]
        return parts[0] if len(parts) == 1 else f"({sign.join(parts)})"
