"""`python -m kymo`: reads the command line, opens the recording, runs the program.

For the program and for whoever started it, nothing differs from the bare interpreter: the
stack below the program is empty, its exceptions reach the interpreter's own handling without
a frame of Kymo in the traceback, and the exit status is the interpreter's."""

from __future__ import annotations

import os
import sys
from time import thread_time_ns

from kymo import _began_ns, _children, _commandline, _preloaded, _program
from kymo._config import config
from kymo._errors import NativeModuleError, UsageError, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from kymo._commandline import Request
    from kymo._program import Program

# CPU time that this process took before it became the interpreter: `kymo-python` was a shell.
_launch = os.environ.pop("KYMO_RUN_LAUNCH", "")
_launch_ns = int(_launch) if _launch.isdigit() else 0

_USAGE_STATUS = 2
_FAILURE_STATUS = 1
_INTERRUPTED_STATUS = 130


def main() -> None:
    """Run the command line in sys.argv; raises the exception that ended the program."""
    _program.take_path_entry()
    try:
        request = _commandline.parse(sys.argv[1:])
        if request.answer:
            print(request.answer)
            return
        assert request.target
        _apply_presets(request)
        _preloaded.begin_anew(request.settings)
        program = _program.prepare(request.target)
        session = _load_session(program)
        _configure(session, request)
    except (UsageError, ValueError) as error:
        say(str(error))
        sys.exit(_USAGE_STATUS)
    except NativeModuleError as error:
        say(str(error))
        sys.exit(_FAILURE_STATUS)
    _run(session, request, program)


def _apply_presets(request: Request) -> None:
    """Settings with precedence below options, above the environment.  UsageError: one is wrong."""
    if request.presets:
        from kymo._presets import settings_of

        is_verbose = request.verbosity > 0
        found = [line for name in request.presets for line in settings_of(name, is_verbose)]
        request.settings[:0] = found


def _load_session(program: Program) -> Any:
    """The module of the recording; from now on sys.modules is as the program will see it."""
    if not program.uses_runpy:
        _program.forget_start_modules()
    from kymo import _session

    if program.uses_runpy:
        _session.hide_start_up("runpy")
    return _session


def _configure(session: Any, request: Request) -> None:
    """Apply the command line.  ValueError: a pattern or a name is wrong."""
    if request.verbosity:
        config.verbosity = request.verbosity
    for field, pattern in request.patterns:
        setattr(config, field, [pattern])
    session.check_configuration()
    if request.instrumenter:
        session.native.set_instrumenter(request.instrumenter)
    if request.has_builtins:
        _children.mode = _children.ADD_BUILTINS
    elif request.has_instrumenter:
        _children.mode = _children.RECORD_ALL


def _run(session: Any, request: Request, program: Program) -> None:
    """Open the recording, run the program, pass its exit status to the end of the recording."""
    namespace = _program.enter(program)
    try:
        _load(session, program)
        _open(session, request, program)
        if request.has_builtins:
            from kymo.profiler import add_builtins

            add_builtins()
        if request.setup:
            _run_setup(session, request.setup, namespace)
        call = program.call(namespace)
        if request.has_instrumenter and not request.has_builtins:
            session.begin()
        session.native.call_detached(*call)
    except SystemExit as error:
        session.exit_status = _status_of(error.code)
        program.leave(namespace)
        raise
    except BaseException as error:
        is_interrupt = isinstance(error, KeyboardInterrupt)
        session.exit_status = _INTERRUPTED_STATUS if is_interrupt else 1
        _report_as_bare(error, program, namespace)
        raise
    session.exit_status = 0
    program.leave(namespace)


def _load(session: Any, program: Program) -> None:
    """Work that the bare interpreter does, too, is no cost of Kymo's start."""
    began_ns = thread_time_ns()
    program.load()
    session.began_ns = _began_ns + thread_time_ns() - began_ns - _launch_ns


def _open(session: Any, request: Request, program: Program) -> None:
    argv = session.program_arguments() if program.argv[0] != "-m" else program.words[1:]
    try:
        opened = session.open_recording(request.settings, argv)
    except ValueError as error:
        say(str(error))
        sys.exit(_USAGE_STATUS)
    if opened and config.verbosity > 0:
        say(f"recording {argv} in '{session.native.directory()}'")


def _run_setup(session: Any, path: str, namespace: dict[str, Any]) -> None:
    """Run the setup file in the program's namespace; nothing of it is recorded."""
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    namespace["__file__"] = path
    session.native.call_detached(code, namespace)
    del namespace["__file__"]


def _status_of(code: object) -> int:
    """The exit status that the interpreter makes of SystemExit.code."""
    if code is None:
        return 0
    return code & 0xFF if isinstance(code, int) else 1


def _report_as_bare(error: BaseException, program: Program, namespace: dict[str, Any]) -> None:
    """Make the interpreter report error without the frames of Kymo that it passes.

    sys.excepthook is replaced only now, after the program's last statement, and is the
    program's again before it is called."""
    traceback = _without_own(error.__traceback__)
    hook = getattr(sys, "excepthook", None)

    def report(kind: type[BaseException], value: BaseException, _: object) -> None:
        value.__traceback__ = sys.last_traceback = traceback
        if sys.version_info >= (3, 14):
            program.leave(namespace)  # which is earlier there
        if hook is None:
            del sys.excepthook
            sys.stderr.write("sys.excepthook is missing\n")
            sys.__excepthook__(kind, value, traceback)
        else:
            sys.excepthook = hook
            _call_hook(hook, kind, value, traceback)
        if sys.version_info < (3, 14):
            program.leave(namespace)

    sys.excepthook = report


def _call_hook(
    hook: Any, kind: type[BaseException], value: BaseException, traceback: TracebackType | None
) -> None:
    """Call sys.excepthook as the interpreter does, which also reports a failing hook."""
    try:
        hook(kind, value, traceback)
    except SystemExit:
        raise
    except BaseException as error:
        error.__traceback__ = _without_own(error.__traceback__)
        error.__suppress_context__ = error.__context__ is value or error.__suppress_context__
        sys.stderr.write("Error in sys.excepthook:\n")
        sys.__excepthook__(type(error), error, error.__traceback__)
        sys.stderr.write("\nOriginal exception was:\n")
        sys.__excepthook__(kind, value, traceback)


def _without_own(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback from the first frame of the program on."""
    while traceback and traceback.tb_frame.f_globals.get("__name__", "").startswith("kymo."):
        traceback = traceback.tb_next
    return traceback
