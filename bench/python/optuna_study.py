"""Compares captune's sampler with Optuna's TPESampler and GPSampler.

`python optuna_study.py FILE SEEDS [NAME …]` runs the studies of all functions with all samplers, or only of those named:
`python optuna_study.py studies.csv 10 gp vessel kernel`. Each study has 200 trials. The file gets one line per study:
function, sampler, seed, the best feasible cost after 50, 100 and 200 trials, and the CPU time that the sampler used.
Studies that the file already has are skipped, so an interrupted comparison continues.
"""

import sys
import time
import warnings

import optuna
from functions import FUNCTIONS, measured

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


def captune(seed):
    # The peers run without captune installed.
    from captune.optuna import Sampler

    return Sampler(seed=seed)


SAMPLERS = {
    "captune": captune,
    "tpe": lambda seed: optuna.samplers.TPESampler(seed=seed),
    "gp": lambda seed: optuna.samplers.GPSampler(seed=seed, deterministic_objective=True),
}


def main():
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    path, seeds, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    functions = {function.__name__: function for function in FUNCTIONS}
    unknown = [name for name in names if name not in functions and name not in SAMPLERS]
    if unknown:
        sys.exit(f"unknown: {', '.join(unknown)}; expected {', '.join([*SAMPLERS, *functions])}")
    samplers = [name for name in SAMPLERS if name in names] or list(SAMPLERS)
    chosen = [name for name in functions if name in names] or list(functions)
    with open(path, "a", buffering=1) as file:
        for seed in range(seeds):
            for function in chosen:
                for sampler in samplers:
                    if (function, sampler, str(seed)) in measured(path):
                        continue
                    found, seconds = run(functions[function], SAMPLERS[sampler](seed))
                    best = [min(found[:count]) for count in (50, 100, TRIALS)]
                    costs = ",".join(f"{cost:.8g}" for cost in best)
                    file.write(f"{function},{sampler},{seed},{costs},{seconds:.1f}\n")


main()
