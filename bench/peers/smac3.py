"""SMAC3 2.4.1, the current release, run as its documentation recommends.

- Several instances, or seeds that matter: `AlgorithmConfigurationFacade`, made for "instances and stochasticity". One
  deterministic instance: `HyperparameterOptimizationFacade` ("no instances"), which would use at most three seeds.
- With a cutoff: `adaptive_capping`, and a stopped trial returns its cap + 1 as in the documentation's example. SMAC3
  treats capped costs as observed ones: it no longer imputes them.
- Instances have features, which SMAC3 requests in a warning: the scenario's features or, if there are none, the
  instance number.
- The default configuration is in the initial design (for the first facade, it is the whole initial design).

Workarounds, with the reasons:

- `runtime_cutoff` bounds the sum of an incumbent's costs, not one trial, so the incumbent would get caps down to 0.
  Therefore, `runtime_cutoff` is set to the largest possible sum over all trials of a configuration, and the cutoff for
  a single trial is applied here.
- With several seeds per instance, the released code compares the incumbent's mean over the seeds with the challenger's
  sum ("not supported yet"), so caps shrink with every seed and become negative. `PairwiseCapping` compares the sums
  over the same pairs.
- A trial with a cap of 0 or less cannot be run; it is reported as stopped at once, as its cap implies. SMAC3 counts it as
  one of its trials.
- In a finite space, SMAC3 stops with an exception if it finds no new configuration in several attempts. Its incumbent at
  that time is its result.
- All trials of one list get the same cap, but the released code computes it for each of them. `CapsOnce` computes it
  once per list.
- The released code predicts with each tree on each instance in its own joblib task, which takes most of the time.
  `means_over_instances` predicts once per tree in one thread, and adds up the same numbers in the same order.
"""

import logging
import math
import warnings

import numpy
from ConfigSpace import ConfigurationSpace
from smac import AlgorithmConfigurationFacade, Callback, HyperparameterOptimizationFacade
from smac import Scenario as SmacScenario
from smac.intensifier.intensifier import Intensifier
from smac.main.exceptions import ConfigurationSpaceExhaustedException
from smac.model.random_forest.random_forest import EPMRandomForest

from channel import BudgetOver
from scenario import ComparedCost


class CapsOnce(Intensifier):
    """Computes the cap of all trials of one list once."""

    def _get_next_trials(self, *arguments, **options):
        self.known_cap = None
        return super()._get_next_trials(*arguments, **options)

    def _get_adaptivecapping_budget(self, challenger, on_keys):
        if self.known_cap is None:
            self.known_cap = self.cap(challenger, on_keys)
        return self.known_cap

    def cap(self, challenger, on_keys):
        return super()._get_adaptivecapping_budget(challenger, on_keys)


class PairwiseCapping(CapsOnce):
    """Caps a challenger at the rest of the incumbent's cost on the pairs that the challenger has run or will run next."""

    def cap(self, challenger, on_keys):
        incumbent = self.get_incumbent()
        if incumbent is None or incumbent == challenger:
            return super().cap(challenger, on_keys)
        done = self.runhistory.get_instance_seed_budget_keys(challenger)
        pairs = {(key.instance, key.seed) for key in [*on_keys, *done]}
        known = self.runhistory.get_instance_seed_budget_keys(incumbent)
        shared = [key for key in known if (key.instance, key.seed) in pairs]
        return self.runhistory.sum_cost(incumbent, shared) - self.runhistory.sum_cost(challenger, done)


class ReportsIncumbents(Callback):
    def __init__(self, channel):
        self.channel = channel

    def on_tell_end(self, smbo, info, value):
        self.channel.incumbent(dict(smbo.intensifier.get_incumbent()))


def configure(scenario, channel):
    warnings.simplefilter("ignore")
    EPMRandomForest.fit = fits_in_one_thread(EPMRandomForest.fit)
    EPMRandomForest.predict_marginalized_over_instances_batch = means_over_instances
    compared = ComparedCost(scenario)
    space = ConfigurationSpace.from_json(scenario.folder / "space.json")
    space.seed(scenario.seed)

    def trial(config, instance, seed, cap):
        if cap is not None and cap <= 0:
            return 1.0
        outcome = channel.run(instance, seed, cap, dict(config))
        return outcome.cost + 1 if outcome.status == "stopped" else compared(outcome)

    # SMAC3 passes these arguments by name, and only those that the function declares.
    def uncapped(config, instance, seed=0):
        return trial(config, instance, seed, None)

    def capped(config, instance, seed=0, cutoff=None):
        return trial(config, instance, seed, cutoff if cutoff < scenario.cutoff else None)

    names = [str(instance) for instance in range(scenario.instances)]
    settings = SmacScenario(
        space,
        deterministic=scenario.deterministic,
        n_trials=scenario.trials,
        instances=names,
        instance_features=dict(zip(names, scenario.instance_features())),
        seed=scenario.seed,
        output_directory=scenario.work,
        **capping(scenario),
    )
    single = scenario.instances == 1 and scenario.deterministic
    facade = HyperparameterOptimizationFacade if single else AlgorithmConfigurationFacade
    parts = {}
    if single:
        default = space.get_default_configuration()
        parts["initial_design"] = facade.get_initial_design(settings, additional_configs=[default])
    if scenario.cutoff is not None:
        usual = facade.get_intensifier(settings)
        capped_races = CapsOnce if scenario.deterministic else PairwiseCapping
        parts["intensifier"] = capped_races(settings, usual._max_config_calls, usual._max_incumbents)
    optimizer = facade(
        settings,
        uncapped if scenario.cutoff is None else capped,
        callbacks=[ReportsIncumbents(channel)],
        logging_level=logging.WARNING,
        overwrite=True,
        **parts,
    )
    try:
        optimizer.optimize()
    except (BudgetOver, ConfigurationSpaceExhaustedException):
        pass
    channel.incumbent(dict(optimizer.intensifier.get_incumbent()))


def capping(scenario):
    if scenario.cutoff is None:
        return {}
    pairs = scenario.instances if scenario.deterministic else scenario.trials
    return {"adaptive_capping": True, "runtime_cutoff": math.ceil(pairs * scenario.par * scenario.cutoff)}


def fits_in_one_thread(released):
    def fit(forest, X, y, sample_weight=None):
        forest.n_jobs = 1
        released(forest, X, y, sample_weight)

    return fit


def means_over_instances(forest, X, X_feat, log_y):
    """One row per configuration, one column per tree."""
    X, features = (forest._validate_X_predict(it, ensure_2d=False) for it in (X, X_feat))
    pairs = numpy.hstack([numpy.tile(X, (len(features), 1)), numpy.repeat(features, len(X), axis=0)])
    means = numpy.zeros((len(X), len(forest.estimators_)))
    for tree, estimator in enumerate(forest.estimators_):
        for prediction in estimator.predict(pairs, check_input=False).reshape(len(features), len(X)):
            means[:, tree] += prediction / len(features)
    return means
