#!/usr/bin/env python3
"""Grows forests with other programs on the rows of `bench forest`, alternating with it, and prints tables in Markdown.

    python3 -m venv main && main/bin/pip install scikit-learn==1.9.1 pyrfr==0.9.0        # pyrfr needs swig and g++
    python3 -m venv old && old/bin/pip install 'setuptools<60' wheel
    old/bin/pip install smac==1.4.0 'numpy<1.24' 'scipy<1.11' 'scikit-learn<1.3'
    main/bin/python bench/scripts/forest-peers.py target/dist/bench FOLDER [--turns 3] [--old old/bin/python]

The rows are written to FOLDER. All forests have 10 trees, try 5/6 of the columns at each split and keep at least 3
points in a leaf; pyrfr is configured as in SMAC. Times are CPU seconds of one thread, the minimum of all turns, without
filling pyrfr's container. R² is measured on 2000 new rows, once with the same encoding for all programs (categories as
numbers) and once with each program's best encoding. With --old, SMAC 1.4's imputer runs ten rounds on the same rows,
half of them censored.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy

TREES = 10
CHOICES = 5


def rows_of(folder, name, n, d):
    table = numpy.loadtxt(folder / f"{name}-{n}-{d}.csv", delimiter=",")
    return table[:, :-1], table[:, -1]


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def run_bench(bench, *arguments):
    """Returns the rows of all tables that `bench forest` prints."""
    output = subprocess.run([bench, "forest", *arguments], check=True, capture_output=True, text=True).stdout
    return [cells(line) for line in output.splitlines() if re.search(r"\d", line)]


def timed(run):
    begin = time.process_time()
    run()
    return time.process_time() - begin


def r2(y, found):
    return 1 - ((y - found) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def is_category(column):
    return column % 3 == 2


def native(X):
    """Encodes categories as 0, 1, ..."""
    X = X.copy()
    for column in filter(is_category, range(X.shape[1])):
        X[:, column] = numpy.floor(X[:, column] * CHOICES)
    return X


def one_hot(X):
    columns = []
    for column in range(X.shape[1]):
        if is_category(column):
            columns += [numpy.floor(X[:, column] * CHOICES) == choice for choice in range(CHOICES)]
        else:
            columns.append(X[:, column])
    return numpy.stack(columns, 1).astype(float)


class Pyrfr:
    def __init__(self, X, y, categories):
        from pyrfr import regression

        self.regression, self.encode = regression, native if categories else (lambda X: X)
        n, d = X.shape
        self.data = regression.default_data_container(d)
        for column in range(d):
            if categories and is_category(column):
                self.data.set_type_of_feature(column, CHOICES)
            else:
                self.data.set_bounds_of_feature(column, 0.0, 1.0)
        for row, value in zip(self.encode(X), y):
            self.data.add_data_point(row, value)
        options = regression.forest_opts()
        options.num_trees, options.do_bootstrapping, options.num_data_points_per_tree = TREES, True, n
        options.compute_law_of_total_variance = False
        tree = options.tree_opts
        tree.max_features, tree.min_samples_to_split, tree.min_samples_in_leaf = int(d * 5 / 6), 3, 3
        tree.max_depth, tree.max_num_nodes, tree.epsilon_purity = 2**20, 2**20, 1e-8
        self.options = options

    def fit(self):
        self.forest = self.regression.binary_rss_forest()
        self.forest.options = self.options
        self.forest.fit(self.data, rng=self.regression.default_random_engine(1))

    def predict(self, X):
        return numpy.array([self.forest.predict(row) for row in self.encode(X)])


class Sklearn:
    def __init__(self, kind, X, y, encode=lambda X: X):
        self.encode, self.X, self.y = encode, encode(X), y
        features = int(self.X.shape[1] * 5 / 6)
        self.forest = kind(TREES, min_samples_split=3, min_samples_leaf=3, max_features=features, bootstrap=True, n_jobs=1, random_state=0)

    def fit(self):
        self.forest.fit(self.X, self.y)

    def predict(self, X):
        return self.forest.predict(self.encode(X))


def growth(bench, folder, turns):
    from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

    own_r2 = {(int(row[0]), int(row[1])): row for row in run_bench(bench, "--only", "accuracy", "--export", folder) if row[0].isdigit()}
    peers, minimum = {}, {}
    for n, d in own_r2:
        X, y = rows_of(folder, "train", n, d)
        peers[n, d] = {
            "pyrfr": Pyrfr(X, y, True),
            "pyrfr, numbers": Pyrfr(X, y, False),
            "random forest": Sklearn(RandomForestRegressor, X, y),
            "random forest, one-hot": Sklearn(RandomForestRegressor, X, y, one_hot),
            "extra trees": Sklearn(ExtraTreesRegressor, X, y),
        }
    timed_peers = ("pyrfr", "random forest", "extra trees")
    for turn in range(turns):
        for row in run_bench(bench, "--only", "grow", "--repetitions", "3"):
            if row[0].isdigit():
                key = (int(row[0]), int(row[1]), "own")
                minimum[key] = min(minimum.get(key, numpy.inf), float(row[2]))
        for (n, d), forests in peers.items():
            for name, forest in forests.items():
                # The others are fitted once, for their accuracy.
                if turn == 0 or name in timed_peers:
                    spent = 1e3 * timed(forest.fit) / TREES
                    minimum[n, d, name] = min(minimum.get((n, d, name), numpy.inf), spent)
    print("| n | d | captune, ms per tree | pyrfr | pyrfr / captune | random forest | random forest / captune | extra trees | extra trees / captune |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n, d in peers:
        own = minimum[n, d, "own"]
        others = [f"{minimum[n, d, name]:.1f} | {minimum[n, d, name] / own:.1f}" for name in timed_peers]
        print(f"| {n} | {d} | {own:.2f} | {' | '.join(others)} |")
    print(f"\n| n | d | R² of {TREES} trees, categories as numbers: captune | pyrfr | random forest | extra trees | with categories: captune | pyrfr | random forest, one-hot |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n, d in peers:
        X, y = rows_of(folder, "test", n, d)
        found = {name: f"{r2(y, forest.predict(X)):.3f}" for name, forest in peers[n, d].items()}
        row = [own_r2[n, d][4], *(found[name] for name in ("pyrfr, numbers", "random forest", "extra trees"))]
        row += [own_r2[n, d][2], found["pyrfr"], found["random forest, one-hot"]]
        print(f"| {n} | {d} | {' | '.join(row)} |", flush=True)


def impute(folder):
    """Prints the CPU seconds of ten rounds of SMAC 1.4's imputer."""
    import warnings

    warnings.filterwarnings("ignore")
    from ConfigSpace import ConfigurationSpace, Float
    from smac.epm.random_forest.rf_with_instances import RandomForestWithInstances
    from smac.epm.random_forest.rfr_imputator import RFRImputator

    X, y = rows_of(folder, "train", 1000, 76)
    X = native(X)
    median = numpy.sort(y)[len(y) // 2]
    censored = y > median
    y = numpy.minimum(y, median)
    categories = [is_category(column) for column in range(X.shape[1])]
    types = [CHOICES if category else 0 for category in categories]
    bounds = [(CHOICES, numpy.nan) if category else (0.0, 1.0) for category in categories]
    space = ConfigurationSpace()
    space.add([Float(f"x{column}", (0.0, 1.0)) for column in range(X.shape[1])])

    def run():
        model = RandomForestWithInstances(configspace=space, types=types, bounds=bounds, seed=1, log_y=False)
        # A negative threshold, so that every round runs.
        imputer = RFRImputator(numpy.random.RandomState(1), cutoff=1e9, threshold=1e10, model=model, change_threshold=-1.0, max_iter=10)
        imputer.impute(X[censored], y[censored], X[~censored], y[~censored])

    print(timed(run))


def filling(bench, folder, old, turns):
    minimum, smac = {}, numpy.inf
    for _ in range(turns):
        for row in run_bench(bench, "--only", "fill", "--repetitions", "3"):
            minimum[row[0]] = min(minimum.get(row[0], numpy.inf), float(row[3]))
        answer = subprocess.run([old, __file__, "--impute", bench, folder], check=True, capture_output=True, text=True)
        smac = min(smac, float(answer.stdout.split()[-1]))
    print("\n| half censored, n = 1000, d = 76, 10 trees | s | SMAC 1.4, ten rounds | SMAC 1.4 / captune |")
    print("|---|---|---|---|")
    for name, own in minimum.items():
        print(f"| {name} | {own:.3f} | {smac:.2f} | {smac / own:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--old", help="Python with smac 1.4.0; without it the imputer is skipped")
    parser.add_argument("--impute", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--only", choices=["grow", "fill"])
    arguments = parser.parse_args()
    if arguments.impute:
        return impute(arguments.folder)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.only != "fill":
        growth(arguments.bench, arguments.folder, arguments.turns)
    if arguments.old and arguments.only != "grow":
        filling(arguments.bench, arguments.folder, arguments.old, arguments.turns)


if __name__ == "__main__":
    sys.exit(main())
