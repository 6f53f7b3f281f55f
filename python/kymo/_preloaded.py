"""Samples and series need preloaded libraries: if settings request them, the command line is
started again under `kymo run`, which loads them."""

from __future__ import annotations

import os
import sys

from kymo._config import is_true
from kymo._errors import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_PREFIXES = ("KYMO_", "ROCPROFSYS_", "OMNITRACE_")  # the strongest first
_SWITCHES = ("SAMPLING", "USE_SAMPLING", "PROCESS_SAMPLING", "USE_PROCESS_SAMPLING")
_IS_BEGUN = "KYMO_PYTHON_PRELOADED"  # whatever the result, never twice


def begin_anew(settings: list[str]) -> None:
    """Start again if necessary and possible; settings: "NAME=VALUE" of the command line."""
    if os.environ.pop(_IS_BEGUN, "") or not _is_asked_for(settings) or _is_preloaded():
        return
    from kymo._tool_place import ToolError, find

    try:
        _replace(find(), settings)
    except (ToolError, OSError) as error:
        say(f"no samples and series are taken: {error}")


def _is_asked_for(settings: list[str]) -> bool:
    if is_true(_value("SUPPRESS_PARSING", settings)):
        return False
    return _value("MODE", settings).lower() == "sampling" or any(
        is_true(_value(name, settings)) for name in _SWITCHES
    )


def _value(name: str, settings: list[str]) -> str:
    """Of the command line, or else of the environment; "" = not set."""
    for line in reversed(settings):
        key, _, value = line.partition("=")
        if key.upper() == name:
            return value
    values = (os.environ.get(prefix + name) for prefix in _PREFIXES)
    return next((value for value in values if value is not None), "")


def _is_preloaded() -> bool:
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            return any("/libkymo-lifecycle" in line for line in maps)
    except OSError:
        return True


def _replace(tool: str, settings: list[str]) -> NoReturn:
    """The same interpreter with the same words, as a program of `kymo run`."""
    words = getattr(sys, "orig_argv", None)  # from 3.10 on
    if words is None:
        start = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_start.py")
        words = ["python", start, *sys.argv[1:]]
    environment = {**os.environ, _IS_BEGUN: "1"}
    for line in settings:
        key, _, value = line.partition("=")
        environment[f"KYMO_{key.upper()}"] = value
    command = [tool, "run", "--no-python", "--", sys.executable, *words[1:]]
    os.execve(tool, command, environment)
