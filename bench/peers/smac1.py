"""SMAC 1.4.0, the last release to minimise run times and impute censored costs, run as its documentation recommends.

- With a cutoff: the facade `SMAC4AC` (its table of facades: instances "yes", objective "any") with `run_obj=runtime`,
  PAR10, adaptive capping and imputation.
- Without a cutoff: `run_obj=quality`; `SMAC4AC`, or `SMAC4HPO` for one deterministic instance ("None or CV").
- Instances have features: the scenario's features or, if there are none, the instance number.
- The default configuration is tried first; `SMAC4HPO` would not try it at all.

Workarounds, with the reasons:

- Caps are rounded up to whole seconds, so costs are scaled to make the cutoff at least 1 000 000.
- A challenger that is capped after its race was continued is raced again, even on the pair where it was capped. This can
  consume most of the budget, so `process_results` now drops the challenger.
- In runtime scenarios the model drops crashes, so they are reported as timeouts. So are trials that break the
  constraint.
- The number of challengers per model depends on time: as many as fit in the time that the model took. The benchmark
  answers at once where a real target would take long, so without a cutoff a trial is reported to have taken an hour. With
  a cutoff SMAC reads the time from the costs.
- The model rejects ordinal parameters that can be inactive, so it gets a value for inactive ones, as it does for
  inactive categorical parameters.
- The model's predictions take 90 % of the time, in a Python loop over configurations, instances and leaves. The forest's
  library computes the same means in one call, equal to rounding, 13 times as fast.
- With ConfigSpace 1.2, which SMAC 1.4.0 installs, a method was renamed, the log of changed incumbents fails on inactive
  parameters, forbidden clauses cannot be checked on numpy 1.23 arrays, and neither nested conditions nor numpy values
  can be saved. So nothing is saved.
"""

import logging
import operator
import warnings

import numpy
from ConfigSpace import Configuration, ConfigurationSpace, OrdinalHyperparameter, forbidden
from smac.callbacks import IncorporateRunResultCallback
from smac.epm.random_forest import BaseModel
from smac.epm.random_forest.rf_with_instances import RandomForestWithInstances
from smac.facade.smac_ac_facade import SMAC4AC
from smac.facade.smac_hpo_facade import SMAC4HPO
from smac.initial_design.sobol_design import SobolDesign
from smac.intensification.abstract_racer import AbstractRacer
from smac.intensification.intensification import Intensifier
from smac.runhistory.runhistory import RunHistory
from smac.scenario.scenario import Scenario as SmacScenario
from smac.tae import StatusType
from smac.tae.serial_runner import SerialRunner

from channel import BudgetOver
from scenario import ComparedCost

REPORTED_SECONDS = 3600.0


class DropsCappedChallengers(Intensifier):
    def process_results(self, run_info, incumbent, run_history, time_bound, result, log_traj=True):
        outcome = super().process_results(run_info, incumbent, run_history, time_bound, result, log_traj)
        if result.status == StatusType.CAPPED:
            self.to_run, self.continue_challenger = [], False
        return outcome


class SobolAfterDefault(SobolDesign):
    def _select_configurations(self):
        return [self.cs.get_default_configuration(), *super()._select_configurations()]


class ReportsIncumbents(IncorporateRunResultCallback):
    def __init__(self, channel):
        self.channel = channel

    def __call__(self, smbo, run_info, result, time_left):
        self.channel.incumbent(dict(smbo.incumbent))


def configure(scenario, channel):
    warnings.simplefilter("ignore")
    patch()
    space = ConfigurationSpace.from_json(scenario.folder / "space.json")
    space.seed(scenario.seed)
    names = [str(instance) for instance in range(scenario.instances)]
    settings = {
        "cs": space,
        "deterministic": scenario.deterministic,
        "runcount-limit": scenario.trials,
        "instances": [[name] for name in names],
        "feature_dict": {name: numpy.array(values) for name, values in zip(names, scenario.instance_features())},
        "output_dir": None,
        "limit_resources": False,
    }
    facade, parts = SMAC4AC, {}
    if scenario.cutoff is None:
        settings |= {"run_obj": "quality"}
        runner = quality_runner(scenario, channel)
        if scenario.instances == 1 and scenario.deterministic:
            facade, parts = SMAC4HPO, {"initial_design": SobolAfterDefault}
    else:
        settings |= {"run_obj": "runtime", "overall_obj": f"par{scenario.par:.0f}", "cutoff": scenario.whole_cutoff()}
        runner = runtime_runner(scenario, channel)
    optimizer = facade(
        scenario=SmacScenario(settings),
        rng=numpy.random.RandomState(scenario.seed),
        tae_runner=runner,
        intensifier=DropsCappedChallengers,
        **parts,
    )
    optimizer.register_callback(ReportsIncumbents(channel))
    logging.getLogger().setLevel(logging.WARNING)
    try:
        optimizer.optimize()
    except BudgetOver:
        pass
    channel.incumbent(dict(optimizer.solver.incumbent))


def runtime_runner(scenario, channel):
    compared = ComparedCost(scenario)
    limit, scale = scenario.whole_cutoff(), scenario.scale()

    class Runner(SerialRunner):
        def run(self, config, instance=None, cutoff=None, seed=0, budget=None, instance_specific="0"):
            outcome = channel.run(instance, seed, cutoff / scale if cutoff < limit else None, dict(config))
            if outcome.status == "finished" and compared(outcome) == outcome.cost:
                # SMAC takes the logarithm of the cost.
                cost = max(outcome.cost * scale, 1e-3)
                return StatusType.SUCCESS, cost, cost, {}
            return StatusType.TIMEOUT, cutoff, cutoff, {}

    return Runner


def quality_runner(scenario, channel):
    compared = ComparedCost(scenario)

    class Runner(SerialRunner):
        def run(self, config, instance=None, cutoff=None, seed=0, budget=None, instance_specific="0"):
            return StatusType.SUCCESS, compared(channel.run(instance, seed, None, dict(config))), REPORTED_SECONDS, {}

    return Runner


def patch():
    AbstractRacer._log_incumbent_changes = lambda self, incumbent, challenger: None
    RunHistory._check_json_serializable = lambda self, *what: None
    Configuration.is_valid_configuration = Configuration.check_valid_configuration
    BaseModel._impute_inactive = imputes_ordinal_parameters(BaseModel._impute_inactive)
    RandomForestWithInstances.predict_marginalized_over_instances = predicts_in_one_call(
        RandomForestWithInstances.predict_marginalized_over_instances
    )
    comparisons = {
        forbidden.ForbiddenEqualsClause: operator.eq,
        forbidden.ForbiddenLessThanClause: operator.lt,
        forbidden.ForbiddenGreaterThanClause: operator.gt,
    }
    for clause, compare in comparisons.items():
        clause.is_forbidden_vector_array = (
            lambda self, vectors, compare=compare: compare(vectors[self.vector_id], self.vector_value)
        )


def imputes_ordinal_parameters(released):
    def impute(self, X):
        for index, parameter in enumerate(self.configspace.values()):
            if isinstance(parameter, OrdinalHyperparameter) and self.configspace.parents_of[parameter.name]:
                self.conditional[index], self.impute_values[index] = True, len(parameter.sequence)
        return released(self, X)

    return impute


def predicts_in_one_call(released):
    def predict(self, X):
        if self.instance_features is None or len(self.instance_features) == 0:
            return released(self, X)
        by_tree = numpy.array(
            self.rf.predict_marginalized_over_instances_batch(
                self._impute_inactive(X), self.instance_features, self.log_y
            )
        )
        mean, variance = by_tree.mean(axis=1), by_tree.var(axis=1)
        return mean.reshape(-1, 1), numpy.maximum(variance, self.var_threshold).reshape(-1, 1)

    return predict
