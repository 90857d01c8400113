"""Runs another configurator on a scenario:  adapter.py CONFIGURATOR FOLDER

FOLDER holds `scenario.json`, `space.json` and an empty folder `work`. The adapter requests trials on standard output and
reads the answers on standard input (`channel.py`). Run it with the Python of the configurator's environment (`setup`).
"""

import importlib
import os
import sys

from channel import Channel
from scenario import Scenario

# The module for each configurator and, if the module has several variants, the variant.
CONFIGURATORS = {
    "smac3": ("smac3", ()),
    "smac1": ("smac1", ()),
    "irace": ("irace", ()),
    "crace": ("crace_race", ()),
    "optuna-tpe": ("optuna_search", ("tpe",)),
    "optuna-gp": ("optuna_search", ("gp",)),
    "botorch": ("botorch_search", ()),
}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in CONFIGURATORS:
        sys.exit(f"usage: adapter.py {'|'.join(CONFIGURATORS)} FOLDER")
    # The benchmark compares CPU times, so each peer gets one thread. numpy and torch read these variables when loaded.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    scenario = Scenario.read(sys.argv[2])
    channel = Channel()
    module, variant = CONFIGURATORS[sys.argv[1]]
    importlib.import_module(module).configure(scenario, channel, *variant)
    channel.close()


if __name__ == "__main__":
    main()
