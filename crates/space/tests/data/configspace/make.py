"""Writes the test files in this folder with the installed version of ConfigSpace.

    python make.py FOLDER

There are two spaces: `everything` contains all that captune supports, and `priors` contains what captune must reject.
The functions for adding parameters differ between versions, and only 1.x writes YAML, `meta` and the
clauses that compare with a bound.
"""

import importlib.metadata
import pathlib
import sys

import ConfigSpace as C
from ConfigSpace import forbidden as F

FOLDER = pathlib.Path(sys.argv[1])
# `__version__` is wrong in 0.7.1.
VERSION = ".".join(importlib.metadata.version("ConfigSpace").split(".")[:2])
NEW = VERSION >= "1"


def space(name, hyperparameters, conditions=(), forbidden=()):
    result = C.ConfigurationSpace(name=name)
    if NEW:
        result.add(hyperparameters)
        result.add(list(conditions))
        result.add(list(forbidden))
    else:
        result.add_hyperparameters(hyperparameters)
        result.add_conditions(list(conditions))
        result.add_forbidden_clauses(list(forbidden))
    return result


def write(result):
    if NEW:
        result.to_json(FOLDER / f"{result.name}-{VERSION}.json", indent=2)
        result.to_yaml(FOLDER / f"{result.name}-{VERSION}.yaml")
    else:
        from ConfigSpace.read_and_write import json

        (FOLDER / f"{result.name}-{VERSION}.json").write_text(json.write(result))


def everything():
    extra = {"meta": {"origin": "manual", "pages": [3, 4]}} if NEW else {}
    step = {} if NEW else {"q": 5}
    mode = C.CategoricalHyperparameter("mode", ["sat", "unsat", "both"], default_value="both", weights=[1, 2, 5])
    alpha = C.UniformFloatHyperparameter("alpha", 1e-7, 10.0, default_value=0.5, log=True, **extra)
    ratio = C.UniformFloatHyperparameter("ratio", -1.5, 2.5)
    depth = C.UniformIntegerHyperparameter("depth", 1, 1000, default_value=30, log=True)
    width = C.UniformIntegerHyperparameter("width", 0, 100, default_value=10, **step)
    level = C.OrdinalHyperparameter("level", ["low", "middle", "high"], default_value="middle")
    size = C.OrdinalHyperparameter("size", [1, 2, 4, 8])
    flag = C.CategoricalHyperparameter("flag", [True, False])
    mixed = C.CategoricalHyperparameter("mixed", [0.5, 2, "off", "a \"b\" c: d"])
    fixed = C.Constant("fixed", "on")
    number = C.Constant("number", 3)
    odd = C.UniformIntegerHyperparameter("@1:odd name/ü 😀", 0, 9)
    a = C.UniformIntegerHyperparameter("a", 0, 20, default_value=11)
    b = C.UniformIntegerHyperparameter("b", 0, 20, default_value=12)
    c = C.UniformFloatHyperparameter("c", 0.0, 20.0, default_value=3.25)

    conditions = [
        C.EqualsCondition(alpha, mode, "sat"),
        C.NotEqualsCondition(ratio, mode, "sat"),
        C.InCondition(depth, mode, ["sat", "both"]),
        C.GreaterThanCondition(width, level, "low"),
        C.AndConjunction(
            C.LessThanCondition(size, a, 15),
            C.OrConjunction(C.EqualsCondition(size, flag, True), C.GreaterThanCondition(size, c, 2.5)),
        ),
        C.InCondition(mixed, size, [1, 2]),
        C.EqualsCondition(odd, depth, 30),
    ]
    forbidden = [
        F.ForbiddenEqualsClause(mixed, "off"),
        F.ForbiddenInClause(a, [3, 4, 5]),
        F.ForbiddenAndConjunction(F.ForbiddenEqualsClause(mode, "unsat"), F.ForbiddenInClause(level, ["low", "high"])),
        F.ForbiddenLessThanRelation(b, a),
        F.ForbiddenEqualsRelation(a, b),
        F.ForbiddenGreaterThanRelation(c, a),
    ]
    if NEW:
        forbidden += [
            F.ForbiddenGreaterThanClause(b, 19),
            F.ForbiddenLessThanClause(c, 0.5),
            F.ForbiddenOrConjunction(
                F.ForbiddenGreaterThanEqualsClause(level, "high"),
                F.ForbiddenAndConjunction(F.ForbiddenEqualsClause(flag, False), F.ForbiddenEqualsClause(a, 0)),
            ),
            F.ForbiddenAndConjunction(F.ForbiddenEqualsClause(flag, False), F.ForbiddenLessThanEqualsRelation(a, c)),
        ]
    everything = [mode, alpha, ratio, depth, width, level, size, flag, mixed, fixed, number, odd, a, b, c]
    return space("everything", everything, conditions, forbidden)


def priors():
    bounds = {} if VERSION == "0.6" else {"lower": 0, "upper": 10}
    return space(
        "priors",
        [
            C.NormalFloatHyperparameter("nf", mu=2.0, sigma=0.5, **bounds),
            C.NormalIntegerHyperparameter("ni", mu=3, sigma=2, **bounds),
            C.BetaFloatHyperparameter("bf", alpha=2, beta=3, lower=0, upper=10),
            C.BetaIntegerHyperparameter("bi", alpha=2, beta=3, lower=0, upper=10),
        ],
    )


write(everything())
write(priors())
