"""Campaigns of the program ``captune``: running them and reading what they found."""

from __future__ import annotations

import html
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from captune._program import program
from captune._table import Kind, Table

# Exit code of a campaign that was interrupted and can be resumed.
_INTERRUPTED = 130

# The columns that all tables of trials and of incumbents have (docs/reference/export.md and campaign-json.md).
_TRIALS: dict[str, Kind] = {
    "trial": "integer",
    "configuration": "integer",
    "instance": "category",
    "seed": "integer",
    "cap": "float",
    "why": "category",
    "status": "category",
    "cost": "float",
    "censored": "boolean",
    "spent": "float",
    "cpu": "float",
    "wall": "float",
    "memory": "integer",
    "exit": "integer",
    "reason": "text",
    "started": "float",
    "ended": "float",
    "slot": "integer",
}
_INCUMBENTS: dict[str, Kind] = {
    "configuration": "integer",
    "pairs": "integer",
    "cost": "float",
    "wall": "float",
    "cpu": "float",
    "after": "integer",
}


class CampaignError(Exception):
    """The program ended with an error. ``code`` is its exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


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
        """Returns all trials, with one column for each parameter (``param:NAME``) and output (``output:NAME``).

        Where ``censored`` is true, ``cost`` is only a lower bound.
        """
        rows = []
        for line in _output("export", str(self.folder), "--to", "json").splitlines():
            row = json.loads(line)
            values, outputs = row.pop("values", None) or {}, row.pop("outputs", None) or {}
            row |= {f"param:{name}": value for name, value in values.items()}
            row |= {f"output:{name}": value for name, value in outputs.items()}
            rows.append(row)
        table = Table.of_rows(rows, _TRIALS)
        outputs_are: dict[str, Kind] = {name: "float" for name in table if name.startswith("output:")}
        return Table(table, _TRIALS | outputs_are)

    def configurations(self) -> Table:
        """Returns all configurations with trials, by number: their values, and the numbers of trials of the search."""
        trials = self.trials()
        parameters = [name for name in trials if name.startswith("param:")]
        found: dict[int, dict[str, Any]] = {}
        for row in range(trials.rows):
            number = trials["configuration"][row]
            values = {name: trials[name][row] for name in parameters}
            found.setdefault(number, {"configuration": number, "trials": 0, **values})
            found[number]["trials"] += trials["trial"][row] is not None
        rows = [found[number] for number in sorted(found)]
        return Table.of_rows(rows, {"configuration": "integer", "trials": "integer"})

    def incumbents(self) -> Table:
        """Returns every incumbent so far: its number, cost, and when it was found."""
        found = self.status()["incumbents"]
        return Table.of_rows([{name: one[name] for name in _INCUMBENTS} for one in found], _INCUMBENTS)

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
