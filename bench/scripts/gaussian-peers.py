#!/usr/bin/env python3
"""Fits Gaussian processes and requests suggestions under a constraint, alternating between other programs and captune.

    python3 -m venv torch && torch/bin/pip install torch==2.8.0 botorch==0.18.1 gpytorch==1.15.2 optuna==5.0.0
    torch/bin/python bench/scripts/gaussian-peers.py target/dist/bench MEASURES [--only fit,suggest] [--turns 3]

MEASURES is the folder with the peers' programs; its `bench_gp.py` generates the data and BoTorch's models. Times are
CPU seconds of one thread, the minimum of all turns. The log likelihood is that of the unscaled data, without priors.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
warnings.filterwarnings("ignore")

FITS = [(d, n) for d in (2, 10) for n in (30, 100, 300, 1000)]
SUGGESTIONS = [(10, 50), (10, 200)]


def timed(call):
    begin = time.process_time()
    result = call()
    return time.process_time() - begin, result


def write(data, folder):
    X, F, C = data
    path = os.path.join(folder, "data.csv")
    with open(path, "w") as file:
        for x, f, c in zip(X.tolist(), F.tolist(), C.tolist()):
            file.write(",".join(repr(value) for value in x + f + c) + "\n")
    return path


def own(bench, part, path, repetitions):
    command = [bench, "gaussian", part, path, "--repetitions", str(repetitions)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [float(word) for word in output.split()]


def likelihood(model, F):
    """Returns ln p(F) under a fitted model, without priors, in the units of F."""
    import torch

    model.train()
    with torch.no_grad():
        prediction = model.likelihood(model(*model.train_inputs))
        value = prediction.log_prob(model.train_targets).item()
    return value - len(F) * math.log(F.std().item())


def fits(arguments, bench_gp):
    print("| d | n | captune, CPU s | log likelihood | BoTorch, CPU s | log likelihood | BoTorch / captune |")
    print("|---|---|---|---|---|---|---|")
    for d, n in FITS:
        data = bench_gp.data(n, d)
        with tempfile.TemporaryDirectory() as folder:
            path = write(data, folder)
            best, theirs = [math.inf, 0.0], [math.inf, 0.0]
            for _ in range(arguments.turns if n < 1000 else 1):
                seconds, value = own(arguments.bench, "fit", path, 3)
                best = min(best, [seconds, value])
                seconds, model = timed(lambda: bench_gp.gp(data[0], data[1]))
                theirs = min(theirs, [seconds, likelihood(model, data[1])])
        print(f"| {d} | {n} | {best[0]:.4f} | {best[1]:.2f} | {theirs[0]:.3f} | {theirs[1]:.2f} | {theirs[0] / best[0]:.0f} |", flush=True)


def botorch(bench_gp, data):
    import torch
    from botorch.acquisition.analytic import LogConstrainedExpectedImprovement
    from botorch.models import ModelListGP
    from botorch.optim import optimize_acqf

    X, F, C = data
    models = ModelListGP(bench_gp.gp(X, F), bench_gp.gp(X, C))
    bounds = torch.stack([torch.zeros(X.shape[1]), torch.ones(X.shape[1])]).double()
    acquisition = LogConstrainedExpectedImprovement(
        models, best_f=F[C <= 0].min(), objective_index=0, constraints={1: (None, 0.0)}, maximize=False
    )
    optimize_acqf(acquisition, bounds, q=1, num_restarts=10, raw_samples=512)


def optuna(data):
    import optuna as library

    library.logging.set_verbosity(library.logging.ERROR)
    X, F, C = data
    sampler = library.samplers.GPSampler(seed=0, constraints_func=lambda trial: (trial.user_attrs["c"],))
    study = library.create_study(sampler=sampler)
    space = {f"x{i}": library.distributions.FloatDistribution(0.0, 1.0) for i in range(X.shape[1])}
    for x, f, c in zip(X.tolist(), F.tolist(), C.tolist()):
        trial = library.trial.create_trial(
            params={f"x{i}": value for i, value in enumerate(x)},
            distributions=space,
            value=f[0],
            user_attrs={"c": c[0]},
            system_attrs={"constraints": (c[0],)},
        )
        study.add_trial(trial)
    seconds, trial = timed(lambda: study.ask(space))
    return seconds


def suggestions(arguments, bench_gp):
    print("| d | trials | captune, first, CPU s | later, mean | BoTorch | BoTorch / first | Optuna | Optuna / first |")
    print("|---|---|---|---|---|---|---|---|")
    for d, n in SUGGESTIONS:
        data = bench_gp.data(n, d)
        with tempfile.TemporaryDirectory() as folder:
            path = write(bench_gp.data(n + 10, d), folder)
            best, torch_time, optuna_time = [math.inf, math.inf], math.inf, math.inf
            for _ in range(arguments.turns):
                first, later = own(arguments.bench, "suggest", path, 10)
                best = [min(best[0], first), min(best[1], later)]
                torch_time = min(torch_time, timed(lambda: botorch(bench_gp, data))[0])
                optuna_time = min(optuna_time, optuna(data))
        print(
            f"| {d} | {n} | {best[0]:.4f} | {best[1]:.4f} | {torch_time:.2f} | {torch_time / best[0]:.0f} | "
            f"{optuna_time:.2f} | {optuna_time / best[0]:.0f} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("measures")
    parser.add_argument("--only", default="fit,suggest")
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.measures)
    import bench_gp

    for part in arguments.only.split(","):
        {"fit": fits, "suggest": suggestions}[part](arguments, bench_gp)
        print()


if __name__ == "__main__":
    sys.exit(main())
