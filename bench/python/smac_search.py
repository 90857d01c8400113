"""Compares captune.minimize with SMAC3 through its own API: `python smac_search.py captune|smac3 FILE SEEDS [FUNCTION …]`.

Each search has 200 trials of a function without constraints. The file gets one line per search: function, program, seed,
the best cost after 50, 100 and 200 trials, and two CPU times: that of the calling process, and that of all processes. SMAC3
calls the function in its own process, where it takes less than a millisecond. Searches that the file already has are skipped. SMAC3 reads the spaces that captune
writes next to the file, so captune runs first.
"""

import os
import sys
import tempfile

import functions

TRIALS = 200
CHOSEN = ["hartmann", "kernel", "layers"]

SPACES = {
    "hartmann": {f"x{i}": {"float": [0.0, 1.0]} for i in range(6)},
    "kernel": {
        "kernel": {"choices": ["linear", "poly", "rbf", "sigmoid"]},
        "c": {"float": [1e-3, 1e3], "log": True},
        "degree": {"integer": [2, 6], "when": "kernel == 'poly'"},
        "coef": {"float": [-1.0, 1.0], "when": "kernel == 'poly'"},
        "gamma": {"float": [1e-5, 10.0], "log": True, "when": "kernel in {'rbf', 'sigmoid'}"},
        "scale": {"choices": ["yes", "no"]},
        "clip": {"float": [0.5, 1.0], "when": "scale == 'yes'"},
    },
    "layers": {
        "layers": {"integer": [1, 4]},
        "width0": {"integer": [8, 512], "log": True},
        "width1": {"integer": [8, 512], "log": True, "when": "layers >= 2"},
        "width2": {"integer": [8, 512], "log": True, "when": "layers >= 3"},
        "width3": {"integer": [8, 512], "log": True, "when": "layers >= 4"},
        "optimizer": {"choices": ["sgd", "adam"]},
        "momentum": {"float": [0.0, 0.99], "when": "optimizer == 'sgd'"},
        "beta": {"float": [0.5, 0.999], "when": "optimizer == 'adam'"},
        "rate": {"float": [1e-5, 1.0], "log": True},
    },
}


class Fixed:
    """A trial with Optuna's methods and given values."""

    def __init__(self, values):
        self.values = values

    def suggest_float(self, name, low, high, log=False):
        return float(self.values[name])

    def suggest_int(self, name, low, high, log=False):
        return int(self.values[name])

    def suggest_categorical(self, name, choices):
        value = self.values[name]
        return value == "yes" if name == "scale" else value


def hartmann(configuration, seed=0):
    return functions.hartmann(Fixed(configuration))[0]


def kernel(configuration, seed=0):
    return functions.kernel(Fixed(configuration))[0]


def layers(configuration, seed=0):
    return functions.layers(Fixed(configuration))[0]


def cpu():
    """Returns the CPU times of this process, and of this process with its children."""
    times = os.times()
    own = times.user + times.system
    return own, own + times.children_user + times.children_system


def since(before):
    return [now - then for now, then in zip(cpu(), before)]


def with_captune(name, seed):
    import captune

    before = cpu()
    result = captune.minimize(
        globals()[name], SPACES[name], budget=TRIALS, seed=seed + 1, deterministic=True, progress=False
    )
    costs = [trial.cost for trial in result.trials]
    return costs, *since(before)


def with_smac3(name, seed, spaces):
    from ConfigSpace import ConfigurationSpace
    from smac import HyperparameterOptimizationFacade, Scenario

    costs = []

    def target(configuration, seed=0):
        costs.append(globals()[name](dict(configuration)))
        return costs[-1]

    space = ConfigurationSpace.from_json(os.path.join(spaces, f"{name}.json"))
    space.seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(space, n_trials=TRIALS, deterministic=True, seed=seed, output_directory=folder)
        before = cpu()
        HyperparameterOptimizationFacade(scenario, target, overwrite=True, logging_level=50).optimize()
    return costs, *since(before)


def main():
    program, path, seeds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    spaces = os.path.splitext(path)[0] + "-spaces"
    if program == "captune":
        import captune

        os.makedirs(spaces, exist_ok=True)
        for name in CHOSEN:
            with open(os.path.join(spaces, f"{name}.json"), "w") as file:
                file.write(captune.Space(SPACES[name]).to_text("configspace-json"))
    with open(path, "a", buffering=1) as file:
        for seed in range(seeds):
            for name in sys.argv[4:] or CHOSEN:
                if (name, program, str(seed)) in functions.measured(path):
                    continue
                run = with_captune(name, seed) if program == "captune" else with_smac3(name, seed, spaces)
                costs, own, whole = run
                best = ",".join(f"{min(costs[:count]):.8g}" for count in (50, 100, TRIALS))
                file.write(f"{name},{program},{seed},{best},{own:.2f},{whole:.2f}\n")


if __name__ == "__main__":
    main()
