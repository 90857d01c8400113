"""Spaces: definitions, formats, sampling and checking. No optional package is needed."""

import copy
import pickle

import pytest

from captune import Space

DEFINITION = {
    "x": (-5.0, 5.0),
    "count": (1, 9),
    "mode": ["fast", "safe"],
    "verbose": True,
    "rate": {"float": [1e-5, 1.0], "log": True, "default": 1e-3, "when": "mode == 'fast'"},
    "forbidden": ["count > 8 && verbose"],
}


def test_short_and_long_definitions_mean_the_same():
    space = Space(DEFINITION)
    assert space.names == ["x", "count", "mode", "verbose", "rate"]
    assert space.default == {"x": 0.0, "count": 5, "mode": "fast", "verbose": True, "rate": 0.001}
    assert [type(value) for value in space.default.values()] == [float, int, str, bool, float]
    assert Space(space.to_dict()) == space
    assert pickle.loads(pickle.dumps(space)) == copy.deepcopy(space) == space
    assert len(space) == 5 and "x" in space and "y" not in space


@pytest.mark.parametrize("format", ["toml", "pcs-new", "configspace-json", "irace"])
def test_formats_round_trip(format):
    switches = {"x": "-x ", "count": "-c ", "mode": "-m "}
    domains = {"x": {"float": [-5.0, 5.0]}, "count": {"integer": [1, 9]}, "mode": {"choices": ["fast", "safe"]}}
    if format == "irace":
        domains = {name: domain | {"switch": switches[name]} for name, domain in domains.items()}
    space = Space(domains)
    text = space.to_text(format)
    again = Space.from_text(text, format)
    assert sorted(again.names) == sorted(space.names)
    assert again.sample(1)[0].keys() == space.default.keys()


def test_a_format_is_guessed():
    assert Space.from_text("x real [0, 1] [0.5]\n", name="space.pcs").default == {"x": 0.5}
    assert Space.from_text('m "--m=" c (a, b)\n', name="parameters.txt").names == ["m"]


def test_samples_are_valid_and_repeatable():
    space = Space(DEFINITION)
    drawn = space.sample(50, seed=3)
    assert drawn == space.sample(50, seed=3) != space.sample(50, seed=4)
    for configuration in drawn:
        assert space.check(configuration) == configuration
        assert ("rate" in configuration) == (configuration["mode"] == "fast")
        assert not (configuration["count"] > 8 and configuration["verbose"])


def test_encoding_can_be_undone():
    space = Space(DEFINITION)
    drawn = space.sample(20, seed=5)
    rows = memoryview(space.encode(drawn))
    assert (rows.shape, rows.format, rows.readonly) == ((20, 5), "d", True)
    assert all(rows[row, 4] == -1 for row, one in enumerate(drawn) if one["mode"] == "safe")
    for one, again in zip(drawn, space.decode(rows)):
        assert {**one, "x": 0, "rate": 0} == {**again, "x": 0, "rate": 0}
        assert one["x"] == pytest.approx(again["x"])
    assert space.categories == [(2, 2)]


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ({"x": {"flaot": [0, 1]}}, "did you mean `float`?"),
        ({"x": (5.0, 1.0)}, "error"),
        ({"x": [None, 1]}, "None is not a value"),
        ({"x": 3}, "`x` is 3; expected"),
        ({"x": (0.0, float("inf"))}, "inf is not a finite number"),
        ({"x": (0, 1), "forbidden": ["y > 1"]}, "y"),
        ({"x": (0, 1), "forbidden": "x > 0"}, "`forbidden` must be a list"),
    ],
)
def test_mistakes_are_explained(definition, message):
    with pytest.raises((ValueError, TypeError), match=message.replace("?", r"\?")):
        Space(definition)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"x": 7.0}, "outside the range"),
        ({"z": 1.0}, "unknown parameter `z`"),
        ({}, "`x` is active but has no value"),
    ],
)
def test_invalid_configurations_are_rejected(values, message):
    with pytest.raises(ValueError, match=message):
        Space({"x": (-5.0, 5.0)}).check(values)
