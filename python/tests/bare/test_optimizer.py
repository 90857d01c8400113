"""Ask and tell."""

import doctest

import pytest

import captune
from captune import Bound, Exhausted, Optimizer, _bound, _optimizer, _table


def solve(optimizer, trials=25):
    for _ in range(trials):
        trial = optimizer.ask()
        optimizer.tell(trial, (trial["x"] - 1) ** 2)
    return optimizer.best()


def test_the_examples_in_the_docstrings_hold(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for module in (_optimizer, _bound, _table):
        assert doctest.testmod(module).failed == 0
        assert doctest.testmod(module).attempted > 0


def test_a_minimum_is_found_from_the_default():
    optimizer = Optimizer({"x": (-5.0, 5.0)})
    first = optimizer.ask()
    assert (first.configuration, first.origin, first.cap) == ({"x": 0.0}, "default", float("inf"))
    optimizer.tell(first, 1.0)
    assert solve(optimizer).cost < 0.01


def test_maximising_is_the_opposite():
    optimizer = Optimizer({"x": (-5.0, 5.0)}, maximise=True)
    for _ in range(20):
        trial = optimizer.ask()
        optimizer.tell(trial, -((trial["x"] - 1) ** 2))
    assert -0.01 < optimizer.best().cost <= 0


@pytest.mark.parametrize("search", ["forest", "gaussian", "local", "random"])
def test_every_search_makes_progress(search):
    assert solve(Optimizer({"x": (-5.0, 5.0)}, search=search), 40).cost < 0.5


def test_trials_can_be_asked_for_together():
    optimizer = Optimizer({"x": (-5.0, 5.0)})
    optimizer.tell(optimizer.ask(), 1.0)
    trials = optimizer.ask(4)
    assert len({trial.id for trial in trials}) == len(trials) > 1
    assert optimizer.running == trials
    optimizer.withdraw(trials[0])
    for trial in trials[1:]:
        optimizer.tell(trial.id, trial["x"] ** 2)
    assert (optimizer.running, optimizer.trials) == ([], len(trials))


def test_a_censored_cost_is_a_lower_bound():
    optimizer = Optimizer({"x": (-5.0, 5.0)}, cutoff=100.0, seed=2)
    costs = []
    for _ in range(30):
        trial = optimizer.ask()
        cost = 10 + trial["x"] ** 2
        costs.append(cost)
        optimizer.tell(trial, min(cost, trial.cap), censored=cost > trial.cap)
    assert optimizer.best().cost == min(costs) < 10.5


def test_failures_never_win():
    optimizer = Optimizer({"x": (-5.0, 5.0)})
    for _ in range(25):
        trial = optimizer.ask()
        if trial["x"] > 0.5:
            optimizer.tell(trial, status="crashed")
        else:
            optimizer.tell(trial, (trial["x"] - 1) ** 2)
    assert 0 <= optimizer.best()["x"] <= 0.5


def test_constraints_hold():
    optimizer = Optimizer({"x": (0.0, 5.0)}, constraints={"accuracy": Bound.at_least(0.8)})
    for _ in range(25):
        trial = optimizer.ask()
        optimizer.tell(trial, 10 - trial["x"], constraints={"accuracy": 1 - trial["x"] / 10})
    best = optimizer.best()
    assert best.feasible and 1.9 < best["x"] <= 2.0 + 1e-9
    assert best.outputs["accuracy"] == pytest.approx(1 - best["x"] / 10)


def test_an_enqueued_configuration_is_next():
    optimizer = Optimizer({"x": (-5.0, 5.0)})
    optimizer.tell(optimizer.ask(), 1.0)
    optimizer.enqueue({"x": 1.25})
    assert optimizer.ask()["x"] == 1.25


def test_a_saved_optimizer_continues_as_if_it_had_never_stopped(tmp_path):
    path = tmp_path / "state"
    settings = {"seed": 7, "constraints": {"size": Bound.at_most(3.0)}}
    one = Optimizer({"x": (-5.0, 5.0), "y": ["a", "b"]}, **settings)
    for number in range(30):
        trial = one.ask()
        one.tell(trial, trial["x"] ** 2, constraints={"size": abs(trial["x"])})
        if number == 14:
            one.save(path)
            two = Optimizer.load(path)
        if number > 14:
            again = two.ask()
            assert again.configuration == trial.configuration
            two.tell(again, trial["x"] ** 2, constraints={"size": abs(trial["x"])})
    assert one.best() == two.best()


def test_a_damaged_file_is_rejected(tmp_path):
    path = tmp_path / "state"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="is not a saved optimizer"):
        Optimizer.load(path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seed": 8}, "saved with seed=7, not seed=8"),
        ({"cutoff": 60}, "saved with cutoff=50.0, not cutoff=60.0"),
        ({"cutoff": None}, "saved with cutoff=50.0, not cutoff=None"),
        (
            {"constraints": {"size": Bound.at_most(4)}},
            r"constraints={'size': Bound.at_most\(3.0\)}, not constraints={'size': Bound.at_most\(4.0\)}",
        ),
        ({"constraints": {}}, r"at_most\(3.0\)}, not constraints={}"),
        ({"seed": 9, "par": 2}, "seed=7, not seed=9; par=None, not par=2.0"),
        ({"features": [[1.0], [float("nan")]]}, "features=None, not"),
    ],
)
def test_a_saved_optimizer_says_which_setting_differs(given, message, tmp_path):
    path = tmp_path / "state"
    Optimizer({"x": (0.0, 1.0)}, seed=7, cutoff=50, constraints={"size": Bound.at_most(3)}).save(path)
    with pytest.raises(ValueError, match=message):
        Optimizer.load(path, **given)
    loaded = Optimizer.load(path, seed=7, cutoff=50.0, constraints={"size": Bound.at_most(3.0)})
    assert loaded.trials == 0


def test_unknown_features_equal_themselves(tmp_path):
    path = tmp_path / "state"
    features = [[1.0], [float("nan")]]
    Optimizer({"x": (0.0, 1.0)}, instances=2, features=features).save(path)
    assert Optimizer.load(path, features=features).trials == 0


def test_a_setting_that_does_not_exist_is_an_error(tmp_path):
    path = tmp_path / "state"
    Optimizer({"x": (0.0, 1.0)}).save(path)
    with pytest.raises(TypeError, match="an optimizer has no setting `sed`; it has maximise, cutoff"):
        Optimizer.load(path, sed=3)


def test_a_small_space_is_exhausted():
    optimizer = Optimizer({"x": ["a", "b", "c"]})
    for _ in range(3):
        optimizer.tell(optimizer.ask(), 1.0)
    with pytest.raises(Exhausted):
        optimizer.ask()
    assert captune.Exhausted is Exhausted


def test_a_suggestion_needs_no_state():
    optimizer = Optimizer({"x": (-5.0, 5.0)})
    known = [({"x": x}, (x - 1) ** 2) for x in (-4.0, -2.0, 0.0, 0.5, 1.5, 3.0, 4.0)]
    assert optimizer.suggest(known) == optimizer.suggest(known)
    assert abs(optimizer.suggest(known)["x"] - 1) < 0.3
    assert optimizer.trials == 0


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"cost": float("nan")}, "`cost` is NaN"),
        ({}, "needs a status"),
        ({"cost": 1.0, "constraints": {"size": 1.0}}, "`size` has no bound"),
        ({"cost": 1.0, "censored": True}, "only if there is a cutoff"),
        ({"status": "broken"}, "status is `broken`"),
        ({"cost": 1.0, "censored": True, "status": "crashed"}, "contradicts"),
    ],
)
def test_a_wrong_result_is_rejected_and_the_trial_still_runs(told, message):
    optimizer = Optimizer({"x": (-5.0, 5.0)})
    trial = optimizer.ask()
    with pytest.raises(ValueError, match=message):
        optimizer.tell(trial, **told)
    assert optimizer.running == [trial]


def test_a_trial_ends_once():
    optimizer = Optimizer({"x": (-5.0, 5.0)})
    trial = optimizer.ask()
    optimizer.tell(trial, 1.0)
    with pytest.raises(ValueError, match="trial 0 is not running"):
        optimizer.tell(trial, 1.0)
