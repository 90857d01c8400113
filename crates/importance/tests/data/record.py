"""Records importances computed by Optuna and scikit-learn, for the tests of this crate.

    python -m venv venv && venv/bin/pip install optuna==5.0.0 scikit-learn && venv/bin/python record.py
"""

import json
import random

import numpy as np
import optuna
from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances
from optuna.importance._fanova._tree import _FanovaTree
from sklearn.tree import DecisionTreeRegressor


def fanova():
    rng = np.random.default_rng(5)
    points = rng.random((400, 5))
    x = points.T
    costs = 3 * x[0] + 2 * np.sin(6 * x[1]) * x[2] + (x[3] > 0.7) + 0.1 * rng.standard_normal(400)
    tree = DecisionTreeRegressor(min_samples_leaf=6, random_state=0).fit(points, costs).tree_
    space = np.array([[0.0, 1.0]] * 5)
    analysed = _FanovaTree(tree, space)
    single = [analysed.get_marginal_variance(np.array([j])) for j in range(5)]
    pairs = []
    for j in range(5):
        for k in range(j + 1, 5):
            both = analysed.get_marginal_variance(np.array([j, k]))
            pairs.append([j, k, both - single[j] - single[k]])
    nodes = [
        [int(tree.feature[i]), float(tree.threshold[i]), int(tree.children_left[i]), int(tree.children_right[i]),
         float(tree.value[i].reshape(-1)[0])]
        for i in range(tree.node_count)
    ]
    return {"nodes": nodes, "total": float(analysed.variance), "single": single, "pairs": pairs}


def ped_anova():
    random.seed(3)
    study = optuna.create_study()
    rows, costs = [], []
    for _ in range(300):
        a, b = random.random() ** 2, random.random()
        c = random.choice(["p", "q", "r", "s"])
        d = random.randint(0, 6)
        e = random.random() if c != "s" else None
        cost = abs(a - 0.3) + 0.2 * b + (0.3 if c == "q" else 0.0) + 0.02 * d + (0.5 * e if e else 0.4)
        params = {"a": a, "b": b, "c": c, "d": d}
        distributions = {
            "a": optuna.distributions.FloatDistribution(0, 1),
            "b": optuna.distributions.FloatDistribution(0, 1),
            "c": optuna.distributions.CategoricalDistribution(["p", "q", "r", "s"]),
            "d": optuna.distributions.IntDistribution(0, 6),
        }
        if e is not None:
            params["e"] = e
            distributions["e"] = optuna.distributions.FloatDistribution(0, 1)
        study.add_trial(optuna.trial.create_trial(params=params, distributions=distributions, value=cost))
        rows.append([a, b, ("pqrs".index(c) + 0.5) / 4, (d + 0.5) / 7, -1.0 if e is None else e])
        costs.append(cost)
    shares = get_param_importances(study, evaluator=PedAnovaImportanceEvaluator())
    return {"rows": rows, "costs": costs, "shares": [shares[name] for name in "abcde"]}


for name, record in [("fanova", fanova), ("ped_anova", ped_anova)]:
    with open(f"{name}.json", "w") as file:
        json.dump(record(), file)
        file.write("\n")
