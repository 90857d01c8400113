"""Tables of results: columns by name, which other packages take through Arrow's C stream interface."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from typing import Any, Literal, get_args

from captune._captune import arrow_schema, arrow_stream

Kind = Literal["boolean", "integer", "float", "text", "category"]


class Table:
    """Columns of equal length, by name. Missing values are None.

    ``table["cost"]`` is a list. pandas, polars, pyarrow and all other packages that read Arrow's C stream interface take
    the whole table: ``polars.DataFrame(table)``, ``pyarrow.table(table)``, ``pandas.DataFrame.from_arrow(table)``. In
    those, names such as a status or a choice are categories.

    >>> table = Table({"cost": [1.5, None], "status": ["finished", "crashed"]})
    >>> table["status"], table.rows
    (['finished', 'crashed'], 2)
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]] | Table, kinds: Mapping[str, Kind] | None = None) -> None:
        """Makes a table. A column without a kind has the kind that fits its values."""
        self._columns = {name: list(values) for name, values in columns.items()}
        self._kinds = {name: kind for name, kind in (kinds or {}).items() if name in self._columns}
        unknown = {kind for kind in self._kinds.values() if kind not in get_args(Kind)}
        if unknown:
            raise ValueError(f"unknown kinds {sorted(unknown)}; expected {', '.join(get_args(Kind))}")
        if len({len(values) for values in self._columns.values()}) > 1:
            lengths = ", ".join(f"{name}: {len(values)}" for name, values in self._columns.items())
            raise ValueError(f"the columns have different lengths ({lengths})")

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, Kind] | None = None) -> Table:
        """Returns a table of rows. A value that a row lacks is None. All columns with a kind exist, even without rows."""
        names = dict.fromkeys([*(kinds or {}), *(name for row in rows for name in row)])
        return cls({name: [row.get(name) for row in rows] for name in names}, kinds)

    # A table has the methods of a mapping, but is none for isinstance: polars would read a mapping value by value.

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __eq__(self, other: object) -> bool:
        return self._columns == other._columns if isinstance(other, Table) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def keys(self) -> KeysView[str]:
        """Returns the names of the columns."""
        return self._columns.keys()

    def values(self) -> ValuesView[list[Any]]:
        """Returns the columns."""
        return self._columns.values()

    def items(self) -> ItemsView[str, list[Any]]:
        """Returns the names and the columns."""
        return self._columns.items()

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self._columns.values()), []))

    def _typed(self) -> list[tuple[str, str | None, list[Any]]]:
        return [(name, self._kinds.get(name), values) for name, values in self._columns.items()]

    def __arrow_c_schema__(self) -> object:
        """Returns the types of the columns, as Arrow's PyCapsule interface specifies."""
        return arrow_schema(self._typed())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns the table, as Arrow's PyCapsule interface specifies. The types are always the table's own."""
        return arrow_stream(self._typed())

    def to_pandas(self) -> Any:
        """Returns a pandas data frame of the arrays of :meth:`to_numpy`. ``pandas.DataFrame.from_arrow`` needs pyarrow."""
        import pandas  # type: ignore[import-untyped]

        return pandas.DataFrame(self.to_numpy())

    def to_polars(self) -> Any:
        """Returns a polars data frame."""
        import polars

        return polars.DataFrame(self)

    def to_numpy(self) -> dict[str, Any]:
        """Returns NumPy arrays by name. A missing number is NaN. Text, and other missing values, are objects."""
        import numpy

        dtype = {name: _dtype(values, self._kinds.get(name)) for name, values in self._columns.items()}
        return {name: numpy.asarray(values, dtype=dtype[name]) for name, values in self._columns.items()}

    def __repr__(self) -> str:
        return f"<captune.Table: {self.rows} rows, {', '.join(self)}>"


def _dtype(values: list[Any], kind: Kind | None) -> str:
    """Returns the NumPy type for a column."""
    types = {type(value) for value in values if value is not None}
    is_whole = None not in values
    if kind in ("integer", "float") or types and types <= {int, float}:
        return "int64" if is_whole and kind != "float" and float not in types else "float64"
    return "bool" if is_whole and (kind == "boolean" or types == {bool}) else "object"
