"""Compares captune's sampler with Optuna's TPESampler and GPSampler: `python optuna_study.py FILE SEEDS [SAMPLER …]`.

Each study has 200 trials. The file gets one line per study: function, sampler, seed, the best feasible cost after 50, 100
and 200 trials, and the CPU time that the sampler used.
"""

import sys
import time
import warnings

import optuna
from functions import FUNCTIONS

from captune.optuna import Sampler

TRIALS = 200


def run(function, sampler):
    def objective(trial):
        cost, constraints = function(trial)
        for number, value in enumerate(constraints):
            trial.set_constraint(f"c{number}", value)
        feasible = all(value <= 0 for value in constraints)
        found.append(cost if feasible else float("inf"))
        return cost

    found = []
    study = optuna.create_study(sampler=sampler)
    before = time.process_time()
    study.optimize(objective, n_trials=TRIALS)
    return found, time.process_time() - before


def main():
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    path, seeds = sys.argv[1], int(sys.argv[2])
    samplers = {
        "captune": lambda seed: Sampler(seed=seed),
        "tpe": lambda seed: optuna.samplers.TPESampler(seed=seed),
        "gp": lambda seed: optuna.samplers.GPSampler(seed=seed, deterministic_objective=True),
    }
    chosen = sys.argv[3:] or list(samplers)
    with open(path, "a", buffering=1) as file:
        for seed in range(seeds):
            for function in FUNCTIONS:
                for name in chosen:
                    found, seconds = run(function, samplers[name](seed))
                    best = [min(found[:count]) for count in (50, 100, TRIALS)]
                    costs = ",".join(f"{cost:.8g}" for cost in best)
                    file.write(f"{function.__name__},{name},{seed},{costs},{seconds:.1f}\n")


main()
