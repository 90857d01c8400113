"""The program ``captune``, which the wheel installs next to Python's own scripts."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from functools import cache


@cache
def program() -> str:
    """Returns the path of the program. The environment variable CAPTUNE names another one."""
    named = os.environ.get("CAPTUNE")
    if named:
        return named
    places = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable), os.path.expanduser("~/.local/bin")]
    for place in places:
        path = os.path.join(place, "captune")
        if os.access(path, os.X_OK):
            return path
    found = shutil.which("captune")
    if found is None:
        raise FileNotFoundError(
            f"the program `captune` is missing from {places[0]}; reinstall the package, or set CAPTUNE to its path"
        )
    return found
