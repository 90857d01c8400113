"""Arrays that Rust owns, as NumPy arrays where NumPy is installed. NumPy is never imported for its own sake."""

from __future__ import annotations

import array
from collections.abc import Sequence
from typing import Any

from captune._captune import Array


def _numpy() -> Any | None:
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def shared(numbers: Array) -> Any:
    """Returns a NumPy array that uses the same memory; a memoryview if NumPy is not installed."""
    numpy = _numpy()
    return memoryview(numbers) if numpy is None else numpy.asarray(numbers)


def booleans(values: Sequence[bool]) -> Any:
    """Returns a NumPy array of booleans; the list itself if NumPy is not installed."""
    numpy = _numpy()
    return values if numpy is None else numpy.asarray(values, dtype=bool)


def rows(values: Any) -> Any:
    """Returns rows of 64-bit floats in C order. Values that already are such rows are not copied."""
    numpy = _numpy()
    if numpy is not None:
        return numpy.ascontiguousarray(values, dtype=float)
    if isinstance(values, (Array, memoryview)):
        return values
    lines = [array.array("d", line) for line in values]
    if len({len(line) for line in lines}) > 1:
        raise ValueError("all rows of X must have the same length")
    width = len(lines[0]) if lines else 0
    flat = memoryview(array.array("d", [number for line in lines for number in line]))
    return flat.cast("B").cast("d", (len(lines), width)) if lines and width else flat
