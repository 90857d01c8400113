"""The parameters of an Optuna study as a captune space.

| Optuna | captune |
|---|---|
| a float, an integer | a range, with the same scale |
| with a step | the number of steps above the lower end |
| a categorical | the numbers of its choices, as text: the choices themselves may be anything |
| a parameter that some trials lack | a condition on the parameter that decides this, if there is one |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial

from captune._captune import Space

# captune's integers are exact in 64-bit floats.
_LARGEST = 2**52


class Translation:
    """The parameters that captune models, and how their values translate."""

    def __init__(self, distributions: dict[str, BaseDistribution], conditions: dict[str, str]) -> None:
        self.distributions = distributions
        self._conditions = conditions

    @classmethod
    def of(
        cls, trials: Sequence[FrozenTrial], only: dict[str, BaseDistribution] | None = None
    ) -> Translation:
        """Returns the translation for the parameters of these trials, or for those in ``only``."""
        latest: dict[str, BaseDistribution] = {}
        for trial in trials:
            latest |= trial.distributions
        known = {
            name: one
            for name, one in (latest if only is None else only).items()
            if not one.single() and _is_expressible(one)
        }
        distributions: dict[str, BaseDistribution] = {}
        conditions: dict[str, str] = {}
        for name, distribution in known.items():
            if all(name in trial.params for trial in trials):
                distributions[name] = distribution
                continue
            condition = next(
                (found for other, one in known.items() if (found := _condition(name, other, one, trials))), None
            )
            if condition is not None:
                distributions[name] = distribution
                conditions[name] = condition
        return cls(distributions, conditions)

    def space(self) -> Space:
        """Returns the captune space."""
        definition: dict[str, Any] = {}
        for name, distribution in self.distributions.items():
            definition[name] = _domain(distribution)
            if name in self._conditions:
                definition[name]["when"] = self._conditions[name]
        return Space({"parameters": definition, "forbidden": []})

    def to_captune(self, trial: FrozenTrial, space: Space) -> dict[str, Any] | None:
        """Returns a trial's configuration; None if it is not in the space."""
        return self.configuration(trial.params, space)

    def configuration(self, params: dict[str, Any], space: Space) -> dict[str, Any] | None:
        """Returns the configuration with these parameters; None if it is not in the space."""
        values: dict[str, Any] = {}
        for name, distribution in self.distributions.items():
            if name in params:
                value = _to_captune(distribution, params[name])
                if value is None:
                    return None
                values[name] = value
        try:
            return space.check(values)
        except ValueError:
            return None

    def to_optuna(self, configuration: dict[str, Any]) -> dict[str, Any]:
        """Returns the parameters of a configuration."""
        return {name: _to_optuna(self.distributions[name], value) for name, value in configuration.items()}


def _is_expressible(distribution: BaseDistribution) -> bool:
    if isinstance(distribution, IntDistribution):
        return max(abs(distribution.low), abs(distribution.high)) <= _LARGEST
    if isinstance(distribution, FloatDistribution):
        return abs(distribution.high - distribution.low) < 1e300
    return isinstance(distribution, CategoricalDistribution)


def _steps(distribution: IntDistribution | FloatDistribution) -> int:
    """Returns the number of steps between both ends."""
    assert distribution.step is not None
    return round((distribution.high - distribution.low) / distribution.step)


def _has_steps(distribution: IntDistribution | FloatDistribution) -> bool:
    return distribution.step is not None and not (isinstance(distribution, IntDistribution) and distribution.step == 1)


def _domain(distribution: BaseDistribution) -> dict[str, Any]:
    if isinstance(distribution, CategoricalDistribution):
        return {"choices": [str(number) for number in range(len(distribution.choices))]}
    assert isinstance(distribution, (IntDistribution, FloatDistribution))
    if _has_steps(distribution):
        return {"integer": [0, _steps(distribution)]}
    if isinstance(distribution, IntDistribution):
        return {"integer": [distribution.low, distribution.high], "log": distribution.log}
    return {"float": [float(distribution.low), float(distribution.high)], "log": distribution.log}


def _to_captune(distribution: BaseDistribution, value: Any) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        try:
            return str(int(distribution.to_internal_repr(value)))
        except ValueError:
            return None
    assert isinstance(distribution, (IntDistribution, FloatDistribution))
    if not distribution.low <= value <= distribution.high:
        return None
    if _has_steps(distribution):
        assert distribution.step is not None
        return round((value - distribution.low) / distribution.step)
    return int(value) if isinstance(distribution, IntDistribution) else float(value)


def _to_optuna(distribution: BaseDistribution, value: Any) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[int(value)]
    assert isinstance(distribution, (IntDistribution, FloatDistribution))
    if _has_steps(distribution):
        assert distribution.step is not None
        value = min(distribution.low + value * distribution.step, distribution.high)
    return int(value) if isinstance(distribution, IntDistribution) else float(value)


def _condition(name: str, other: str, one: BaseDistribution, trials: Sequence[FrozenTrial]) -> str | None:
    """Returns the condition on ``other`` under which all trials have ``name``; None if there is none."""
    if name == other or any(name in trial.params and other not in trial.params for trial in trials):
        return None
    having = [_to_captune(one, trial.params[other]) for trial in trials if name in trial.params]
    lacking = [
        _to_captune(one, trial.params[other]) for trial in trials if other in trial.params and name not in trial.params
    ]
    if not having or any(value is None for value in having + lacking):
        return None
    if not lacking:
        # ``name`` exists exactly where ``other`` does.
        return _where_active(other, one)
    if isinstance(one, CategoricalDistribution):
        if set(having) & set(lacking):
            return None
        return _among(other, sorted(set(having)))
    if max(lacking) < min(having):
        return f"`{other}` >= {min(having)}"
    if max(having) < min(lacking):
        return f"`{other}` <= {max(having)}"
    return None


def _where_active(other: str, one: BaseDistribution) -> str:
    """Returns a condition that holds wherever a parameter is active."""
    if isinstance(one, CategoricalDistribution):
        return _among(other, [str(number) for number in range(len(one.choices))])
    assert isinstance(one, (IntDistribution, FloatDistribution))
    low = 0 if _has_steps(one) else one.low
    return f"`{other}` >= {low}"


def _among(other: str, values: Sequence[str]) -> str:
    words = ", ".join(f"'{value}'" for value in values)
    return f"`{other}` in {{{words}}}"
