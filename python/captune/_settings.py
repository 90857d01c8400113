"""The settings of an optimizer, and files that hold them together with its state."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from captune._bound import Bound
from captune._bound import settings as bound_settings
from captune._captune import Space

# The first bytes of a saved optimizer; the number changes with the format.
_MAGIC = b"captune optimizer 1\n"
# Settings that are stored under another name than the argument has.
_STORED = {"constraints": "bounds"}


def write(path: Path, space: Space, settings: Mapping[str, Any], state: bytes) -> None:
    """Writes a file, which appears only when it is complete."""
    text = json.dumps({"space": space.to_text(), "settings": settings}, allow_nan=True).encode()
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(_MAGIC + len(text).to_bytes(8, "little") + text + state)
    partial.replace(path)


class Saved:
    """What an optimizer has written to a file."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        found = Path(path).read_bytes()
        if not found.startswith(_MAGIC):
            raise ValueError(f"{path} is not a saved optimizer, or another version of captune wrote it")
        start = len(_MAGIC) + 8
        end = start + int.from_bytes(found[len(_MAGIC) : start], "little")
        head = json.loads(found[start:end])
        self.space = Space.from_text(head["space"], "toml")
        self.settings: dict[str, Any] = head["settings"]
        self.settings["bounds"] = [tuple(bound) for bound in self.settings["bounds"]]
        self.state = found[end:]

    def check(self, given: Mapping[str, Any]) -> None:
        """Raises ValueError if one of these settings differs from the saved one."""
        names = [name for name in given if not _same(self.settings[name], given[name])]
        if names:
            differ = [f"{_shown(name, self.settings[name])}, not {_shown(name, given[name])}" for name in names]
            raise ValueError(f"{self.path} was saved with {'; '.join(differ)}")


def stored(**given: Any) -> dict[str, Any]:
    """Returns the given settings as the compiled part reads them."""
    forms: dict[str, Callable[[Any], Any]] = {
        "maximise": _unchanged,
        "cutoff": _number,
        "par": _number,
        "grain": _number,
        "constraints": bound_settings,
        "instances": operator.index,
        "features": lambda rows: None if rows is None else [[float(x) for x in row] for row in rows],
        "seed": operator.index,
        "deterministic": _unchanged,
        "search": lambda search: search if isinstance(search, str) else "own",
        "initial": lambda some: [dict(one) for one in some],
        "baseline": lambda one: None if one is None else dict(one),
        "trials": _unchanged,
    }
    unknown = [name for name in given if name not in forms]
    if unknown:
        raise TypeError(f"an optimizer has no setting `{unknown[0]}`; it has {', '.join(forms)}")
    return {_STORED.get(name, name): forms[name](value) for name, value in given.items()}


def _unchanged(value: Any) -> Any:
    return value


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def _same(one: Any, other: Any) -> bool:
    # Unknown features are NaN, which is not equal to itself, but written alike.
    return bool(one == other) or json.dumps(one) == json.dumps(other)


def _shown(name: str, value: Any) -> str:
    """Returns a setting as a user writes it."""
    if name == "bounds":
        name, value = "constraints", {bound[0]: Bound(*bound[1:]) for bound in value}
    return f"{name}={value!r}"
