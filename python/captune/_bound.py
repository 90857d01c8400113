"""Bounds on outputs other than the cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound on an output that trials report in addition to their cost.

    >>> Bound.at_least(0.95)
    Bound.at_least(0.95)
    >>> Bound.at_most(1.02, relative=True)
    Bound.at_most(1.02, relative=True)
    """

    from_below: bool
    limit: float
    every_pair: bool = False
    relative: bool = False

    @classmethod
    def at_least(cls, limit: float, *, every_pair: bool = False, relative: bool = False) -> Bound:
        """Returns a bound from below on the mean over all pairs, or on every pair.

        A relative bound applies to the ratio of the output to the baseline's output on the same pair.
        """
        return cls(True, float(limit), every_pair, relative)

    @classmethod
    def at_most(cls, limit: float, *, every_pair: bool = False, relative: bool = False) -> Bound:
        """Returns a bound from above on the mean over all pairs, or on every pair.

        A relative bound applies to the ratio of the output to the baseline's output on the same pair.
        """
        return cls(False, float(limit), every_pair, relative)

    def __repr__(self) -> str:
        side = "at_least" if self.from_below else "at_most"
        words = [str(self.limit)]
        words += [f"{name}=True" for name in ("every_pair", "relative") if getattr(self, name)]
        return f"Bound.{side}({', '.join(words)})"


def settings(constraints: Mapping[str, Bound] | None) -> list[tuple[str, bool, float, bool, bool]]:
    """Returns the bounds as the compiled part reads them."""
    for name, bound in (constraints or {}).items():
        if not isinstance(bound, Bound):
            raise TypeError(
                f"the constraint on `{name}` is {bound!r}; expected Bound.at_least(…) or Bound.at_most(…)"
            )
    return [
        (name, bound.from_below, bound.limit, bound.every_pair, bound.relative)
        for name, bound in (constraints or {}).items()
    ]
