#!/usr/bin/env python3
"""Times SMAC3's proposals after a history of random trials, as `bench propose` times captune's.

    python3 -m venv main && main/bin/pip install smac==2.4.1
    main/bin/python bench/scripts/propose-peers.py PARAMETERS TRIALS

The target is a quadratic bowl over parameters between 0 and 1. Times are CPU seconds for nine calls to `ask`: the first
call also reads the history, and every eighth call retrains the model.
"""

import logging
import sys
import tempfile
import time

from ConfigSpace import ConfigurationSpace, Float
from smac import AlgorithmConfigurationFacade, Scenario
from smac.runhistory.dataclasses import TrialInfo, TrialValue

PROPOSALS = 9


def cost(configuration):
    return 1.0 + sum((value - 0.3) ** 2 for value in configuration.values())


def main():
    parameters, trials = (int(word) for word in sys.argv[1:3])
    space = ConfigurationSpace(seed=1)
    space.add([Float(f"x{number}", (0.0, 1.0)) for number in range(parameters)])
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(space, deterministic=True, n_trials=10**6, output_directory=folder)
        design = AlgorithmConfigurationFacade.get_initial_design(scenario)
        smac = AlgorithmConfigurationFacade(
            scenario, lambda _, seed=0: 0.0, initial_design=design, logging_level=logging.ERROR, overwrite=True
        )
        for configuration in space.sample_configuration(trials):
            smac.tell(TrialInfo(configuration, seed=0), TrialValue(cost=cost(configuration)), save=False)
        times = []
        for _ in range(PROPOSALS):
            begin = time.process_time()
            trial = smac.ask()
            times.append(time.process_time() - begin)
            smac.tell(trial, TrialValue(cost=cost(trial.config)), save=False)
    print(" ".join(f"{seconds:.3f}" for seconds in times))
    print(f"mean {sum(times) / len(times):.3f} s, worst {max(times):.3f} s")


main()
