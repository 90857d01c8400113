"""The sampler for Optuna: Optuna's own suite, and what is special about captune's sampler."""

import warnings

import optuna
import pytest
from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    RelativeSamplerTestCase,
    SingleOnlySamplerTestCase,
)

from captune._optuna_space import Translation
from captune.optuna import Sampler, at_least

optuna.logging.set_verbosity(optuna.logging.WARNING)


class TestSampler(BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase):
    """Optuna's suite for samplers of single objectives."""

    @pytest.fixture
    def sampler(self):
        return lambda: Sampler(seed=0)


def study(**settings):
    return optuna.create_study(sampler=Sampler(seed=1, **settings))


def test_a_minimum_is_found():
    found = study()
    found.optimize(lambda trial: (trial.suggest_float("x", -5, 5) - 1) ** 2, n_trials=25)
    assert found.best_value < 1e-3


def test_a_maximum_is_found():
    found = optuna.create_study(direction="maximize", sampler=Sampler(seed=1))
    found.optimize(lambda trial: -((trial.suggest_float("x", -5, 5) - 1) ** 2), n_trials=25)
    assert found.best_value > -1e-3


def test_the_same_seed_gives_the_same_study():
    def values(seed):
        found = optuna.create_study(sampler=Sampler(seed=seed))
        found.optimize(lambda trial: trial.suggest_float("x", -5, 5) + trial.suggest_int("n", 1, 9), n_trials=12)
        return [trial.params for trial in found.trials]

    assert values(3) == values(3) != values(4)


def conditional(trial):
    kind = trial.suggest_categorical("kind", [None, ("poly", 2), "rbf"])
    if kind == "rbf":
        return abs(trial.suggest_float("gamma", 1e-3, 10, log=True) - 0.5)
    layers = trial.suggest_int("layers", 1, 3)
    cost = 1.0
    for layer in range(layers):
        cost += 0.1 * trial.suggest_float(f"width{layer}", 0, 1)
    return cost


def test_conditions_are_learned_from_the_trials():
    found = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found.optimize(conditional, n_trials=60)
    conditions = Translation.of(found.trials)._conditions
    assert conditions == {
        "gamma": "`kind` in {'2'}",
        "layers": "`kind` in {'0', '1'}",
        "width0": "`kind` in {'0', '1'}",
        "width1": "`layers` >= 2",
        "width2": "`layers` >= 3",
    }


def test_a_conditional_study_is_solved():
    found = study()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found.optimize(conditional, n_trials=40)
    assert found.best_value < 0.01


@pytest.mark.skipif(not hasattr(optuna.Trial, "set_constraint"), reason="needs Optuna 5")
def test_constraints_of_trials_are_kept():
    def objective(trial):
        x = trial.suggest_float("x", 0, 5)
        trial.set_constraint("limit", x - 2)
        return -x

    found = study()
    found.optimize(objective, n_trials=30)
    tried = [trial.params["x"] for trial in found.trials]
    assert 1.98 < max(x for x in tried if x <= 2)
    assert sum(abs(x - 2) < 0.01 for x in tried) >= 15


def test_a_constraints_function_is_used():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = study(constraints_func=lambda trial: [trial.params["x"] - 2])
        found.optimize(lambda trial: -trial.suggest_float("x", 0, 5), n_trials=30)
    tried = [trial.params["x"] for trial in found.trials]
    assert 1.98 < max(x for x in tried if x <= 2)
    assert sum(abs(x - 2) < 0.01 for x in tried) >= 15


def test_a_pruned_trial_counts_only_with_a_bound():
    """Trials on the right are given up at 3. With the bound, the sampler knows to stay on the left."""

    def share_of_left(says_so):
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            if x > 0.3:
                trial.report(-100.0, step=1)
                if says_so:
                    at_least(trial, 3.0)
                raise optuna.TrialPruned
            return 1 - x

        found = study()
        found.optimize(objective, n_trials=30)
        return sum(trial.params["x"] <= 0.3 for trial in found.trials) / 30

    assert share_of_left(True) > 0.5
    assert share_of_left(True) > share_of_left(False)


def test_a_pruned_trial_without_a_bound_says_nothing():
    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number == 3:
            raise optuna.TrialPruned
        if trial.number == 4:
            at_least(trial, 7.0)
            raise optuna.TrialPruned
        if trial.number == 5:
            raise ArithmeticError
        return x

    found = study()
    found.optimize(objective, n_trials=7, catch=ArithmeticError)
    translation = Translation.of([trial for trial in found.trials if trial.value is not None])
    known, _ = found.sampler._known(found, translation, translation.space())
    told = [result[:2] for _, _, result in known]
    assert [status for status, _ in told] == ["finished"] * 3 + ["censored", "crashed", "finished"]
    assert told[3] == ("censored", 7.0)


def test_a_bound_of_a_maximised_objective_is_rejected():
    found = optuna.create_study(direction="maximize", sampler=Sampler(seed=1))
    with pytest.raises(ValueError, match="minimised"):
        at_least(found.ask(), 1.0)


def test_running_trials_get_different_parameters():
    found = study()
    found.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=8)
    asked = [found.ask({"x": optuna.distributions.FloatDistribution(-5, 5)}) for _ in range(6)]
    assert len({round(trial.params["x"], 6) for trial in asked}) == 6


def test_trials_added_by_hand_count():
    found = study()
    distribution = {"x": optuna.distributions.FloatDistribution(-5, 5)}
    for x in (-4.0, -1.0, 0.0, 1.0, 1.5, 2.0, 3.0):
        found.add_trial(optuna.create_trial(params={"x": x}, distributions=distribution, value=(x - 1.2) ** 2))
    trial = found.ask(distribution)
    assert abs(trial.params["x"] - 1.2) < 0.2
