"""Profile parts of a program: decorators, context managers, explicit start and stop."""

from __future__ import annotations

import sys

from kymo._config import config
from kymo._scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence, TypeVar, overload

    F = TypeVar("F", bound=Callable[..., Any])
    W = TypeVar("W", bound="_Switch")

__all__ = [
    "Config",
    "FakeProfiler",
    "Profiler",
    "config",
    "finalize",
    "initialize",
    "is_finalized",
    "is_initialized",
    "noprofile",
    "profile",
    "start",
    "stop",
]

# One configuration for the whole process, under both names.
Config = config


class _Switch(Scope):
    """A scope without a name of its own: `@switch` and `@switch()` are the same."""

    def __init__(self, debug: bool = False) -> None:
        if callable(debug):
            name = type(self).__name__
            raise TypeError(f"write @kymo.{name}(): {name} without a call is a class")
        self.debug = debug

    if TYPE_CHECKING:

        @overload
        def __call__(self: W, *, debug: bool = False) -> W: ...
        @overload
        def __call__(self, function: F) -> F: ...

    def __call__(self, function: Any = None, *, debug: bool = False) -> Any:
        """Decorate a function; without one, a new object of this kind."""
        if function is None:
            return type(self)(debug)
        return self._decorate(function)


class Profiler(_Switch):
    """Record the calls of all threads while started.

    Objects nest, within themselves and with each other: recording ends when as many have
    been stopped as were started.  `kymo.profile` is one shared object:
    `@profile`, `@profile()`, `with profile:` and `with profile():` are all the same."""

    _condition: Callable[[], object] | None = None

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        # One item a start: whether it started anything.  Appending and popping are atomic.
        self._started: list[bool] = []

    def start(self) -> None:
        """Start recording, if the condition holds; the first start opens the recording."""
        self._started.append(_holds(Profiler._condition) and _session().begin())

    def stop(self) -> None:
        """Undo one start; more stops than starts do nothing."""
        if self._started and self._started.pop():
            _session().end()

    def configure(self) -> None:
        """Make changes of the configuration take effect now, not at the next start."""
        if _session().ensure_open():
            _session().configure()

    def update(self) -> None:
        """As configure(), while recording only."""
        if self.is_enabled():
            _session().configure()

    @staticmethod
    def condition(predicate: Callable[[], object] | None) -> None:
        """Call predicate at every start of every profiler; none begins if it returns false or
        fails.  The last one given applies, None removes it."""
        Profiler._condition = predicate

    @staticmethod
    def is_enabled() -> bool:
        """Whether calls are being recorded."""
        loaded = sys.modules.get("kymo._session")
        return loaded is not None and bool(loaded.native.is_running())


class FakeProfiler(_Switch):
    """Record nothing of the calling thread while started; nests."""

    def start(self) -> None:
        """Pause the calling thread."""
        _session().pause()

    def stop(self) -> None:
        """Undo one start in the calling thread."""
        _session().resume()


profile = Profiler()
noprofile = FakeProfiler()


def start() -> None:
    """Record the calls of all threads from now on, until as many stop()."""
    _session().begin()


def stop() -> None:
    """Undo one start, from any caller, including the command line."""
    if "kymo._session" in sys.modules:
        _session().end()


def initialize(arguments: str | Sequence[str] = ()) -> None:
    """Open the recording, named after a command line; recording of calls does not start.

    RuntimeError: the recording was closed already."""
    session = _session()
    if session.native.state() == "closed":
        raise RuntimeError("kymo: the recording of this process was closed already")
    argv = [arguments] if isinstance(arguments, str) else list(arguments)
    session.ensure_open(argv)


def finalize() -> None:
    """Close the recording and write its outputs; nothing is recorded afterwards."""
    loaded = sys.modules.get("kymo._session")
    if loaded is not None:
        loaded.close_recording()


def is_initialized() -> bool:
    """Whether the recording of this process was opened, also when it is closed by now."""
    return _state() in ("active", "closed")


def is_finalized() -> bool:
    """Whether the recording of this process was closed."""
    return _state() == "closed"


def add_builtins() -> None:
    """Make profile, noprofile, trace and notrace available everywhere without an import."""
    import builtins

    vars(builtins).update(profile=profile, noprofile=noprofile, trace=profile, notrace=noprofile)


def _session() -> Any:
    """The module that holds the recording; the native module is loaded with it."""
    from kymo import _session as session

    return session


def _state() -> str:
    loaded = sys.modules.get("kymo._session")
    return loaded.native.state() if loaded is not None else "new"


def _holds(predicate: Callable[[], object] | None) -> bool:
    if predicate is None:
        return True
    try:
        return bool(predicate())
    except Exception:
        return False
