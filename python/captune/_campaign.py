"""Campaigns of the program ``captune``: running them and reading what they found."""

from __future__ import annotations

import html
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from captune._program import program

# Exit code of a campaign that was interrupted and can be resumed.
_INTERRUPTED = 130


class CampaignError(Exception):
    """The program ended with an error. ``code`` is its exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Table(Mapping[str, list[Any]]):
    """Columns of equal length, by name. ``pandas.DataFrame(dict(table))`` and polars' take it as it is."""

    def __init__(self, columns: Mapping[str, list[Any]]) -> None:
        self._columns = dict(columns)

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]]) -> Table:
        """Returns a table of rows. A value that a row lacks is None."""
        names = dict.fromkeys(name for row in rows for name in row)
        return cls({name: [row.get(name) for row in rows] for name in names})

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self._columns.values()), []))

    def to_pandas(self) -> Any:
        """Returns a pandas data frame."""
        import pandas  # type: ignore[import-untyped]

        return pandas.DataFrame(self._columns)

    def to_polars(self) -> Any:
        """Returns a polars data frame."""
        import polars

        return polars.DataFrame(self._columns, infer_schema_length=None)

    def __repr__(self) -> str:
        return f"<captune.Table: {self.rows} rows, {', '.join(self)}>"


class Campaign:
    """A stored campaign. Everything is read when it is asked for, so a running campaign shows its latest state."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.status()

    def status(self) -> dict[str, Any]:
        """Returns what ``captune status --json`` prints (docs/reference/campaign-json.md)."""
        found = json.loads(_output("status", "--json", str(self.folder)))
        assert isinstance(found, dict)
        return found

    @property
    def best(self) -> dict[str, Any] | None:
        """The best configuration; None if all its trials failed."""
        best = self.status()["best"]
        return None if best is None else best["values"]

    @property
    def verdict(self) -> dict[str, Any] | None:
        """What the validation supports; None before it."""
        verdict: dict[str, Any] | None = self.status()["verdict"]
        return verdict

    def trials(self) -> Table:
        """Returns all trials, with one column for each parameter (``param:NAME``) and output (``output:NAME``)."""
        rows = []
        for line in _output("export", str(self.folder), "--to", "json").splitlines():
            row = json.loads(line)
            values, outputs = row.pop("values", None) or {}, row.pop("outputs", None) or {}
            row |= {f"param:{name}": value for name, value in values.items()}
            row |= {f"output:{name}": value for name, value in outputs.items()}
            rows.append(row)
        return Table.of_rows(rows)

    def incumbents(self) -> Table:
        """Returns every incumbent so far: its number, cost, and when it was found."""
        return Table.of_rows(
            [{name: value for name, value in one.items() if name != "changes"} for one in self.status()["incumbents"]]
        )

    def report(self, *, redact: bool = False) -> str:
        """Returns the report that ``captune report`` writes: one HTML document that loads nothing."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "report.html"
            hidden = ["--redact"] if redact else []
            _output("report", str(self.folder), "--output", str(file), *hidden)
            return file.read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        """Shows the report in a notebook. The frame keeps its style and its script away from the rest of the page."""
        return (
            '<iframe sandbox="allow-scripts" style="width: 100%; height: 45rem; border: 1px solid #8884"'
            f' title="report" srcdoc="{html.escape(self.report())}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"captune.open({str(self.folder)!r})"


def open(folder: str | Path) -> Campaign:
    """Opens the folder of a campaign, or the one of a scenario."""
    return Campaign(folder)


def run(
    scenario: str | Path,
    *,
    folder: str | Path | None = None,
    trials: int | None = None,
    budget: str | None = None,
    workers: int | None = None,
    seed: int | None = None,
    progress: str = "auto",
) -> Campaign:
    """Runs the campaign of a scenario, or continues it, as ``captune run`` does.

    Messages and progress go to standard error. Ctrl-C stops the campaign, and the same call resumes it. Raises
    :class:`CampaignError` if the program fails.
    """
    options = {
        "--dir": folder,
        "--trials": trials,
        "--budget": budget,
        "--workers": workers,
        "--seed": seed,
        "--progress": progress,
    }
    given = [part for name, value in options.items() if value is not None for part in (name, str(value))]
    process = subprocess.Popen([program(), "run", str(scenario), *given], stdout=subprocess.DEVNULL)
    interrupted = False
    while True:
        try:
            code = process.wait()
            break
        except KeyboardInterrupt:
            # The terminal has interrupted the program as well. Wait until it has stored what is running.
            interrupted = True
    if interrupted or code == _INTERRUPTED:
        raise KeyboardInterrupt("the campaign was interrupted; the same call resumes it")
    if code != 0:
        raise CampaignError(code, f"`captune run {scenario}` ended with code {code}; its messages say why")
    return Campaign(scenario if folder is None else folder)


def _output(*arguments: str) -> str:
    environment = {**os.environ, "NO_COLOR": "1"}
    ended = subprocess.run([program(), *arguments], capture_output=True, text=True, env=environment)
    if ended.returncode != 0:
        raise CampaignError(ended.returncode, ended.stderr.strip())
    return ended.stdout
