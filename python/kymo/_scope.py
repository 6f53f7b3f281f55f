"""Something that is started and stopped: by hand, around a block, around a function."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Callable, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])
    T = TypeVar("T")
    S = TypeVar("S", bound="Scope")


class _Paused:
    """Keeps Kymo's own work, mainly imports, out of the program's recording."""

    def __enter__(self) -> None:
        self._session = sys.modules.get("kymo._session")
        if self._session:
            self._session.native.pause()

    def __exit__(self, *_: object) -> None:
        if self._session:
            self._session.native.resume()


class Scope:
    """Base class of profilers and regions; subclasses implement start and stop."""

    __slots__ = ()

    def start(self) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        raise NotImplementedError

    def __enter__(self: S) -> S:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _decorate(self, function: F) -> F:
        """The function with start() and stop() around each section of its work."""
        with _Paused():
            from kymo._functions import wrap

            return wrap(function, self.start, self.stop)

    def run(self: S, code: str) -> S:
        """Execute code in the namespace of __main__."""
        namespace = sys.modules["__main__"].__dict__
        return self.runctx(code, namespace, namespace)

    def runctx(
        self: S, code: str, globals: dict[str, Any], locals: dict[str, Any] | None = None
    ) -> S:
        """Execute code in the given namespaces."""
        compiled = compile(code, "<string>", "exec", dont_inherit=True)
        with self:
            exec(compiled, globals, globals if locals is None else locals)
        return self

    def runcall(self, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Call a function and return what it returns."""
        with self:
            return function(*args, **kwargs)
