"""Types that the compiled part and the rest of the package share."""

from __future__ import annotations

Value = str | int | float | bool
"""A value of a parameter."""

Request = tuple[int, int, dict[str, Value], int, int, float, str]
"""A trial: its number, its configuration's number, values, instance, seed, cap and origin."""

Told = tuple[str, float | None, list[tuple[str, float, bool]]]
"""A result: status, cost, and outputs, each with a mark for a value that is only a lower bound."""
