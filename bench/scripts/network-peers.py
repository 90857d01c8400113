#!/usr/bin/env python3
"""Trains the network of `bench network` with other programs, in turns with it, and prints a table in Markdown.

    python3 -m venv torch && torch/bin/pip install torch==2.8.0 numpy        # and gcc for the plain C
    torch/bin/python bench/scripts/network-peers.py target/release/bench MEASURES [--turns 3]

MEASURES is the folder of the peers' programs: `bench_nn.py`, the network in PyTorch, and `netc.py`, the same in plain C
for this very processor. One network, d-50-50-50-2, 600 points, half of them censored, batches of 16; microseconds of CPU
per step of one thread, the least of all turns.
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
    """Microseconds per step and GFLOP/s by width, and the heading with the instructions."""
    output = subprocess.run([bench, "network", "--only", "step"], check=True, capture_output=True, text=True).stdout
    heading = output.splitlines()[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in output.splitlines() if re.match(r"\| \d", line)]
    return heading, {int(row[0]): (float(row[1]), float(row[2])) for row in rows}


def plain_c(d):
    import numpy
    from netc import Net

    random = numpy.random.default_rng(0)
    X, y, censored = random.random((POINTS, d)), random.normal(size=POINTS), random.random(POINTS) < 0.5
    epochs, least = 10, float("inf")
    for _ in range(40):
        begin = time.process_time()
        Net(X, y, censored, epochs, 1, 1)
        least = min(least, time.process_time() - begin)
    return 1e6 * least / (epochs * (POINTS // BATCH))


def pytorch(d):
    from bench_nn import run

    least, _, steps, _ = run(POINTS, d, BATCH, 3.0)
    return 1e6 * least / steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("measures")
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.measures)
    least, speeds, heading = {}, {}, ""
    for _ in range(arguments.turns):
        heading, found = own(arguments.bench)
        for d, (spent, speed) in found.items():
            least[d, "own"] = min(least.get((d, "own"), float("inf")), spent)
            speeds[d] = max(speeds.get(d, 0.0), speed)
        for d in WIDTHS:
            for name, peer in (("c", plain_c), ("torch", pytorch)):
                least[d, name] = min(least.get((d, name), float("inf")), peer(d))
    print(f"In the last turn: {heading}\n")
    print("| d | captune, us per step | GFLOP/s | plain C | times | PyTorch | times |")
    print("|---|---|---|---|---|---|---|")
    for d in WIDTHS:
        own_time, c, torch = (least[d, name] for name in ("own", "c", "torch"))
        print(f"| {d} | {own_time:.2f} | {speeds[d]:.1f} | {c:.1f} | {c / own_time:.2f} | {torch:.0f} | {torch / own_time:.0f} |")


if __name__ == "__main__":
    sys.exit(main())
