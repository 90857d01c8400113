#!/usr/bin/env python3
"""Trains another program's networks and captune's on the same censored readings, and prints both errors in Markdown.

    python3 -m venv main && main/bin/pip install numpy scipy
    main/bin/python bench/scripts/tobit-peers.py target/dist/bench MEASURE FOLDER [--cell branin,40,95] [--epochs 500]

MEASURE is the folder with the other program: `make` in funcs.py draws the readings, and `Net` in netc.py trains
networks in C, which gcc compiles on first use. The readings are written to FOLDER, one table for each cell. A cell is
FUNCTION,THRESHOLD,FULL: readings above percentile THRESHOLD may be censored, and all readings above percentile FULL
are. Both programs train ensembles of five networks on five folds by location, and predict the function at held-out
locations.
"""

import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy

FOLDS = 5
MEMBERS = 5


def draw(funcs, cell, seed):
    function, threshold, full = cell.split(",")
    data = funcs.make(function, float(threshold), seed, prob=f"liny_q{full}", rec="gamma")
    data["fold"] = numpy.random.default_rng(1000 + seed).permutation(len(data["f"])) % FOLDS
    return data


def write(data, path):
    places = data["U"]
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        columns = [f"x{i + 1}" for i in range(places.shape[1])]
        table.writerow(["fold", "location", *columns, "true", "recorded", "censored"])
        for place, recorded, censored in zip(data["loc"], data["c"], data["cens"]):
            x = [repr(float(u)) for u in places[place]]
            truth = repr(float(data["f"][place]))
            table.writerow([data["fold"][place], place, *x, truth, repr(float(recorded)), int(censored)])


def theirs(net, data, treatment, epochs):
    """Returns the mean and the standard deviation over folds of an ensemble's error."""
    errors = []
    for fold in range(FOLDS):
        kept = data["fold"][data["loc"]] != fold
        if treatment == "drop":
            kept &= ~data["cens"]
        x, y, censored = data["U"][data["loc"][kept]], data["c"][kept], data["cens"][kept]
        centre, spread = y.mean(), y.std()
        held_out = data["fold"] == fold
        seeds = range(1000 * fold, 1000 * fold + MEMBERS)
        train = lambda seed: net(x, (y - centre) / spread, censored, epochs, treatment == "tobit", seed)
        means = [train(seed).predict(data["U"][held_out])[0] for seed in seeds]
        found = centre + spread * numpy.mean(means, 0)
        errors.append(numpy.sqrt(numpy.mean((found - data["f"][held_out]) ** 2)))
    return numpy.mean(errors), numpy.std(errors)


def ours(bench, path, treatment, epochs):
    run = [bench, "tobit", "data", str(path), "--epochs", str(epochs), "--treatment", treatment]
    output = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    found = re.search(rf"\| {treatment} \| (\S+) \| (\S+) \|", output)
    return float(found[1]), float(found[2])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("bench")
    arguments.add_argument("measure", type=pathlib.Path)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--cell", action="append", help="FUNCTION,THRESHOLD,FULL; may be repeated")
    arguments.add_argument("--treatment", action="append", choices=("ignore", "drop", "tobit"))
    arguments.add_argument("--epochs", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=0, help="random seed for the readings")
    given = arguments.parse_args()
    sys.path.insert(0, str(given.measure))
    import funcs
    from netc import Net

    given.folder.mkdir(parents=True, exist_ok=True)
    print("| function, threshold, all censored above | treatment | epochs | captune | other | captune / other |")
    print("|---|---|---|---|---|---|")
    for cell in given.cell or ["branin,40,95", "camelback,20,95"]:
        data = draw(funcs, cell, given.seed)
        path = given.folder / f"{cell.replace(',', '-')}-{given.seed}.csv"
        write(data, path)
        for treatment in given.treatment or ["tobit"]:
            (mean, deviation), (other, spread) = (
                ours(given.bench, path, treatment, given.epochs),
                theirs(Net, data, treatment, given.epochs),
            )
            both = f"{mean:.4g} ± {deviation:.2g} | {other:.4g} ± {spread:.2g} | {mean / other:.3f}"
            print(f"| {cell} | {treatment} | {given.epochs} | {both} |", flush=True)


if __name__ == "__main__":
    main()
