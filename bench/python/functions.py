"""The functions of the comparison with Optuna and SMAC3: one plain, two constrained, two mixed and conditional.

| name | parameters | constraints | best known |
|---|---|---|---|
| hartmann | 6 floats | | -3.32237 |
| gramacy | 2 floats | 2 | 0.5998 |
| vessel | 4 floats; the cost is a logarithm | 3 | 3.7638 |
| kernel | a choice of kernel, and up to 3 parameters that depend on it | | 0 |
| layers | a number of layers, a width for each, an optimizer with its own parameter | | 0 |

A function takes an object with Optuna's `suggest_…` methods. It returns its cost and the values of its constraints, which
are 0 or less where they hold.
"""

import math
import os

import numpy


def hartmann(trial):
    a = numpy.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
    p = 1e-4 * numpy.array(
        [
            [1312, 1696, 5569, 124, 8283, 5886],
            [2329, 4135, 8307, 3736, 1004, 9991],
            [2348, 1451, 3522, 2883, 3047, 6650],
            [4047, 8828, 8732, 5743, 1091, 381],
        ]
    )
    x = numpy.array([trial.suggest_float(f"x{i}", 0, 1) for i in range(6)])
    return -float(numpy.dot([1.0, 1.2, 3.0, 3.2], numpy.exp(-(a * (x - p) ** 2).sum(axis=1)))), []


def gramacy(trial):
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    wave = 1.5 - x - 2 * y - 0.5 * math.sin(2 * math.pi * (x * x - 2 * y))
    return x + y, [wave, x * x + y * y - 1.5]


def vessel(trial):
    shell, head = trial.suggest_float("shell", 0.1, 6.2), trial.suggest_float("head", 0.1, 6.2)
    radius, length = trial.suggest_float("radius", 10, 200), trial.suggest_float("length", 10, 240)
    cost = 0.6224 * shell * radius * length + 1.7781 * head * radius**2
    cost += 3.1661 * shell**2 * length + 19.84 * shell**2 * radius
    volume = math.pi * radius**2 * length + 4 / 3 * math.pi * radius**3
    constraints = [0.0193 * radius - shell, 0.00954 * radius - head, math.log(1296000 / volume)]
    return math.log10(cost), constraints


def kernel(trial):
    kind = trial.suggest_categorical("kernel", ["linear", "poly", "rbf", "sigmoid"])
    c = math.log10(trial.suggest_float("c", 1e-3, 1e3, log=True))
    cost = {"linear": 0.8, "poly": 0.3, "rbf": 0.0, "sigmoid": 0.6}[kind] + 0.02 * (c - 1.3) ** 2
    if kind == "poly":
        cost += 0.1 * abs(trial.suggest_int("degree", 2, 6) - 3)
        cost += 0.05 * (trial.suggest_float("coef", -1, 1) - 0.3) ** 2
    elif kind in ("rbf", "sigmoid"):
        gamma = math.log10(trial.suggest_float("gamma", 1e-5, 10, log=True))
        cost += 0.05 * (gamma + 2 + 0.4 * (c - 1.3)) ** 2
    if trial.suggest_categorical("scale", [True, False]):
        cost += 0.1 * (trial.suggest_float("clip", 0.5, 1.0) - 0.9) ** 2
    else:
        cost += 0.2
    return cost, []


def layers(trial):
    count = trial.suggest_int("layers", 1, 4)
    cost = 0.15 * abs(count - 3)
    for layer in range(count):
        width = math.log2(trial.suggest_int(f"width{layer}", 8, 512, log=True))
        cost += 0.02 * (width - (7 - layer)) ** 2
    if trial.suggest_categorical("optimizer", ["sgd", "adam"]) == "sgd":
        cost += 0.1 + 2 * (trial.suggest_float("momentum", 0, 0.99) - 0.9) ** 2
        best = -1.0
    else:
        cost += 0.5 * (trial.suggest_float("beta", 0.5, 0.999) - 0.9) ** 2
        best = -3.0
    rate = math.log10(trial.suggest_float("rate", 1e-5, 1, log=True))
    return cost + 0.1 * (rate - best) ** 2, []


FUNCTIONS = [hartmann, gramacy, vessel, kernel, layers]


def measured(path):
    """Returns the first three fields of each line of a file of results, which name a measurement."""
    if not os.path.exists(path):
        return set()
    with open(path) as file:
        return {tuple(line.split(",")[:3]) for line in file}
