"""The optimizer: asks for trials and learns from their results, while the caller runs them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self, overload

from captune import _settings
from captune._bound import Bound
from captune._captune import Space, Tuner
from captune._types import Request, Told, Value
from captune.surrogate import Surrogate

Status = Literal["finished", "censored", "crashed", "memory", "wrong", "lost"]
Search = Literal["auto", "forest", "gaussian", "neural", "local", "random"]


class Exhausted(Exception):
    """Every configuration of the space has been tried."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A configuration to try on an instance with a seed. ``trial["x"]`` is the value of the parameter x."""

    id: int
    configuration: dict[str, Value]
    instance: int
    """Number of the instance, from 0."""
    seed: int
    cap: float
    """Cost at which the trial may be stopped; infinite if costs do not grow while a trial runs."""
    origin: str
    """Where the configuration comes from, such as ``default``, ``design``, ``forest`` or ``random``."""
    configuration_id: int = field(repr=False)

    def __getitem__(self, name: str) -> Value:
        return self.configuration[name]


@dataclass(frozen=True, slots=True)
class Best:
    """The best configuration so far, and its results."""

    configuration: dict[str, Value]
    cost: float | None
    """Mean cost; None if no cost is known."""
    interval: tuple[float, float] | None
    """95 % confidence interval of the mean cost."""
    pairs: int
    """Number of instances and seeds on which the cost is known."""
    feasible: bool
    """Whether all bounds hold, as far as measured."""
    outputs: dict[str, float | None]

    def __getitem__(self, name: str) -> Value:
        return self.configuration[name]


def read_trial(request: Request) -> Trial:
    """Returns the trial that the compiled part requests."""
    number, config, values, instance, seed, cap, origin = request
    return Trial(number, values, instance, seed, cap, origin, config)


def read_best(standing: Mapping[str, Any]) -> Best:
    """Returns the standing that the compiled part reports."""
    names = ("configuration", "cost", "interval", "pairs", "feasible", "outputs")
    return Best(*(standing[name] for name in names))


class Optimizer:
    """Finds the configuration with the lowest cost. The caller runs the trials.

    >>> optimizer = Optimizer({"x": (-5.0, 5.0)}, seed=3)
    >>> for _ in range(30):
    ...     trial = optimizer.ask()
    ...     optimizer.tell(trial, (trial["x"] - 1) ** 2)
    >>> optimizer.best().cost < 0.01
    True

    Parameters
    ----------
    space
        A :class:`Space` or its definition.
    maximise
        Whether high costs are better.
    cutoff
        Largest cost of any trial. With a cutoff, costs are amounts that grow while a trial runs, such as seconds, and
        each trial has a cap at which it may be stopped.
    constraints
        Bounds on outputs, by name.
    instances
        Number of instances; each trial runs on one of them.
    features
        One row of numbers for each instance, from which models generalise.
    deterministic
        Whether a configuration costs the same each time. If not, it is tried with several seeds.
    search
        What proposes configurations: ``auto`` (a model that suits the space), ``gaussian``, ``forest``, ``neural``,
        ``local``, ``random``, or an object with ``fit(X, y, censored)`` and ``predict(X)``.
    initial
        Configurations that race before all others.
    baseline
        The configuration that the search starts from and that relative bounds refer to; the default unless given.
    trials
        Number of trials that are planned. In the last tenth, the best configurations that lost race again.
    """

    def __init__(
        self,
        space: Space | Mapping[str, Any],
        *,
        maximise: bool = False,
        cutoff: float | None = None,
        par: float | None = None,
        grain: float | None = None,
        constraints: Mapping[str, Bound] | None = None,
        instances: int = 1,
        features: Sequence[Sequence[float]] | None = None,
        seed: int = 1,
        deterministic: bool = True,
        search: Search | Surrogate = "auto",
        initial: Sequence[Mapping[str, Any]] = (),
        baseline: Mapping[str, Any] | None = None,
        trials: int | None = None,
    ) -> None:
        self._space = space if isinstance(space, Space) else Space(space)
        self._settings = _settings.stored(
            maximise=maximise,
            cutoff=cutoff,
            par=par,
            grain=grain,
            constraints=constraints,
            instances=instances,
            features=features,
            seed=seed,
            deterministic=deterministic,
            search=search,
            initial=initial,
            baseline=baseline,
            trials=trials,
        )
        self._surrogate = None if isinstance(search, str) else search
        self._build(None)

    def _build(self, state: bytes | None, *, repeatable: bool = True) -> None:
        self._tuner = Tuner(
            self._space, surrogate=self._surrogate, repeatable=repeatable, state=state, **self._settings
        )

    @property
    def space(self) -> Space:
        """The space."""
        return self._space

    @overload
    def ask(self) -> Trial: ...
    @overload
    def ask(self, n: int) -> list[Trial]: ...

    def ask(self, n: int | None = None) -> Trial | list[Trial]:
        """Returns the next trial; with ``n``, a list of up to ``n`` trials to run at the same time.

        The list is shorter where the next decision needs results first, and empty if all results are pending. Raises
        :class:`Exhausted` if every configuration has been tried.
        """
        wanted = 1 if n is None else n
        found: list[Trial] = []
        while len(found) < wanted:
            order = self._tuner.ask(wanted - len(found))
            if order[0] == "run":
                found.append(read_trial(order[1]))
            elif order[0] == "done":
                if not found:
                    raise Exhausted("every configuration of the space has been tried")
                break
            elif order[0] == "wait":
                break
        if n is not None:
            return found
        if not found:
            raise RuntimeError("the next trial depends on trials that are running; tell their results first")
        return found[0]

    def tell(
        self,
        trial: Trial | int,
        cost: float | None = None,
        *,
        censored: bool = False,
        constraints: Mapping[str, float] | None = None,
        status: Status | None = None,
        spent: float | None = None,
    ) -> None:
        """Records the result of a trial.

        ``cost`` is its cost, or a lower bound on it if ``censored``. ``constraints`` are the outputs that have bounds.
        A trial without a cost has a ``status``: ``crashed``, ``memory``, ``wrong`` (its configuration can never win) or
        ``lost`` (it is run again). After an error, the trial is still running.
        """
        number = trial if isinstance(trial, int) else trial.id
        if status is None:
            status = "censored" if censored else "finished"
            if cost is None:
                raise ValueError("a trial without a cost needs a status: crashed, memory, wrong or lost")
        elif censored and status not in ("censored",):
            raise ValueError(f"censored=True contradicts status={status!r}")
        outputs = [(name, float(value), False) for name, value in (constraints or {}).items()]
        self._tuner.tell(number, (status, None if cost is None else float(cost), outputs), spent=spent)

    def withdraw(self, trial: Trial | int) -> None:
        """Ends a running trial without a result. It may be requested again."""
        self._tuner.withdraw(trial if isinstance(trial, int) else trial.id)

    def best(self) -> Best:
        """Returns the best configuration so far: the default until another one is known to be better."""
        return read_best(self._tuner.best())

    def enqueue(self, configuration: Mapping[str, Any]) -> None:
        """Lets a configuration race before any new one."""
        self._tuner.enqueue(dict(configuration))

    def suggest(
        self,
        known: Sequence[tuple[Mapping[str, Any], float] | tuple[Mapping[str, Any], float, bool]],
        pending: Sequence[Mapping[str, Any]] = (),
    ) -> dict[str, Value] | None:
        """Returns the configuration to try next from known costs alone, without changing the optimizer.

        ``known`` has one entry for each trial: the configuration, its cost, and optionally whether the cost is only a
        lower bound. Returns None if no untried configuration is left.
        """
        results: list[tuple[dict[str, Any], int, Told]] = []
        for entry in known:
            status = "censored" if len(entry) > 2 and entry[2] else "finished"
            results.append((dict(entry[0]), 0, (status, float(entry[1]), [])))
        return self._tuner.suggest(results, [dict(one) for one in pending])

    @property
    def trials(self) -> int:
        """Number of trials that have ended."""
        return self._tuner.trials

    @property
    def running(self) -> list[Trial]:
        """The trials that have been asked for and have not ended."""
        return [read_trial(request) for request in self._tuner.running()]

    def save(self, path: str | Path) -> None:
        """Writes the optimizer to a file, which appears only when it is complete."""
        _settings.write(Path(path), self._space, self._settings, self._tuner.save())

    @classmethod
    def load(cls, path: str | Path, *, search: Surrogate | None = None, **settings: Any) -> Self:
        """Reads an optimizer from a file. Trials that were running when it was saved are in ``running``.

        An optimizer with its own surrogate needs the surrogate again, as ``search``. Other settings are read from the
        file. Those that are given as well, such as ``seed``, ``cutoff`` or ``constraints``, must be the same; a
        ValueError names the ones that differ.

        >>> Optimizer({"x": (0, 9)}, seed=3).save("search.captune")
        >>> Optimizer.load("search.captune", seed=4)
        Traceback (most recent call last):
        ValueError: search.captune was saved with seed=3, not seed=4
        """
        saved = _settings.Saved(path)
        if (search is None) == (saved.settings["search"] == "own"):
            raise ValueError("give `search` if, and only if, the saved optimizer had its own surrogate")
        saved.check(_settings.stored(**settings))
        optimizer = cls.__new__(cls)
        optimizer._space, optimizer._settings = saved.space, saved.settings
        optimizer._surrogate = search
        optimizer._build(saved.state)
        return optimizer

    def _continue_from(self, path: str | Path) -> None:
        """Takes over what an optimizer with the same settings has saved. The number of planned trials may differ."""
        saved = _settings.Saved(path)
        if saved.space != self._space:
            raise ValueError(f"the optimizer in {path} was saved with another space; use another file")
        saved.check({name: value for name, value in self._settings.items() if name != "trials"})
        self._build(saved.state)

    def __repr__(self) -> str:
        best = self.best()
        cost = math.nan if best.cost is None else best.cost
        return f"<captune.Optimizer: {self.trials} trials, best {cost:.6g} with {best.configuration}>"
