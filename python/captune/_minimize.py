"""``minimize``: finds the best arguments of a function, called in warm child processes with limits."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import Any, Literal

from captune import _carry
from captune._bound import Bound
from captune._captune import Space
from captune._optimizer import Best, Optimizer, Search, Trial, read_best, read_trial
from captune._progress import Progress
from captune._slot import Ended, Limits, Slot, Unusable
from captune._types import Value
from captune.surrogate import Surrogate

Cost = Literal["returned", "wall_time"]

# If none of the first trials has a cost, the function or the space is wrong.
_HOPELESS = 10


class CaptuneWarning(UserWarning):
    """Something in a search that the user should know, such as the traceback of a failed trial."""


class TargetFailed(Exception):
    """The function cannot be called, or none of its calls succeeded."""


@dataclass(frozen=True)
class Record:
    """One trial that has ended."""

    id: int
    configuration: dict[str, Value]
    instance: int
    seed: int
    cap: float
    """Cost at which the trial would have been stopped."""
    status: str
    """``finished``, ``censored``, ``crashed``, ``memory`` or ``wrong``."""
    cost: float | None
    """The cost; a lower bound if the trial is censored."""
    outputs: dict[str, float]
    seconds: float
    origin: str
    error: str | None


@dataclass(frozen=True)
class Result:
    """What a search has found."""

    best: Best
    trials: list[Record] = field(repr=False)
    stopped: str
    """Why the search ended: ``budget``, ``exhausted`` or ``interrupted``."""
    seconds: float
    """Wall time of the search."""
    optimizer_seconds: float
    """Time spent on deciding what to try."""
    children: int
    """Number of child processes started."""

    @property
    def configuration(self) -> dict[str, Value]:
        """The best configuration."""
        return self.best.configuration

    @property
    def cost(self) -> float | None:
        """Its mean cost."""
        return self.best.cost


def minimize(
    function: Callable[..., Any],
    space: Space | Mapping[str, Any],
    *,
    budget: int | str | timedelta,
    cost: Cost = "returned",
    cutoff: float | None = None,
    instances: Sequence[Any] | None = None,
    features: Sequence[Sequence[float]] | None = None,
    constraints: Mapping[str, Bound] | None = None,
    workers: int = 1,
    seed: int = 1,
    deterministic: bool | None = None,
    search: Search | Surrogate = "auto",
    initial: Sequence[Mapping[str, Any]] = (),
    time_limit: float | None = None,
    memory: int | str | None = None,
    processes: int | None = None,
    gpus: Sequence[int | str] | None = None,
    save: str | Path | None = None,
    progress: bool | None = None,
) -> Result:
    """Finds the configuration of a function with the lowest cost.

    The function is called with a configuration (a dictionary), and with ``instance`` and ``seed`` if it has arguments of
    these names. It returns its cost, or a dictionary with ``cost`` and further outputs. With ``cost="wall_time"``, the
    cost is the time of the call, and the function returns None or a dictionary of outputs. :func:`captune.trial` gives
    it its cap, and takes outputs that survive a kill.

    Calls run in child processes, which stay warm and are replaced only after a kill. A call that passes its cap or its
    limits is killed together with all processes that it started. A call that raises, or returns no finite number, counts
    as crashed, and its traceback is shown once.

    Parameters
    ----------
    budget
        Number of trials, or a time such as ``"90s"``, ``"10m"`` or ``"2h"``.
    cost
        ``"returned"``, or ``"wall_time"`` for the time of the call in seconds.
    cutoff
        Largest cost of a trial. With ``cost="wall_time"``, slow calls are killed, at the cutoff or long before.
    instances
        Inputs of the function; the mean cost over all of them is minimised.
    constraints
        Bounds on outputs, by name.
    workers
        Number of calls at a time.
    deterministic
        Whether a call costs the same each time. By default, if the cost is returned and the function takes no ``seed``.
    time_limit
        Seconds after which any call is killed, whatever its cost.
    memory, processes
        What a child process and all that it starts may use, such as ``"2 GB"``.
    gpus
        Names of GPUs for CUDA_VISIBLE_DEVICES, one for each worker.
    save
        File to which the state is written. If it exists, the search continues from it; the settings must be the same,
        except for the budget and the limits.
    progress
        Whether to show a status line; by default in terminals and notebooks.
    """
    if os.environ.get("CAPTUNE_CHILD"):
        raise TargetFailed(
            "minimize was called while a child process loaded the script; "
            'put the call under `if __name__ == "__main__":`'
        )
    if cost not in ("returned", "wall_time"):
        raise ValueError(f"cost is {cost!r}; expected 'returned' or 'wall_time'")
    timed = cost == "wall_time"
    if timed and cutoff is None:
        raise ValueError('cost="wall_time" needs a cutoff: the number of seconds after which every call is killed')
    if workers < 1:
        raise ValueError("workers must be at least 1")
    if gpus is not None and len(gpus) < workers:
        raise ValueError(f"{workers} workers need as many GPUs, but only {len(gpus)} are given")
    if deterministic is None:
        deterministic = not timed and not _takes_seed(function)
    count, seconds = _budget(budget)
    optimizer = Optimizer(
        space,
        cutoff=cutoff,
        constraints=constraints,
        instances=1 if instances is None else len(instances),
        features=features,
        seed=seed,
        deterministic=deterministic,
        search=search,
        initial=initial,
        trials=count,
    )
    if save is not None and Path(save).exists():
        optimizer._continue_from(save)
        for trial in optimizer.running:
            optimizer.withdraw(trial)
    limits = Limits(time_limit, _bytes(memory), processes)
    packed = _carry.pack(function, list(instances or []))
    folder = tempfile.mkdtemp(prefix="captune-")
    try:
        names = [None if gpus is None else str(gpus[number]) for number in range(workers)]
        slots = [Slot(folder, n, packed, limits, timed=timed, gpu=names[n]) for n in range(workers)]
        search_loop = _Loop(optimizer, slots, timed, count, seconds, save, Progress(progress))
        return search_loop.run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Loop:
    """The loop that asks, calls and tells."""

    def __init__(
        self,
        optimizer: Optimizer,
        slots: list[Slot],
        timed: bool,
        count: int | None,
        seconds: float | None,
        save: str | Path | None,
        progress: Progress,
    ) -> None:
        self._optimizer = optimizer
        # Orders about running trials are handled here, so caps may be lowered while trials run.
        optimizer._build(optimizer._tuner.save(), repeatable=False)
        self._tuner = optimizer._tuner
        self._slots = slots
        self._timed = timed
        self._count = count
        self._seconds = seconds
        self._save = save
        self._progress = progress
        self._records: list[Record] = []
        self._shown: set[str] = set()
        self._thinking = 0.0
        self._start = time.perf_counter()
        self._exhausted = False

    def run(self) -> Result:
        stopped = "budget"
        try:
            for slot in self._slots:
                slot.start()
            while not self._is_over():
                self._fill()
                busy = [slot for slot in self._slots if slot.trial is not None]
                if not busy:
                    break
                self._wait(busy)
            if self._exhausted and not self._is_over():
                stopped = "exhausted"
        except KeyboardInterrupt:
            stopped = "interrupted"
        except Unusable as error:
            raise TargetFailed(str(error)) from None
        finally:
            self._withdraw()
            for slot in self._slots:
                slot.close()
            self._progress.close()
            if self._save is not None:
                self._optimizer.save(self._save)
        return Result(
            best=read_best(self._tuner.best()),
            trials=self._records,
            stopped=stopped,
            seconds=time.perf_counter() - self._start,
            optimizer_seconds=self._thinking,
            children=sum(slot.children for slot in self._slots),
        )

    def _is_over(self) -> bool:
        """Returns whether the budget is spent. Trials that run at the end are withdrawn."""
        if self._count is not None and self._tuner.trials >= self._count:
            return True
        return self._seconds is not None and time.perf_counter() - self._start >= self._seconds

    def _fill(self) -> None:
        """Starts trials until no slot is free or the next decision needs results."""
        while True:
            free = [slot for slot in self._slots if slot.trial is None]
            if self._count is not None:
                running = len(self._slots) - len(free)
                free = free[: max(0, self._count - self._tuner.trials - running)]
            before = time.perf_counter()
            order = self._tuner.ask(len(free))
            self._thinking += time.perf_counter() - before
            if order[0] == "run":
                free[0].call(read_trial(order[1]))
            elif order[0] == "tighten":
                self._slot(order[1]).tighten(order[2])
            elif order[0] == "cancel":
                self._slot(order[1]).cancel()
            else:
                self._exhausted = order[0] == "done"
                return

    def _slot(self, trial: int) -> Slot:
        return next(slot for slot in self._slots if slot.trial is not None and slot.trial.id == trial)

    def _wait(self, busy: list[Slot]) -> None:
        """Waits for messages, and reports to the optimizer what running trials have cost so far."""
        patience = self._tuner.patience() if self._timed else None
        left = None if self._seconds is None else self._seconds - (time.perf_counter() - self._start)
        ends = [end for end in (patience, left) if end is not None]
        ready = wait_for([slot.connection for slot in busy], max(0.0, min(ends)) if ends else None)
        for slot in busy:
            if slot.connection in ready:
                trial = slot.trial
                ended = slot.receive()
                if ended is not None and trial is not None:
                    self._tell(trial, ended)
        if not ready and patience is not None:
            reached = [(slot.trial.id, slot.cost) for slot in busy if slot.trial is not None]
            before = time.perf_counter()
            self._tuner.elapsed(reached)
            self._thinking += time.perf_counter() - before

    def _tell(self, trial: Trial, ended: Ended) -> None:
        status, cost, outputs = ended.result
        known = {bound[0] for bound in self._optimizer._settings["bounds"]}
        before = time.perf_counter()
        try:
            self._tuner.tell(trial.id, (status, cost, [one for one in outputs if one[0] in known]))
        except ValueError as error:
            # Such as a negative cost although there is a cutoff.
            ended = Ended(("crashed", None, []), ended.seconds, str(error), "result")
            status, cost = "crashed", None
            self._tuner.tell(trial.id, ended.result)
        self._thinking += time.perf_counter() - before
        self._records.append(
            Record(
                trial.id,
                trial.configuration,
                trial.instance,
                trial.seed,
                trial.cap,
                status,
                cost,
                {name: value for name, value, _ in outputs},
                ended.seconds,
                trial.origin,
                ended.error,
            )
        )
        self._show(trial, ended)
        self._progress.update(self._tuner, self._count, time.perf_counter() - self._start)
        if len(self._records) >= _HOPELESS and all(one.cost is None for one in self._records):
            why = next((one.error for one in reversed(self._records) if one.error), "no cost was reported")
            raise TargetFailed(f"none of the first {len(self._records)} trials has a cost; the last one: {why}")

    def _show(self, trial: Trial, ended: Ended) -> None:
        """Shows an error, unless one of the same kind was shown before."""
        if ended.error is None or ended.place in self._shown:
            return
        self._shown.add(ended.place)
        self._progress.clear()
        message = f"trial {trial.id} ({trial.configuration}) failed, and the search goes on; {ended.error}"
        warnings.warn(message, CaptuneWarning, stacklevel=5)

    def _withdraw(self) -> None:
        for slot in self._slots:
            if slot.trial is not None:
                self._tuner.withdraw(slot.trial.id)


def _takes_seed(function: Callable[..., Any]) -> bool:
    try:
        return "seed" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _budget(budget: int | str | timedelta) -> tuple[int | None, float | None]:
    """Returns the number of trials or the number of seconds."""
    if isinstance(budget, timedelta):
        return None, budget.total_seconds()
    if isinstance(budget, int) and not isinstance(budget, bool) and budget > 0:
        return budget, None
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    found = re.fullmatch(r"\s*([0-9.]+)\s*([smhd])\s*", budget) if isinstance(budget, str) else None
    if found is None:
        raise ValueError(f'budget is {budget!r}; expected a number of trials or a time such as "10m"')
    return None, float(found[1]) * units[found[2]]


def _bytes(amount: int | str | None) -> int | None:
    """Returns a number of bytes."""
    if amount is None or isinstance(amount, int):
        return amount
    units = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    found = re.fullmatch(r"\s*([0-9.]+)\s*([a-zA-Z]+)\s*", amount)
    if found is None or found[2] not in units:
        raise ValueError(f"memory is {amount!r}; expected bytes or an amount such as \"2 GB\" or \"512 MiB\"")
    return int(float(found[1]) * units[found[2]])
