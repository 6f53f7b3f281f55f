"""Python processes that the program starts: they join the run through their environment.

A process that records puts three variables into os.environ, where every way of starting a
process finds them: KYMO_RUN_DIR, the run to join; KYMO_PYTHON_OPTIONS, what to record; and
PYTHONPATH, beginning with the folder `_boot`, whose sitecustomize calls join() in the child."""

from __future__ import annotations

import os
import sys

from kymo import _began_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

# The first line of KYMO_PYTHON_OPTIONS: what a child does when it starts.
RECORD_ALL = "record-all"  # record its calls from the beginning
ADD_BUILTINS = "add-builtins"  # put profile() and the other names into builtins
ON_CALL = "on-call"  # nothing, until its own code starts it

BOOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_boot")
_VARIABLES = ("KYMO_RUN_DIR", "KYMO_PYTHON_OPTIONS")

# Helper processes of multiprocessing: they run no code of the program and
# outlive it.
_HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.semaphore_tracker")

mode = ON_CALL


def export(directory: str, settings: Sequence[str]) -> None:
    """Make Python processes that this one starts from now on join the run."""
    os.environ["KYMO_RUN_DIR"] = directory
    os.environ["KYMO_PYTHON_OPTIONS"] = "\n".join([mode, *settings])
    path = os.environ.get("PYTHONPATH", "")
    if BOOT not in path.split(os.pathsep):
        os.environ["PYTHONPATH"] = BOOT + os.pathsep + path if path else BOOT


def withdraw() -> None:
    """Undo export(): a process that starts after the end of the run does not join it."""
    for name in _VARIABLES:
        os.environ.pop(name, None)
    rest = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each != BOOT]
    if rest != [""] and rest:
        os.environ["PYTHONPATH"] = os.pathsep.join(rest)
    else:
        os.environ.pop("PYTHONPATH", None)


def inherited_settings() -> list[str]:
    """Settings passed on by the process that started this one."""
    return os.environ.get("KYMO_PYTHON_OPTIONS", "").split("\n")[1:]


def join() -> None:
    """In a new process, before its program begins: apply the options of the parent's run."""
    global mode
    mode = os.environ.get("KYMO_PYTHON_OPTIONS", "").partition("\n")[0]
    if mode not in (RECORD_ALL, ADD_BUILTINS) or _is_helper(command_line()):
        return
    if mode == ADD_BUILTINS:
        from kymo.profiler import add_builtins

        add_builtins()
        return
    from kymo import _session

    _session.began_ns = _began_ns
    _session.hide_start_up("site", "runpy")
    if _session.open_recording([], command_line()):
        _session.begin()


def _is_helper(arguments: Sequence[str]) -> bool:
    return any(name in each for name in _HELPERS for each in arguments[1:])


def command_line() -> list[str]:
    """This process's command line, including the interpreter's options."""
    given = getattr(sys, "orig_argv", None)
    if given:
        return list(given)
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return [os.fsdecode(each) for each in file.read().split(b"\0")[:-1]]
    except OSError:
        return [sys.executable]
