"""Typical uses, checked by mypy --strict and never run."""

from __future__ import annotations

from typing import assert_type

import numpy

import captune
import captune.optuna
from captune.surrogate import Forest, conforms


def ask_and_tell() -> float | None:
    optimizer = captune.Optimizer({"x": (0.0, 1.0)}, constraints={"size": captune.Bound.at_most(3)}, cutoff=10)
    trial = optimizer.ask()
    assert_type(trial, captune.Trial)
    assert_type(optimizer.ask(3), list[captune.Trial])
    optimizer.tell(trial, 1.0, constraints={"size": 2.0})
    optimizer.tell(trial, status="crashed")
    return optimizer.best().cost


def function(configuration: dict[str, float], instance: str, seed: int) -> float:
    if captune.trial().reached(3.0):
        captune.trial().output("size", 3)
    return configuration["x"] + len(instance) + seed


def whole_search() -> dict[str, str | int | float | bool]:
    result = captune.minimize(function, captune.Space({"x": (0, 1)}), budget="10m", instances=["a"], workers=2)
    assert_type(result, captune.Result)
    return result.configuration


def models() -> None:
    forest = Forest(trees=20).fit(numpy.zeros((3, 2)), [1.0, 2.0, 3.0], [False, False, True])
    mean, deviation = forest.predict(numpy.zeros((1, 2)))
    conforms(forest)
    captune.Optimizer({"x": (0, 1)}, search=forest)
    captune.optuna.Sampler(seed=1)


def campaign() -> int:
    return captune.run("scenario.toml", trials=20).trials().rows
