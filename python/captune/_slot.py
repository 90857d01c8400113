"""A slot: one child process at a time, which is replaced only after it was killed or has ended."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from captune._captune import Child
from captune._optimizer import Trial
from captune._program import program
from captune._types import Told

# How much later than its cap a call is killed: the time of the call is measured inside the child, which begins a little
# after the deadline is set, and a killed call must have lasted as long as its cap.
_LATER = 0.02
# Seconds that a child whose connection is closed gets to end by itself.
_MOMENT = 1.0

# The child imports what its parent imports, wherever it was started.
_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from captune._child import main; main(sys.argv[2])"


@dataclass(frozen=True)
class Limits:
    """What each child process may use."""

    time_limit: float | None
    memory: int | None
    processes: int | None


@dataclass
class Ended:
    """How a trial ended."""

    result: Told
    seconds: float
    """Time that the call took."""
    error: str | None = None
    place: str = ""
    """The kind of the error; errors of the same kind are shown once."""


@dataclass
class _Call:
    trial: Trial
    start: float
    cap: float
    outputs: dict[str, float] = field(default_factory=dict)
    reached: float | None = None
    cancelled: bool = False


class Unusable(Exception):
    """The function cannot be called in a child process."""


class Slot:
    """Runs one trial at a time in a warm child process."""

    def __init__(
        self, folder: str, number: int, packed: bytes, limits: Limits, *, timed: bool, gpu: str | None
    ) -> None:
        self._folder = folder
        self._number = number
        self._packed = packed
        self._limits = limits
        self._timed = timed
        self._gpu = gpu
        self._children = 0
        self._child: Child | None = None
        self._connection: Connection | None = None
        self._call: _Call | None = None

    def start(self) -> None:
        """Starts a child, without waiting for it."""
        self._children += 1
        address = os.path.join(self._folder, f"{self._number}.{self._children}")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(address)
        self._listener.listen(1)
        environment = [("CAPTUNE_CHILD", "1")]
        if self._gpu is not None:
            environment.append(("CUDA_VISIBLE_DEVICES", self._gpu))
        self._child = Child(
            [sys.executable, "-c", _START, json.dumps(sys.path), address],
            guardian=program(),
            folder=os.getcwd(),
            memory=self._limits.memory,
            processes=self._limits.processes,
            environment=environment,
        )

    def _connect(self) -> Connection:
        """Waits until the child is ready for its first call."""
        assert self._child is not None
        self._listener.settimeout(0.05)
        while True:
            try:
                accepted, _ = self._listener.accept()
                break
            except TimeoutError:
                if (record := self._child.wait(0)) is not None:
                    raise Unusable(f"the child process {record['end']}: {record['stderr'].strip()}") from None
        self._listener.close()
        accepted.setblocking(True)
        connection = Connection(accepted.detach())
        try:
            connection.send_bytes(json.dumps({"timed": self._timed}).encode())
            connection.send_bytes(self._packed)
            kind, _, why = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            record = self._child.wait()
            assert record is not None
            raise Unusable(f"the child process {record['end']}: {record['stderr'].strip()}") from None
        if kind != "ready":
            raise Unusable(f"the function cannot be loaded in a child process:\n{why}")
        return connection

    def call(self, trial: Trial) -> None:
        """Calls the function for a trial."""
        if self._child is None:
            self.start()
        if self._connection is None:
            self._connection = self._connect()
        asked = {
            "configuration": trial.configuration,
            "instance": trial.instance,
            "seed": trial.seed,
            "cap": trial.cap,
        }
        self._call = _Call(trial, time.perf_counter(), trial.cap)
        self._arm()
        try:
            self._connection.send_bytes(json.dumps(asked).encode())
        except OSError:
            # The child has died since its last call; `receive` reports how.
            pass

    def _arm(self) -> None:
        """Sets the time at which the child is killed."""
        assert self._child is not None and self._call is not None
        ends = [self._call.cap] if self._timed else []
        if self._limits.time_limit is not None:
            ends.append(self._limits.time_limit)
        if ends and min(ends) < float("inf"):
            self._child.arm(min(ends) + _LATER - self.elapsed)

    @property
    def trial(self) -> Trial | None:
        """The trial that is running."""
        return None if self._call is None else self._call.trial

    @property
    def elapsed(self) -> float:
        """Time since the start of the call."""
        return 0.0 if self._call is None else time.perf_counter() - self._call.start

    @property
    def cost(self) -> float:
        """Cost that the running trial has reached, as far as known."""
        if self._timed:
            return self.elapsed
        return 0.0 if self._call is None or self._call.reached is None else self._call.reached

    @property
    def connection(self) -> Connection:
        """Where the child's messages arrive."""
        assert self._connection is not None
        return self._connection

    def tighten(self, cap: float) -> None:
        """Lowers the cap of the running trial."""
        if self._call is not None:
            self._call.cap = min(self._call.cap, cap)
            self._arm()

    def cancel(self) -> None:
        """Kills the running trial."""
        if self._call is not None and self._child is not None:
            self._call.cancelled = True
            self._child.kill()

    def receive(self) -> Ended | None:
        """Reads one message of the child. Returns how the trial ended, if it did."""
        assert self._call is not None
        try:
            kind, name, value = json.loads(self.connection.recv_bytes())
        except (EOFError, OSError, ValueError):
            return self._died()
        if kind == "output":
            self._call.outputs[name] = value
            return None
        if kind == "reached":
            self._call.reached = max(value, self._call.reached or 0.0)
            return None
        return self._answered(value)

    def _answered(self, answer: dict[str, Any]) -> Ended:
        assert self._call is not None and self._child is not None
        killed = self._child.disarm()
        call, seconds = self._call, answer["seconds"]
        outputs = call.outputs | answer["outputs"]
        if answer["left"] or killed or call.cancelled:
            # What the call has started must not run during the next call, and a dying child cannot serve it.
            self._replace()
        self._call = None
        if answer["error"] is not None:
            return Ended((answer["status"], None, _listed(outputs)), seconds, answer["error"], answer["place"])
        cost = seconds if self._timed else answer["cost"]
        if cost >= call.cap:
            return Ended(("censored", call.cap, _listed(outputs)), seconds)
        return Ended(("finished", cost, _listed(outputs)), seconds)

    def _died(self) -> Ended:
        """Returns how a trial ended whose child is gone, and forgets the child."""
        assert self._call is not None and self._child is not None
        call, seconds = self._call, self.elapsed
        timed_out = self._child.disarm()
        # The connection closes a moment before the process has ended and its exit is known.
        record = self._child.wait(_MOMENT)
        if record is None:
            self._child.kill()
            record = self._child.wait()
        self._forget()
        # Started now, so that it warms up while the optimizer decides.
        self.start()
        outputs = _listed(call.outputs)
        assert record is not None
        if call.cancelled or timed_out:
            if self._timed and seconds >= call.cap:
                return Ended(("censored", call.cap, outputs), seconds)
            bound = seconds if self._timed else call.reached
            limit = self._limits.time_limit
            if bound is not None and bound > 0:
                return Ended(("censored", min(bound, call.cap), outputs), seconds)
            why = f"killed after {limit} s, the time limit" if timed_out else None
            return Ended(("crashed", None, outputs), seconds, why, "time limit")
        status = "memory" if record["memory"] else "crashed"
        why = f"the child process {record['end']}"
        if record["stderr"].strip():
            why += f"; its last output:\n{record['stderr'].strip()[-2000:]}"
        return Ended((status, None, outputs), seconds, why, record["end"])

    def _replace(self) -> None:
        assert self._child is not None
        self._child.kill()
        self._child.wait()
        self._forget()

    def _forget(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._listener.close()
        self._child = self._connection = self._call = None

    def close(self) -> None:
        """Ends the child and everything that it started."""
        if self._child is not None:
            self._replace()

    @property
    def children(self) -> int:
        """Number of children started so far."""
        return self._children


def _listed(outputs: dict[str, float]) -> list[tuple[str, float, bool]]:
    return [(name, value, False) for name, value in outputs.items()]
