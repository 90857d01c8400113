"""Surrogates: models that predict costs from exact and censored readings.

Every surrogate has ``fit(X, y, censored)`` and ``predict(X)``, which returns the means and the standard deviations.
Any object with these two methods can propose configurations: pass it to :class:`captune.Optimizer` as ``search``, and
test it with :func:`conforms`.

``X`` has one row for each reading. Its columns are numbers in [0, 1], or -1 where a value is missing, as
:meth:`captune.Space.encode` writes them. A column of n unordered categories holds (i + 1/2) / n for category i and is
named in ``categories``. ``y`` are the costs, and ``censored`` marks the costs that are only lower bounds. NumPy arrays
of 64-bit floats in C order are read in place.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, Self, runtime_checkable

from captune import _arrays
from captune._captune import Fitted, fit_forest, fit_gaussian, fit_neural
from captune._captune import conforms as _conforms

__all__ = ["Forest", "Gaussian", "Neural", "Surrogate", "conforms"]


@runtime_checkable
class Surrogate(Protocol):
    """What the optimizer needs of a surrogate."""

    def fit(self, X: Any, y: Any, censored: Any) -> Any:
        """Learns from rows, costs, and marks for costs that are only lower bounds."""

    def predict(self, X: Any) -> tuple[Any, Any]:
        """Returns the mean and the standard deviation of the cost of each row."""


def conforms(surrogate: Surrogate, *, ordered: bool = False) -> None:
    """Runs the suite that every surrogate must pass, and raises AssertionError with the first property that fails.

    The suite fits the surrogate to a dozen training sets: one point, equal readings, only censored readings, a thousand
    categories, inactive parameters, enormous costs. Set ``ordered`` if the order of the readings may matter.
    """
    _conforms(surrogate, ordered=ordered)


@dataclass(kw_only=True, repr=False, eq=False)
class _Settings:
    """The settings that all surrogates have, in the way of scikit-learn: attributes named like the arguments."""

    categories: Mapping[int, int] | None = None
    cutoff: float | None = None
    seed: int = 0
    threads: int | None = None

    _fitted: Fitted | None = field(default=None, init=False)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the settings by name."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.init}

    def set_params(self, **params: Any) -> Self:
        """Changes settings."""
        names = self.get_params()
        for name, value in params.items():
            if name not in names:
                raise ValueError(f"{type(self).__name__} has no setting `{name}`; it has {', '.join(names)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.get_params().items())})"

    def _fit(self, data: dict[str, Any]) -> Fitted:
        raise NotImplementedError

    def fit(self, X: Any, y: Any, censored: Any = None) -> Self:
        """Learns from rows ``X`` and costs ``y``. ``censored`` marks costs that are only lower bounds."""
        costs = [float(cost) for cost in y]
        marks = [False] * len(costs) if censored is None else [bool(mark) for mark in censored]
        data = {
            "rows": _arrays.rows(X),
            "costs": costs,
            "censored": marks,
            "categories": dict(self.categories or {}),
            "cutoff": self.cutoff,
            "seed": self.seed,
            "threads": self.threads or os.cpu_count() or 1,
        }
        self._fitted = self._fit(data)
        return self

    def predict(self, X: Any, *, noise: bool = False) -> tuple[Any, Any]:
        """Returns the mean and the standard deviation of the cost of each row.

        The standard deviation is the uncertainty of the mean. With ``noise``, it includes the noise of single trials.
        """
        if self._fitted is None:
            raise RuntimeError(f"this {type(self).__name__} is not fitted yet; call fit(X, y, censored) first")
        mean, deviation = self._fitted.predict(_arrays.rows(X), noise=noise)
        return _arrays.shared(mean), _arrays.shared(deviation)


@dataclass(kw_only=True, repr=False, eq=False)
class Forest(_Settings):
    """A random forest that imputes censored costs round by round.

    ``treatment`` is ``sample`` (quantiles above the bound), ``mean``, ``drop`` or ``ignore``.
    """

    trees: int = 10
    features: float = 5 / 6
    min_leaf: int = 3
    treatment: str = "sample"

    def _fit(self, data: dict[str, Any]) -> Fitted:
        return fit_forest(data, self.trees, self.features, self.min_leaf, self.treatment)


@dataclass(kw_only=True, repr=False, eq=False)
class Neural(_Settings):
    """An ensemble of networks that learn censored costs through their likelihood.

    ``treatment`` is ``tobit`` (the likelihood), ``mean``, ``drop`` or ``ignore``.
    """

    layers: Sequence[int] = (50, 50, 50)
    epochs: int = 1000
    members: int = 5
    treatment: str = "tobit"

    def _fit(self, data: dict[str, Any]) -> Fitted:
        return fit_neural(data, list(self.layers), self.epochs, self.members, self.treatment)


@dataclass(kw_only=True, repr=False, eq=False)
class Gaussian(_Settings):
    """A Gaussian process in which censored costs become Gaussian sites.

    ``treatment`` is ``likelihood``, ``drop`` or ``ignore``.
    """

    least_noise: float = 1e-6
    max_points: int = 3000
    treatment: str = "likelihood"

    def _fit(self, data: dict[str, Any]) -> Fitted:
        return fit_gaussian(data, self.least_noise, self.max_points, self.treatment)
