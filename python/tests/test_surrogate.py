"""Surrogates: learning from censored costs, reading arrays in place, and surrogates written in Python."""

import tracemalloc

import numpy
import pytest
from sklearn.base import clone

from captune import Optimizer, Space
from captune.surrogate import Forest, Gaussian, Neural, conforms

SURROGATES = [Forest(trees=30), Gaussian(), Neural(epochs=200)]


def data(count=200):
    rows = numpy.random.default_rng(1).random((count, 3))
    costs = rows[:, 0] + rows[:, 1] ** 2
    return rows, costs


@pytest.mark.parametrize("surrogate", SURROGATES, ids=lambda one: type(one).__name__)
def test_costs_are_learned(surrogate):
    rows, costs = data()
    mean, deviation = surrogate.fit(rows, costs).predict(rows)
    assert isinstance(mean, numpy.ndarray) and mean.shape == deviation.shape == (200,)
    assert numpy.abs(mean - costs).mean() < 0.12 and (deviation >= 0).all()


@pytest.mark.parametrize("surrogate", SURROGATES, ids=lambda one: type(one).__name__)
def test_bounds_are_no_costs(surrogate):
    """Costs above 0.8 are known only as bounds. Taken as costs, they would predict 0.8 at most."""
    rows, costs = data(300)
    censored = costs > 0.8
    seen = numpy.where(censored, 0.8, costs)
    corner = numpy.array([[0.95, 0.95, 0.5]])
    honest, _ = clone(surrogate).fit(rows, seen, censored).predict(corner)
    naive, _ = clone(surrogate).set_params(treatment="ignore").fit(rows, seen, censored).predict(corner)
    assert honest[0] > naive[0] + 0.03


def test_many_rows_are_read_in_place():
    rows, costs = data(500)
    forest = Forest().fit(rows, costs)
    many = numpy.random.default_rng(2).random((100_000, 3))
    tracemalloc.start()
    mean, deviation = forest.predict(many)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert mean.shape == (100_000,) and peak < many.nbytes / 4
    # The same memory, whether NumPy or Rust reads it.
    assert not mean.flags.owndata and not mean.flags.writeable
    one_by_one = [forest.predict(many[i : i + 1])[0][0] for i in (0, 49_999, 50_000, 99_999)]
    assert numpy.allclose(one_by_one, mean[[0, 49_999, 50_000, 99_999]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": [[2.0, 0.0, 0.0]], "y": [1.0]}, r"X\[0, 0\] is 2; columns must be scaled"),
        ({"X": [[float("nan"), 0.0, 0.0]], "y": [1.0]}, r"X\[0, 0\] is NaN"),
        ({"X": [[0.5, 0.5, 0.5]], "y": [float("inf")]}, r"y\[0\] is inf"),
        ({"X": [[0.5, 0.5, 0.5]], "y": [1.0, 2.0]}, "1 rows, y has 2"),
    ],
)
def test_wrong_data_is_rejected(change, message):
    with pytest.raises(ValueError, match=message):
        Forest().fit(**change)


def test_a_surrogate_must_be_fitted_first():
    with pytest.raises(RuntimeError, match="not fitted yet"):
        Gaussian().predict([[0.5]])


def test_configurations_of_a_space_can_be_learned():
    space = Space({"x": (-5.0, 5.0), "kind": ["a", "b", "c"]})
    tried = space.sample(80, seed=1)
    costs = [one["x"] + {"a": 0, "b": 20, "c": 40}[one["kind"]] for one in tried]
    forest = Forest(categories=dict(space.categories)).fit(space.encode(tried), costs)
    mean, _ = forest.predict(space.encode([{"x": 0.0, "kind": "b"}, {"x": 0.0, "kind": "c"}]))
    assert mean[0] == pytest.approx(20, abs=6) and mean[1] == pytest.approx(40, abs=6)


class Nearest:
    """Predicts the mean cost, weighted by distance."""

    def fit(self, X, y, censored):
        self.rows, self.costs = X, y

    def predict(self, X):
        distances = ((X[:, None, :] - self.rows[None]) ** 2).sum(axis=2)
        weights = 1 / (0.01 + distances)
        weights /= weights.sum(axis=1, keepdims=True)
        mean = (weights * self.costs).sum(axis=1)
        variance = (weights * (self.costs - mean[:, None]) ** 2).sum(axis=1)
        return mean, numpy.sqrt(variance)


def test_a_surrogate_written_in_python_passes_the_suite_and_proposes():
    conforms(Nearest())
    optimizer = Optimizer({"x": (-5.0, 5.0), "y": (-5.0, 5.0)}, search=Nearest(), seed=4)
    origins = []
    for _ in range(40):
        trial = optimizer.ask()
        origins.append(trial.origin)
        optimizer.tell(trial, (trial["x"] - 1) ** 2 + (trial["y"] + 2) ** 2)
    assert origins.count("own") > 15
    assert optimizer.best().cost < 1


class Broken(Nearest):
    def predict(self, X):
        raise ArithmeticError("no idea")


class Negative(Nearest):
    def predict(self, X):
        mean, deviation = super().predict(X)
        return mean, deviation - 10


class Forgetful(Nearest):
    calls = 0

    def predict(self, X):
        Forgetful.calls += 1
        mean, deviation = super().predict(X)
        return mean + Forgetful.calls, deviation


@pytest.mark.parametrize(
    ("surrogate", "error", "message"),
    [
        (Broken(), ArithmeticError, "no idea"),
        (Negative(), ValueError, "standard deviations of 0 or more"),
        (Forgetful(), AssertionError, "not repeatable|predicting changed|means alone|noise"),
    ],
)
def test_the_suite_finds_mistakes(surrogate, error, message):
    with pytest.raises(error, match=message):
        conforms(surrogate)


def test_an_exception_of_a_surrogate_reaches_the_caller():
    optimizer = Optimizer({"x": (-5.0, 5.0)}, search=Broken())
    with pytest.raises(ArithmeticError, match="no idea"):
        for _ in range(30):
            trial = optimizer.ask()
            optimizer.tell(trial, trial["x"] ** 2)


def test_the_package_own_surrogates_can_be_passed_too():
    optimizer = Optimizer({"x": (-5.0, 5.0)}, search=Gaussian(), seed=4)
    for _ in range(25):
        trial = optimizer.ask()
        optimizer.tell(trial, (trial["x"] - 1) ** 2)
    assert optimizer.best().cost < 0.1
