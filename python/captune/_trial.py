"""The trial that a function is called for, as the function sees it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

_current: Running | None = None


class Running:
    """The current trial. :func:`trial` returns it inside a function that :func:`captune.minimize` calls."""

    def __init__(
        self, cap: float, seed: int, *, timed: bool, send: Callable[[str, str | None, float], None] | None = None
    ) -> None:
        self._cap = cap
        self._seed = seed
        self._timed = timed
        self._send = send
        self._start = time.perf_counter()

    @property
    def cap(self) -> float:
        """The cost at which the trial is stopped; infinite if there is no cutoff."""
        return self._cap

    @property
    def seed(self) -> int:
        """The random seed of the trial."""
        return self._seed

    def reached(self, cost: float | None = None) -> bool:
        """Reports that the cost has reached ``cost``, and returns whether this is the cap.

        A function that returns when the cap is reached is not killed, so its child process stays warm. Where the cost
        is the time of the call, ``cost`` is the time so far and need not be given. Otherwise the reported cost counts
        as a lower bound if the function is killed.
        """
        if cost is None:
            if not self._timed:
                raise TypeError("reached() needs the cost so far, because the cost is not the time of the call")
            cost = time.perf_counter() - self._start
        cost = float(cost)
        if math.isnan(cost):
            raise ValueError("the cost so far is NaN")
        if not self._timed and self._send is not None:
            self._send("reached", None, cost)
        return cost >= self._cap

    def output(self, name: str, value: float) -> None:
        """Reports an output at once, so that it is known even if the function is killed later."""
        value = float(value)
        if not math.isfinite(value):
            raise ValueError(f"the output `{name}` is {value}; outputs must be finite")
        if self._send is not None:
            self._send("output", str(name), value)


def trial() -> Running:
    """Returns the current trial. Outside :func:`captune.minimize`, returns a trial without a cap, for testing."""
    return Running(math.inf, 0, timed=True) if _current is None else _current


def begin(running: Running | None) -> None:
    """Sets the current trial."""
    global _current
    _current = running
