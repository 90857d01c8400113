"""How a function gets into a child process.

| function | travels as |
|---|---|
| any function, if cloudpickle is installed | cloudpickle's bytes: by name if it can be imported, otherwise by value |
| a function of an importable module | its name |
| a function of the script that runs | the path of the script and its name; the child runs the script as ``__captune__`` |
| a closure, a lambda or a notebook's function | only with cloudpickle |
"""

from __future__ import annotations

import importlib
import pickle
import runpy
import sys
import types
from collections.abc import Callable
from typing import Any

# The name under which a child runs the script of its parent, so that `if __name__ == "__main__":` is skipped.
SCRIPT = "__captune__"


def pack(function: Callable[..., Any], instances: list[Any]) -> bytes:
    """Returns bytes from which a child process gets the function and the instances."""
    try:
        import cloudpickle  # type: ignore[import-untyped]
    except ImportError:
        return pickle.dumps((_by_name(function), pickle.dumps(instances)))
    return pickle.dumps((("pickled", cloudpickle.dumps(function)), cloudpickle.dumps(instances)))


def _by_name(function: Callable[..., Any]) -> tuple[str, str, str]:
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    advice = "install cloudpickle (pip install cloudpickle), or define the function at the top level of a module"
    if module is None or name is None or "<" in name:
        raise TypeError(f"{function!r} cannot be sent to a child process by name; {advice}")
    if module != "__main__":
        return ("module", module, name)
    script = getattr(sys.modules["__main__"], "__file__", None)
    if script is None:
        raise TypeError(f"`{name}` was defined interactively; {advice}")
    return ("script", script, name)


def unpack(packed: bytes) -> tuple[Callable[..., Any], list[Any]]:
    """Returns the function and the instances, in the child process."""
    how, instances = pickle.loads(packed)
    if how[0] == "pickled":
        return pickle.loads(how[1]), pickle.loads(instances)
    if how[0] == "module":
        found: Any = importlib.import_module(how[1])
    else:
        found = types.SimpleNamespace(**runpy.run_path(how[1], run_name=SCRIPT))
    for part in how[2].split("."):
        found = getattr(found, part)
    return found, pickle.loads(instances)
