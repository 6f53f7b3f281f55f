"""The recording of this process: opened at first use, closed when the process ends.

Importing this module loads the native module.  Everything here applies to the whole process
and may be called from any thread."""

from __future__ import annotations

import atexit
import os
import sys
from _thread import get_ident

from kymo import _children
from kymo._binding import PACKAGE, native
from kymo._config import config, is_true
from kymo._errors import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from kymo._config import Value

# The program's exit status when the interpreter exits; -1 = not known.
exit_status = -1

# time.thread_time_ns() when the start of Kymo began; 0 = when the recording is opened.
began_ns = 0

_given: list[str] = []  # settings of the command line, or passed on by the parent
_applied: dict[str, Value] = {}  # the configuration the native module has
_early_pauses: dict[int, int] = {}  # pauses of threads while no recording was open
_hidden_modules: list[str] = []  # patterns of the files that start the program


def open_recording(settings: Sequence[str], argv: Sequence[str]) -> bool:
    """True when this process records from now on; else the reason was printed once.

    ValueError: a setting is wrong; the recording is not opened."""
    if native.state() != "new":
        return native.state() == "active"
    _given[:] = settings or _children.inherited_settings()
    try:
        native.open(_given, list(argv), began_ns)
    except RuntimeError as error:
        if is_true(native.setting("ENABLED") or "ON"):
            say(f"{error}; the program continues unprofiled")
        return False
    atexit.register(close_recording)
    native.before_exit(close_recording)
    config.adopt_settings(native.setting)
    _choose_instrumenter(native.setting("PYTHON_INSTRUMENTER") or "auto")
    _export()
    for _ in range(_early_pauses.pop(get_ident(), 0)):
        native.pause()
    return True


def ensure_open(argv: Sequence[str] = ()) -> bool:
    """Open the recording with the settings of environment and files, unless it is open."""
    state = native.state()
    if state != "new":
        return state == "active"
    try:
        return open_recording([], argv or program_arguments())
    except ValueError as error:
        say(f"{error}; the program continues unprofiled")
        return False


def begin() -> bool:
    """Start recording the calls of all threads; nested.  False if nothing is recorded."""
    if not ensure_open():
        return False
    configure()
    native.start()
    return True


def end() -> None:
    """Undo one begin()."""
    native.stop()


def begin_trace() -> None:
    """Undo one end_trace(); without one, as begin()."""
    if ensure_open():
        configure()
        native.trace_start()


def end_trace() -> None:
    """Undo one begin_trace(); without one, no begin() records until the next."""
    native.trace_stop()


def pause() -> None:
    """Record nothing of the calling thread until as many resume()."""
    if native.state() == "new":
        thread = get_ident()
        _early_pauses[thread] = _early_pauses.get(thread, 0) + 1
    else:
        native.pause()


def resume() -> None:
    """Undo one pause() of the calling thread."""
    thread = get_ident()
    if _early_pauses.get(thread, 0) > 0:
        _early_pauses[thread] -= 1
    else:
        native.resume()


def configure() -> None:
    """Pass the configuration to the native module if it changed.  ValueError: bad pattern."""
    global _applied
    values = config.values()
    if values == _applied:
        return
    native.pause()  # the following is no work of the program
    try:
        check_configuration()
        _applied = values
        if native.state() == "active":
            _export()
    finally:
        native.resume()


def check_configuration() -> None:
    """Pass the configuration to the native module.  ValueError: a pattern is wrong."""
    values = config.values()
    values["exclude_modules"] = [*config.exclude_modules, *_hidden_modules]
    values["internal_path"] = PACKAGE
    native.configure(values)


def hide_start_up(*modules: str) -> None:
    """Leave out the functions of standard modules that run only to start the program."""
    folder = os.path.dirname(os.__file__)
    for name in modules:
        for file in (f"{folder}/{name}.py", f"<frozen {name}>"):
            _hidden_modules.append("^" + _escape(file) + "$")


def close_recording(status: int | None = None) -> None:
    """Close the recording; the finishing step writes the outputs.  Idempotent."""
    if native.state() != "active":
        return
    while native.is_running():
        native.stop()  # first, so that none of the following is recorded
    _children.withdraw()
    native.before_exit(None)
    native.close(exit_status if status is None else status)


def program_arguments() -> list[str]:
    """The program's own command line, named as the user would name it."""
    arguments = list(getattr(sys, "argv", [])) or [""]
    if arguments[0] in ("", "-", "-c", "-m"):
        arguments[0] = os.path.basename(sys.executable or "python")
    return arguments


def _choose_instrumenter(name: str) -> None:
    if name == "auto":
        return
    try:
        native.set_instrumenter(name)
    except ValueError as error:
        say(f"{error}; '{native.instrumenter()}' is used in its place")


def _export() -> None:
    if is_true(native.setting("PYTHON_CHILDREN") or "ON"):
        _children.export(native.directory(), [*_given, *config.as_settings()])


def _escape(text: str) -> str:
    return "".join("\\" + byte if byte in ".^$*+?()[]{}|\\" else byte for byte in text)
