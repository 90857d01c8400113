"""A status line for searches, in terminals and notebooks."""

from __future__ import annotations

import sys
import time

from captune._captune import Tuner

# Seconds between two updates: often enough to be alive, too rarely to cost anything.
_PERIOD = 0.2


class Progress:
    """Shows one line that is rewritten in place."""

    def __init__(self, wanted: bool | None) -> None:
        self._shown = (sys.stderr.isatty() or "ipykernel" in sys.modules) if wanted is None else wanted
        self._last = 0.0
        self._width = 0

    def update(self, tuner: Tuner, planned: int | None, seconds: float) -> None:
        """Shows how far the search is."""
        now = time.monotonic()
        if not self._shown or now - self._last < _PERIOD:
            return
        self._last = now
        best = tuner.best()
        trials = f"{tuner.trials}" if planned is None else f"{tuner.trials}/{planned}"
        cost = "no cost yet" if best["cost"] is None else f"best {best['cost']:.6g}"
        feasible = "" if best["feasible"] else ", constraints not met"
        self._write(f"{seconds:.0f} s, {trials} trials, {cost}{feasible}")

    def clear(self) -> None:
        """Removes the line, so that a message can be shown."""
        if self._shown and self._width:
            self._write("")

    def close(self) -> None:
        """Ends the line."""
        if self._shown and self._width:
            sys.stderr.write("\n")
            self._width = 0

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)
