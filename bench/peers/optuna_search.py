"""Optuna 5.0.0 with two samplers, TPE (the default) and the Gaussian process, run as its documentation recommends.

- One objective, the mean over the instances. `WilcoxonPruner` drops configurations that are worse than the best on the
  instances seen so far ("effective for optimizing the mean performance of a heuristic method on a set of problem
  instances"). Instances come in a new order each time, each value is reported with its instance, and the mean so far is
  returned when the pruner stops the configuration. Optuna has no caps: every trial may run to the cutoff.
- Parameters are suggested as the space's conditions require (define by run); the default configuration is enqueued first.
- Constraint: `trial.set_constraint` with the output minus its bound, averaged over the instances. A configuration without
  a finished trial has no such value; it gets the largest excess seen.
- Seeds, where they matter: a new one for each trial. The GP gets `deterministic_objective` only if there is a single
  deterministic instance, because means over some of the instances are noisy.
- The incumbent is `study.best_trial`. A pruned configuration cannot become the incumbent, because the pruner spares
  configurations whose mean is below the best. A configuration that the end of the budget interrupts does not count.

Workarounds, with the reasons:

- Optuna has no ordinal parameters, so the position in the order is suggested as an integer.
- Optuna has no forbidden clauses. A forbidden configuration is not run and costs no trial. It is reported as infeasible
  and as bad as the worst so far. Pruning it, as the FAQ advises, gives the GP no data, so the GP would suggest it
  forever. After a thousand forbidden configurations in a row, the search ends.
"""

import math
import random
import warnings

import optuna

from channel import BudgetOver
from scenario import ComparedCost
from space import Choices, Space

MOST_FORBIDDEN = 1000


def configure(scenario, channel, sampler):
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    search = Search(scenario, channel, Space.read(scenario.folder / "space.json"))
    study = optuna.create_study(
        sampler=make_sampler(scenario, sampler),
        pruner=optuna.pruners.WilcoxonPruner(),
    )
    study.enqueue_trial(search.suggestions(scenario.default))
    try:
        while search.forbidden < MOST_FORBIDDEN:
            study.optimize(search, n_trials=1)
            search.report_incumbent(study)
    except BudgetOver:
        pass


def make_sampler(scenario, sampler):
    if sampler == "tpe":
        return optuna.samplers.TPESampler(seed=scenario.seed)
    exact = scenario.deterministic and scenario.instances == 1
    return optuna.samplers.GPSampler(seed=scenario.seed, deterministic_objective=exact)


class Search:
    """The objective, and the configurations behind Optuna's suggestions."""

    def __init__(self, scenario, channel, space):
        self.scenario, self.channel, self.space = scenario, channel, space
        self.random = random.Random(scenario.seed)
        self.compared = ComparedCost(scenario)
        self.worst = -math.inf
        self.largest_excess = 1.0
        self.forbidden = 0

    def __call__(self, trial):
        configuration = self.configuration(trial)
        if self.space.is_forbidden(configuration):
            self.forbidden += 1
            return self.result(trial, self.worst, [])
        self.forbidden = 0
        trial.set_user_attr("configuration", configuration)
        costs, excesses = [], []
        for instance in self.random.sample(range(self.scenario.instances), self.scenario.instances):
            outcome = self.channel.run(instance, self.random.getrandbits(31), None, configuration)
            costs.append(self.compared.without_constraint(outcome))
            if outcome.status == "finished":
                excesses.append(self.compared.excess(outcome))
            trial.report(costs[-1], instance)
            if trial.should_prune():
                break
        return self.result(trial, sum(costs) / len(costs), excesses)

    def result(self, trial, cost, excesses):
        self.worst = max(self.worst, cost)
        self.largest_excess = max([self.largest_excess, *excesses])
        if self.scenario.constraint is not None:
            excess = sum(excesses) / len(excesses) if excesses else self.largest_excess
            trial.set_constraint(self.scenario.constraint.output, excess)
        return cost

    def configuration(self, trial):
        values = {}
        for own in self.space.in_order():
            if self.space.is_active(own.name, values):
                values[own.name] = suggest(trial, own)
        return values

    def suggestions(self, configuration):
        """Returns the values that Optuna must suggest for this configuration."""
        return {name: position(self.space.parameters[name], value) for name, value in configuration.items()}

    def report_incumbent(self, study):
        try:
            best = study.best_trial
        except ValueError:  # No configuration is feasible yet.
            return
        self.channel.incumbent(best.user_attrs["configuration"])


def suggest(trial, own):
    if isinstance(own, Choices):
        if own.ordinal:
            return own.values[trial.suggest_int(own.name, 0, len(own.values) - 1)]
        return trial.suggest_categorical(own.name, own.values)
    kind = trial.suggest_int if own.integer else trial.suggest_float
    return kind(own.name, own.lower, own.upper, log=own.log)


def position(own, value):
    return own.values.index(value) if isinstance(own, Choices) and own.ordinal else value
