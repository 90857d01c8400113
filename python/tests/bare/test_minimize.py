"""Functions in child processes: results, limits, and what happens when a function misbehaves."""

import os
import subprocess
import sys
import uuid
import warnings
from pathlib import Path

import functions
import pytest
from functions import SPACE

import captune
from captune import Bound, CaptuneWarning, Running, TargetFailed, minimize

BAD_FIRST = [{"x": 0.0, "how": "badly"}]


def test_a_function_is_minimised():
    result = minimize(functions.square, SPACE, budget=40)
    assert result.cost < 0.01
    assert abs(result.configuration["x"] - 1) < 0.1
    assert (len(result.trials), result.stopped) == (40, "budget")


def test_the_same_seed_gives_the_same_trials():
    def run(seed):
        return [one.configuration for one in minimize(functions.square, SPACE, budget=20, seed=seed).trials]

    assert run(5) == run(5) != run(6)


def test_a_child_stays_warm():
    result = minimize(functions.process, SPACE, budget=30)
    assert result.children == 1
    assert {one.outputs["pid"] for one in result.trials} != {os.getpid()}
    assert len({one.outputs["pid"] for one in result.trials}) == 1


def test_workers_run_at_the_same_time():
    result = minimize(functions.process, SPACE, budget=30, workers=2)
    assert len({one.outputs["pid"] for one in result.trials}) == 2
    assert len(result.trials) == 30 and result.cost < 0.1


@pytest.mark.parametrize(
    ("function", "status", "message"),
    [
        (functions.raises, "crashed", "KeyError: 'no such key'"),
        (functions.returns_nan, "crashed", "the cost is nan"),
        (functions.returns_text, "crashed", "the cost is 'fast'"),
        (functions.exits, "crashed", "SystemExit: enough"),
        (functions.dies, "crashed", "was killed by signal 11"),
        (functions.allocates, "memory", "MemoryError|limit on memory"),
    ],
)
def test_a_bad_call_is_reported_once_and_the_search_goes_on(function, status, message):
    with pytest.warns(CaptuneWarning, match=message) as shown:
        result = minimize(function, SPACE, budget=12, initial=BAD_FIRST, memory="200 MB", time_limit=10)
    bad = [one for one in result.trials if one.configuration["how"] == "badly"]
    assert bad and all((one.status, one.cost) == (status, None) for one in bad)
    assert len(shown) == 1, [str(one.message) for one in shown]
    assert result.cost <= 1 and len(result.trials) == 12


def test_a_traceback_shows_the_function_and_not_captune():
    with pytest.warns(CaptuneWarning) as shown:
        minimize(functions.raises, SPACE, budget=12, initial=BAD_FIRST)
    text = str(shown[0].message)
    assert 'raise KeyError("no such key")' in text and "_child.py" not in text


def test_memory_of_grandchildren_counts():
    with warnings.catch_warnings():
        # Either process may be the one that is refused memory.
        warnings.simplefilter("ignore", CaptuneWarning)
        result = minimize(
            functions.allocates_in_a_child, SPACE, budget=10, initial=BAD_FIRST, memory="200 MB", time_limit=20
        )
    bad = [one for one in result.trials if one.configuration["how"] == "badly"]
    assert bad and all(one.status == "memory" or one.cost == 0 for one in bad)
    assert len(result.trials) == 10


def test_a_hang_in_c_is_killed():
    with pytest.warns(CaptuneWarning, match="time limit"):
        result = minimize(functions.hangs_in_c, SPACE, budget=12, initial=BAD_FIRST, time_limit=0.2)
    bad = [one for one in result.trials if one.configuration["how"] == "badly"]
    assert bad and all(0.2 <= one.seconds < 30 for one in bad)
    assert result.children == 1 + len(bad)


@pytest.fixture
def left(monkeypatch):
    """Returns the processes that the test has started and that are still alive, found by a mark in their environment."""
    mark = f"CAPTUNE_TEST={uuid.uuid4()}"
    monkeypatch.setenv(*mark.split("="))

    def found():
        alive = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                    alive.append((entry.name, (entry / "cmdline").read_bytes()))
            except OSError:
                continue
        return alive

    return found


def test_no_process_is_left_behind(left):
    result = minimize(functions.forks, SPACE, budget=8, initial=BAD_FIRST)
    bad = sum(one.configuration["how"] == "badly" for one in result.trials)
    assert bad and result.children >= bad
    assert left() == []


def test_a_fork_that_returns_answers_once(left):
    result = minimize(functions.fork_returns, SPACE, budget=10, initial=BAD_FIRST, time_limit=5)
    assert [one.cost for one in result.trials] == [functions.square(one.configuration) for one in result.trials]
    assert left() == []


def test_slow_calls_are_killed_early_and_keep_their_outputs():
    result = minimize(
        functions.slow,
        {"how": ["well", "badly"], "x": (0.0, 1.0)},
        cost="wall_time",
        cutoff=20,
        budget=15,
        initial=[{"how": "badly", "x": 0.5}],
        constraints={"size": Bound.at_most(8)},
    )
    bad = [one for one in result.trials if one.configuration["how"] == "badly"]
    assert bad and all(one.status == "censored" and one.outputs == {"size": 7} for one in bad)
    # A killed call has lasted its cap, unless the race was decided before.
    assert any(one.cost == one.cap for one in bad)
    # The default takes 0.02 s, so no challenger gets anywhere near the cutoff.
    assert all(one.cost < 10 and one.seconds >= one.cost for one in bad)
    assert result.configuration["how"] == "well" and result.best.outputs == {"size": 7}
    assert 0.02 <= result.cost < 2


def test_a_function_that_stops_itself_keeps_its_child():
    space = {"how": ["well", "badly"], "x": (0.0, 1.0)}
    result = minimize(functions.stops_itself, space, cutoff=100.0, budget=15)
    stopped = [one for one in result.trials if one.status == "censored"]
    assert stopped and all(one.cost == one.cap < 50 for one in stopped)
    assert result.children == 1 and result.cost == 5


def test_the_time_of_a_call_reaches_its_cap():
    assert Running(0.0, 0, timed=True).reached()
    assert not Running(1e6, 0, timed=True).reached()
    with pytest.raises(TypeError, match="needs the cost so far"):
        Running(1.0, 0, timed=False).reached()


def test_each_worker_has_its_own_gpu():
    result = minimize(functions.gpu, SPACE, budget=20, workers=2, gpus=[4, 6])
    assert {one.outputs["gpu"] for one in result.trials} == {4, 6}


def test_instances_and_seeds_are_passed():
    result = minimize(functions.noisy, {"x": (-5.0, 5.0)}, instances=[0.0, 1.0, 2.0], budget=60)
    assert {one.instance for one in result.trials} == {0, 1, 2}
    assert len({one.seed for one in result.trials}) > 3
    assert result.best.pairs > 3


def test_constraints_decide():
    result = minimize(
        functions.accurate, {"x": (0.0, 5.0)}, budget=40, constraints={"accuracy": Bound.at_least(0.8)}
    )
    assert result.best.feasible
    assert 1.8 < result.configuration["x"] <= 2.0 + 1e-9


def test_a_function_that_never_works_ends_the_search():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaptuneWarning)
        with pytest.raises(TargetFailed, match="none of the first 10 trials.*\n.*\n.*\n*.*never works"):
            minimize(functions.always_raises, SPACE, budget=100)


def test_a_search_continues_from_its_file(tmp_path):
    state = tmp_path / "search.captune"
    first = minimize(functions.square, SPACE, budget=10, save=state)
    second = minimize(functions.square, SPACE, budget=25, save=state)
    whole = minimize(functions.square, SPACE, budget=25)
    assert (len(first.trials), len(second.trials)) == (10, 15)
    assert second.cost <= first.cost and second.cost < 0.5 and whole.cost < 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 2}, "seed=1, not seed=2"),
        ({"space": {"x": (0.0, 1.0)}}, "was saved with another space"),
        ({"cutoff": 9.0}, "cutoff=None, not cutoff=9.0"),
    ],
)
def test_a_search_does_not_continue_with_other_settings(change, message, tmp_path):
    state = tmp_path / "search.captune"
    minimize(functions.square, SPACE, budget=3, save=state)
    with pytest.raises(ValueError, match=message):
        minimize(functions.square, **{"space": SPACE, "budget": 5, "save": state, **change})


def test_ctrl_c_stops_cleanly_and_saves(tmp_path, left):
    script = tmp_path / "script.py"
    script.write_text(
        "import captune, os, signal, time\n"
        "calls = []\n"
        "def cost(configuration, instance):\n"
        "    calls.append(configuration)\n"
        "    if len(calls) > 5:\n"
        "        os.kill(instance, signal.SIGINT)\n"
        "        time.sleep(60)\n"
        "    return configuration['x'] ** 2\n"
        "if __name__ == '__main__':\n"
        "    settings = {'instances': [os.getpid()], 'save': 'state'}\n"
        "    result = captune.minimize(cost, {'x': (-5.0, 5.0)}, budget='1h', **settings)\n"
        "    print(result.stopped, len(result.trials), captune.Optimizer.load('state').trials)\n"
    )
    ended = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ended.stdout == "interrupted 5 5\n", ended.stderr
    assert left() == []


def test_a_script_without_a_guard_is_told_so(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys; sys.modules['cloudpickle'] = None\n"
        "import captune\n"
        "def cost(configuration): return 1.0\n"
        "captune.minimize(cost, {'x': (-5.0, 5.0)}, budget=3)\n"
    )
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert 'put the call under `if __name__ == "__main__":`' in ended.stderr


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"budget": "soon"}, "budget is 'soon'; expected a number of trials or a time"),
        ({"budget": 5, "cost": "time"}, "cost is 'time'"),
        ({"budget": 5, "cost": "wall_time"}, "needs a cutoff"),
        ({"budget": 5, "cutoff": -1.0}, "`cutoff` is -1, but must be finite and above 0"),
        ({"budget": 5, "workers": 0}, "workers must be at least 1"),
        ({"budget": 5, "memory": "lots"}, "memory is 'lots'"),
        ({"budget": 5, "workers": 2, "gpus": [0]}, "2 workers need as many GPUs"),
        ({"budget": 5, "search": "magic"}, "search is `magic`"),
    ],
)
def test_mistakes_name_the_setting(settings, message):
    with pytest.raises(ValueError, match=message):
        minimize(functions.square, SPACE, **settings)


def test_the_trial_outside_a_search_has_no_cap():
    assert captune.trial().cap == float("inf") and not captune.trial().reached()
