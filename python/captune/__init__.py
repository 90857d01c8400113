"""captune finds the fastest settings of functions and programs.

It kills slow trials early and learns from the killed ones.

| name | purpose |
|---|---|
| :func:`minimize` | finds the best arguments of a Python function, called in child processes with limits |
| :class:`Optimizer` | the same search for trials that you run yourself |
| :class:`Space`, :class:`Bound` | what may be tried, and what must hold |
| :func:`trial` | the current trial, inside a function |
| :func:`run`, :func:`open` | campaigns of the program ``captune`` and their results |
| :mod:`captune.surrogate` | models that learn from censored costs |
| :mod:`captune.optuna` | a sampler for Optuna |
"""

from captune._bound import Bound
from captune._campaign import Campaign, CampaignError, open, run
from captune._captune import Space
from captune._minimize import CaptuneWarning, Result, TargetFailed, minimize
from captune._optimizer import Best, Exhausted, Optimizer, Trial
from captune._table import Table
from captune._trial import Running, trial

__all__ = [
    "Best",
    "Bound",
    "Campaign",
    "CampaignError",
    "CaptuneWarning",
    "Exhausted",
    "Optimizer",
    "Result",
    "Running",
    "Space",
    "Table",
    "TargetFailed",
    "Trial",
    "minimize",
    "open",
    "run",
    "trial",
]
