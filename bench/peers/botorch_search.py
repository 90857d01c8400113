"""BoTorch 0.18.1: Gaussian processes and constrained expected improvement, put together from its parts as its tutorial on
constrained optimisation does.

- Two models (`SingleTaskGP`, Matern 5/2 with a length scale per parameter, outputs standardised): the logarithm of the
  cost, and the constrained output minus its bound. Hyperparameters by maximum likelihood. The models learn the noise. If
  BoTorch gives up a fit, which used to stop some searches, the proposal uses BoTorch's initial hyperparameters.
- `LogConstrainedExpectedImprovement` against the best feasible cost; while nothing is feasible,
  `LogProbabilityOfFeasibility`. Both are maximised from four starts.
- Parameters are encoded in [0, 1] on their scales. A whole number is the nearest one to the maximiser.
- The first five evaluations are the default and four points of a Sobol sequence.
- The incumbent is the cheapest configuration that was feasible when it was evaluated.

Only numbers without conditions, one instance and one constraint are supported, and every trial must finish: the adapter
stops with an error otherwise. BoTorch has no ready-made search for anything else.
"""

import math
import random
import warnings

import torch
from botorch.acquisition.analytic import LogConstrainedExpectedImprovement, LogProbabilityOfFeasibility
from botorch.exceptions import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import draw_sobol_samples
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.mlls import SumMarginalLogLikelihood

from channel import BudgetOver
from space import Numbers, Space

INITIAL = 5


def configure(scenario, channel):
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(scenario.seed)
    search = Search(scenario, channel, Space.read(scenario.folder / "space.json"))
    try:
        search.run()
    except BudgetOver:
        pass


class Search:
    """The evaluations so far, and the models of them."""

    def __init__(self, scenario, channel, space):
        self.scenario, self.channel = scenario, channel
        self.parameters = list(space.parameters.values())
        if space.conditions or space.forbidden or not all(isinstance(own, Numbers) for own in self.parameters):
            raise ValueError("the adapter of BoTorch supports only numbers without conditions")
        if scenario.instances != 1 or scenario.constraint is None:
            raise ValueError("the adapter of BoTorch supports only one instance with a constraint")
        self.random = random.Random(scenario.seed)
        self.bounds = torch.tensor([[0.0] * len(self.parameters), [1.0] * len(self.parameters)], dtype=torch.double)
        self.rows, self.costs, self.excesses = [], [], []
        self.best = math.inf

    def run(self):
        self.evaluate(self.scenario.default)
        sobol = draw_sobol_samples(self.bounds, INITIAL - 1, 1, seed=self.scenario.seed).squeeze(1)
        for row in sobol.tolist():
            self.evaluate(self.decode(row))
        while True:
            self.evaluate(self.decode(self.suggest()))

    def evaluate(self, configuration):
        outcome = self.channel.run(0, self.random.getrandbits(31), None, configuration)
        if outcome.status != "finished":
            raise ValueError("the adapter of BoTorch needs trials that finish")
        excess = outcome.outputs[self.scenario.constraint.output] - self.scenario.constraint.most
        self.rows.append(self.encode(configuration))
        self.costs.append(math.log(outcome.cost))
        self.excesses.append(excess)
        if excess <= 0 and outcome.cost < self.best:
            self.best = outcome.cost
            self.channel.incumbent(configuration)

    def suggest(self):
        rows = torch.tensor(self.rows, dtype=torch.double)
        models = self.models(rows)
        try:
            fit_gpytorch_mll(
                SumMarginalLogLikelihood(models.likelihood, models), optimizer_kwargs={"options": {"maxiter": 60}}
            )
        except ModelFittingError:
            models = self.models(rows)
        bounded = {1: (None, 0.0)}
        feasible = [cost for cost, excess in zip(self.costs, self.excesses) if excess <= 0]
        if feasible:
            utility = LogConstrainedExpectedImprovement(
                models, best_f=min(feasible), objective_index=0, constraints=bounded, maximize=False
            )
        else:
            utility = LogProbabilityOfFeasibility(models, constraints=bounded)
        found, _ = optimize_acqf(utility, self.bounds, q=1, num_restarts=4, raw_samples=256)
        return found[0].tolist()

    def models(self, rows):
        return ModelListGP(*(self.model(rows, values) for values in (self.costs, self.excesses)))

    def model(self, rows, values):
        kernel = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=rows.shape[1]))
        outputs = torch.tensor(values, dtype=torch.double)[:, None]
        return SingleTaskGP(rows, outputs, covar_module=kernel, outcome_transform=Standardize(1))

    def encode(self, configuration):
        return [position(own, configuration[own.name]) for own in self.parameters]

    def decode(self, row):
        return {own.name: value(own, at) for own, at in zip(self.parameters, row)}


def position(own, number):
    scale = math.log if own.log else float
    return (scale(number) - scale(own.lower)) / (scale(own.upper) - scale(own.lower))


def value(own, at):
    if own.log:
        number = math.exp(math.log(own.lower) + at * (math.log(own.upper) - math.log(own.lower)))
    else:
        number = own.lower + at * (own.upper - own.lower)
    number = round(number) if own.integer else number
    return min(max(number, own.lower), own.upper)
