#!/usr/bin/env python3
"""Trains the network of `bench network` with other programs, alternating with it, and prints a table in Markdown.

    python3 -m venv torch && torch/bin/pip install torch==2.8.0 numpy        # and gcc for the plain C
    torch/bin/python bench/scripts/network-peers.py target/dist/bench MEASURES [--turns 3]

MEASURES is the folder with the peers' programs: `bench_nn.py`, the network in PyTorch, and `netc.py`, the same network
in plain C compiled for this processor. Each program trains one network, d-50-50-50-2, on 600 points, half of them
censored, in batches of 16. Times are CPU microseconds per step on one thread, the minimum of all turns.
"""

import argparse
import os
import re
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

WIDTHS = (4, 7, 76)
POINTS = 600
BATCH = 16


def own(bench):
    """Returns the heading with the instruction set, and microseconds per step and GFLOP/s by width."""
    output = subprocess.run([bench, "network", "--only", "step"], check=True, capture_output=True, text=True).stdout
    heading = output.splitlines()[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in output.splitlines() if re.match(r"\| \d", line)]
    return heading, {int(row[0]): (float(row[1]), float(row[2])) for row in rows}


def plain_c(d):
    import numpy
    from netc import Net

    random = numpy.random.default_rng(0)
    X, y, censored = random.random((POINTS, d)), random.normal(size=POINTS), random.random(POINTS) < 0.5
    epochs, minimum = 10, float("inf")
    for _ in range(40):
        begin = time.process_time()
        Net(X, y, censored, epochs, 1, 1)
        minimum = min(minimum, time.process_time() - begin)
    return 1e6 * minimum / (epochs * (POINTS // BATCH))


def pytorch(d):
    from bench_nn import run

    minimum, _, steps, _ = run(POINTS, d, BATCH, 3.0)
    return 1e6 * minimum / steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("measures")
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.measures)
    minimum, speeds, heading = {}, {}, ""
    for _ in range(arguments.turns):
        heading, found = own(arguments.bench)
        for d, (spent, speed) in found.items():
            minimum[d, "own"] = min(minimum.get((d, "own"), float("inf")), spent)
            speeds[d] = max(speeds.get(d, 0.0), speed)
        for d in WIDTHS:
            for name, peer in (("c", plain_c), ("torch", pytorch)):
                minimum[d, name] = min(minimum.get((d, name), float("inf")), peer(d))
    print(f"In the last turn: {heading}\n")
    print("| d | captune, us per step | GFLOP/s | plain C | plain C / captune | PyTorch | PyTorch / captune |")
    print("|---|---|---|---|---|---|---|")
    for d in WIDTHS:
        own_time, c, torch = (minimum[d, name] for name in ("own", "c", "torch"))
        print(f"| {d} | {own_time:.2f} | {speeds[d]:.1f} | {c:.1f} | {c / own_time:.2f} | {torch:.0f} | {torch / own_time:.0f} |")


if __name__ == "__main__":
    sys.exit(main())
