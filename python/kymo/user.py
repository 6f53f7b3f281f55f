"""Annotations by the program itself: named regions, recording switched on and off.

The functions return 0 where the interface of other tools does; errors are raised."""

from __future__ import annotations

from kymo import _session
from kymo._binding import native
from kymo._errors import say
from kymo._scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "Region",
    "error_string",
    "pop_region",
    "push_region",
    "region",
    "start_thread_trace",
    "start_trace",
    "stop_thread_trace",
    "stop_trace",
]


def start_trace() -> int:
    """Undo one stop_trace(); without one, record the calls of all threads, as kymo.start()."""
    _session.begin_trace()
    return 0


def stop_trace() -> int:
    """Undo one start_trace(); without one, record no calls until the next one, whatever starts
    recording: the command line, profilers, kymo.start().  Regions are still recorded."""
    _session.end_trace()
    return 0


def stop_thread_trace() -> int:
    """Record nothing of the calling thread until as many start_thread_trace()."""
    _session.pause()
    return 0


def start_thread_trace() -> int:
    """Undo one stop_thread_trace() of the calling thread."""
    _session.resume()
    return 0


def push_region(name: str) -> int:
    """Open a region on the calling thread."""
    if not isinstance(name, str):
        raise TypeError(f"a region's name is a string, not {name!r}")
    if _session.ensure_open():
        native.region_begin(name)
    return 0


def pop_region(name: str) -> int:
    """Close a region.  RuntimeError: name is not the innermost open one of this thread."""
    if native.state() == "active":
        native.region_end(name)
    return 0


def error_string(code: int) -> str:
    """The meaning of a status of the runtime."""
    return native.error_string(code)


def _call(self: Region, function: F) -> F:
    """Decorate a function."""
    return self._decorate(function)


if TYPE_CHECKING:

    class Region(native.Region, Scope):
        """A named section of work: `with region("load"):`, `@region("load")`, start and stop.

        A decorated generator or coroutine is in its region only while it runs.  A block must
        not wait for other tasks: decorate the coroutine instead."""

        def __call__(self, function: F) -> F: ...

else:
    # Not a class of its own: objects created in every iteration of a loop are created in C only.
    Region = native.Region
    Region.__call__ = _call
    for _name in ("_decorate", "run", "runctx", "runcall"):
        setattr(Region, _name, getattr(Scope, _name))

region = Region

_order_reported = False


def _report_order(problem: RuntimeError) -> None:
    global _order_reported
    if not _order_reported:
        _order_reported = True
        say(f"{problem}; regions of this thread may be wrong from here on")
