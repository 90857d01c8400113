"""A child process: calls one function again and again, until its parent closes the connection.

Messages to the parent are JSON, so that a function that damages its own
process cannot make the parent run anything.
"""

from __future__ import annotations

import ctypes
import inspect
import json
import math
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from multiprocessing.connection import Client, Connection
from typing import Any

from captune import _carry, _trial

_PR_SET_CHILD_SUBREAPER = 36


class _Invalid(Exception):
    """The function returned something that is no result."""


def main(address: str) -> None:
    """Serves calls that arrive at this socket."""
    # Processes that lose their parent become children of this one, where `_left_processes` sees them.
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    connection = Client(address, "AF_UNIX")
    settings = json.loads(connection.recv_bytes())
    try:
        function, instances = _carry.unpack(connection.recv_bytes())
        takes = _takes(function)
    except BaseException:
        _say(connection, "unusable", None, traceback.format_exc())
        return
    _say(connection, "ready", None, None)
    own = os.getpid()
    while True:
        try:
            asked = json.loads(connection.recv_bytes())
        except EOFError:
            return
        _call(connection, function, instances, takes, settings["timed"], asked, own)


def _takes(function: Callable[..., Any]) -> frozenset[str]:
    """Returns which of the optional arguments `instance` and `seed` the function takes."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return frozenset()
    return frozenset(name for name in ("instance", "seed") if name in parameters)


def _say(connection: Connection, kind: str, name: str | None, value: Any) -> None:
    connection.send_bytes(json.dumps([kind, name, value]).encode())


def _call(
    connection: Connection,
    function: Callable[..., Any],
    instances: list[Any],
    takes: frozenset[str],
    timed: bool,
    asked: dict[str, Any],
    own: int,
) -> None:
    def send(kind: str, name: str | None, value: float) -> None:
        if os.getpid() == own:
            _say(connection, kind, name, value)

    more: dict[str, Any] = {}
    if "instance" in takes:
        more["instance"] = instances[asked["instance"]] if instances else None
    if "seed" in takes:
        more["seed"] = asked["seed"]
    running = _trial.Running(asked["cap"], asked["seed"], timed=timed, send=send)
    _trial.begin(running)
    answer: dict[str, Any] = {"cost": None, "outputs": {}, "error": None, "status": "finished"}
    start = time.perf_counter()
    try:
        returned = function(asked["configuration"], **more)
        answer["seconds"] = time.perf_counter() - start
        answer["cost"], answer["outputs"] = _result(returned, timed)
    except MemoryError:
        answer.update(status="memory", error=_described(), place="MemoryError")
    except BaseException as error:
        answer.update(status="crashed", error=_described(), place=_place(error))
    answer.setdefault("seconds", time.perf_counter() - start)
    _trial.begin(None)
    if os.getpid() != own:
        # The function forked, and this is the copy. It must not answer for the original.
        os._exit(1)
    answer["left"] = _left_processes()
    _say(connection, "done", None, answer)


def _result(returned: Any, timed: bool) -> tuple[float | None, dict[str, float]]:
    """Returns the cost and the outputs that a function returned."""
    if isinstance(returned, Mapping):
        values = {str(name): _number(value, f"the output `{name}`") for name, value in returned.items()}
        cost = values.pop("cost", None)
        if timed and cost is not None:
            raise _Invalid("the function returned a `cost`, but the cost is the time of the call")
        if not timed and cost is None:
            raise _Invalid(f"the function returned {returned!r}, which has no `cost`")
        return cost, values
    if timed:
        if returned is None:
            return None, {}
        raise _Invalid(
            f"the function returned {returned!r}, but the cost is the time of the call; "
            'return None or a dictionary of outputs, or leave out cost="wall_time"'
        )
    return _number(returned, "the cost"), {}


def _number(value: Any, what: str) -> float:
    if isinstance(value, (str, bytes, bool)) or value is None:
        raise _Invalid(f"{what} is {value!r}; expected a number")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise _Invalid(f"{what} is {value!r}; expected a number") from None
    if not math.isfinite(number):
        raise _Invalid(f"{what} is {number}; expected a finite number")
    return number


def _described() -> str:
    """Returns the traceback without the frames of this file."""
    kind, error, frames = sys.exc_info()
    if isinstance(error, _Invalid):
        return str(error)
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    return "".join(traceback.format_exception(kind, error, frames)).rstrip()


def _place(error: BaseException) -> str:
    """Returns a name for the kind of error: tracebacks of the same kind are shown once."""
    if isinstance(error, _Invalid):
        return "result"
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    return f"{type(error).__name__} {last.filename if last else ''}:{last.lineno if last else ''}"


def _left_processes() -> bool:
    """Returns whether processes that the call started are still alive. Reaps those that have ended."""
    while True:
        try:
            found, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if found == 0:
            return True
