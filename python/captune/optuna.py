"""A sampler for Optuna 4.9 and later: captune proposes, Optuna does everything else.

>>> import optuna
>>> from captune.optuna import Sampler
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> study = optuna.create_study(sampler=Sampler(seed=1))
>>> study.optimize(lambda trial: (trial.suggest_float("x", -5, 5) - 1) ** 2, n_trials=30)
>>> study.best_value < 0.01
True

The sampler keeps no state of its own: each proposal depends on the trials of the study, so a study may be resumed, shared
and changed by others. It models all parameters together. A parameter that only some trials have is modelled too, if one
other parameter decides whether it exists; Optuna does not know that, so the sampler learns it from the trials.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from captune._bound import Bound
from captune._bound import settings as bound_settings
from captune._captune import Space, Tuner
from captune._optuna_space import Translation
from captune._types import Told

__all__ = ["Sampler", "at_least"]

_AT_LEAST = "captune:at_least"


def at_least(trial: optuna.Trial, value: float) -> None:
    """Declares that the objective of a trial is at least ``value``, whatever happens next.

    Call it before a trial of a minimised objective is pruned or given up, if the objective cannot get better from there:
    elapsed time, or a sum of errors so far. An intermediate value alone is no such bound, so the sampler does not use it.
    """
    if trial.study.direction != StudyDirection.MINIMIZE:
        raise ValueError("only an objective that is minimised can have a lower bound")
    if not math.isfinite(value):
        raise ValueError(f"the bound is {value}; expected a finite number")
    trial.set_user_attr(_AT_LEAST, float(value))


class Sampler(BaseSampler):
    """Proposes parameters by captune's models.

    Parameters
    ----------
    seed
        Random seed. Without one, each sampler is different.
    constraints_func
        As for Optuna's own samplers: returns values that are 0 or less for a feasible trial. Constraints that the
        objective sets with ``trial.set_constraint`` need no function.
    search
        What proposes: ``auto``, ``gaussian``, ``forest``, ``neural``, ``local`` or ``random``.
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        search: str = "auto",
    ) -> None:
        self._seed = random.SystemRandom().randrange(2**32) if seed is None else seed
        self._constraints_func = constraints_func
        self._search = search
        self._independent = RandomSampler(seed=self._seed)
        # What running trials were given, by number: they may not have suggested their parameters yet.
        self._given: dict[int, dict[str, Any]] = {}

    def reseed_rng(self) -> None:
        """Changes the seed of independent parameters. Proposals of running trials differ anyway."""
        self._independent.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Returns all parameters of the study that captune can model."""
        return Translation.of(_completed(study)).distributions

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Proposes values for all parameters that captune models."""
        self._raise_error_if_multi_objective(study)
        if not search_space:
            return {}
        translation = Translation.of(_completed(study), search_space)
        space = translation.space()
        known, names = self._known(study, translation, space)
        pending = self._pending(study, trial, translation, space)
        tuner = Tuner(
            space,
            maximise=study.direction == StudyDirection.MAXIMIZE,
            cutoff=None,
            par=None,
            grain=None,
            bounds=bound_settings({name: Bound.at_most(0.0) for name in names}),
            instances=1,
            features=None,
            seed=self._seed,
            deterministic=True,
            search=self._search,
            surrogate=None,
            initial=[],
            baseline=None,
            trials=None,
            repeatable=True,
            state=None,
        )
        found = tuner.suggest(known, pending)
        if found is None:
            # Everything has been tried, but Optuna goes on.
            return {
                name: self._independent.sample_independent(study, trial, name, one)
                for name, one in search_space.items()
            }
        given = translation.to_optuna(found)
        self._given[trial.number] = given
        return given

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Draws a value uniformly: for parameters that no completed trial has, or whose range has changed."""
        self._raise_error_if_multi_objective(study)
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Prepares independent values."""
        self._independent.before_trial(study, trial)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Stores the constraints of a trial that has ended."""
        self._given.pop(trial.number, None)
        if self._constraints_func is not None:
            _process_constraints_after_trial(self._constraints_func, study, trial, state)
        self._independent.after_trial(study, trial, state, values)

    def _known(
        self, study: Study, translation: Translation, space: Space
    ) -> tuple[list[tuple[dict[str, Any], int, Told]], list[str]]:
        """Returns the results of all trials in the space, and the names of their constraints."""
        ended = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)
        found: list[tuple[dict[str, Any], int, Told]] = []
        names: dict[str, None] = {}
        for trial in study.get_trials(deepcopy=False, states=ended):
            configuration = translation.to_captune(trial, space)
            result = _result(trial)
            if configuration is None or result is None:
                continue
            outputs = [(name, value, False) for name, value in _constraints(trial).items() if math.isfinite(value)]
            names |= dict.fromkeys(name for name, _, _ in outputs)
            found.append((configuration, 0, (*result, outputs)))
        return found, list(names)

    def _pending(
        self, study: Study, trial: FrozenTrial, translation: Translation, space: Space
    ) -> list[dict[str, Any]]:
        """Returns the configurations of trials that are running, as far as known."""
        found = []
        for other in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
            if other.number != trial.number:
                given = self._given.get(other.number, {}) | other.params
                configuration = translation.configuration(given, space)
                if configuration is not None:
                    found.append(configuration)
        return found


def _completed(study: Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _result(trial: FrozenTrial) -> tuple[str, float | None] | None:
    """Returns status and cost of a trial that has ended; None if it says nothing."""
    if trial.state == TrialState.COMPLETE:
        assert trial.value is not None
        return ("finished", trial.value) if math.isfinite(trial.value) else ("crashed", None)
    bound = trial.user_attrs.get(_AT_LEAST)
    if bound is not None:
        return ("censored", bound)
    return ("crashed", None) if trial.state == TrialState.FAIL else None


def _constraints(trial: FrozenTrial) -> dict[str, float]:
    """Returns the constraints of a trial; those of a function are numbered."""
    if hasattr(trial, "constraints"):
        return {str(name): float(value) for name, value in trial.constraints.items()}
    values = trial.system_attrs.get("constraints") or ()
    return {str(number): float(value) for number, value in enumerate(values)}
