"""The native module: the hooks into CPython and the interface to the runtime."""

from types import TracebackType
from typing import Callable, TypeVar

_R = TypeVar("_R", bound="Region")

def open(settings: list[str], argv: list[str], began_ns: int = 0) -> None:
    """Open the recording.  settings: "NAME=VALUE", above environment and files.
    began_ns: time.thread_time_ns() when Kymo's own work began; 0 = now.
    ValueError: a setting is wrong; RuntimeError: this process cannot record."""

def close(status: int) -> None:
    """Close the recording and run the finishing step; -1 = exit status unknown."""

def state() -> str:
    """ "new", "active", "closed" or "disabled"."""

def directory() -> str: ...
def recording() -> str: ...
def setting(name: str) -> str | None: ...
def start() -> None:
    """Nested; the hooks of all threads are installed at the first."""

def stop() -> None: ...
def trace_start() -> None:
    """Undo a trace_stop(), else as start()."""

def trace_stop() -> None:
    """Undo a trace_start(); without one, nothing is collected until the next."""

def is_running() -> bool: ...
def pause() -> None:
    """The calling thread records nothing until as many resume() as pause()."""

def resume() -> None: ...
def before_exit(handler: Callable[[int], object] | None) -> None:
    """Call handler(status) before each os._exit(), under any name of it."""

def configure(config: dict[str, bool | int | str | list[str]]) -> None:
    """Filters and labels from now on.  ValueError: a pattern is wrong."""

def instrumenters() -> list[tuple[str, bool, str]]: ...
def instrumenter() -> str: ...
def set_instrumenter(name: str) -> None: ...
def region_begin(name: str) -> None: ...
def region_end(name: str) -> None:
    """RuntimeError: name is not the innermost open user region of this thread."""

class Region:
    """A named region of the calling thread; a block's end out of order is reported, not raised."""

    label: str
    def __init__(self, label: str) -> None: ...
    def start(self) -> None: ...
    def stop(self) -> None:
        """RuntimeError: it is not the innermost open user region of this thread."""

    def __enter__(self: _R) -> _R: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

def call_detached(what: object, *arguments: object) -> object:
    """Execute a code object in a namespace, or call something, on an empty stack."""

def error_string(code: int) -> str: ...
