"""Wraps functions of every kind, with calls of begin() and end() around their work.

Generators and coroutines work in steps: each resume is one begin, each yield or return one
end, so that the time while they wait is not attributed to them."""

from __future__ import annotations

from functools import wraps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Generator, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

_GENERATOR = 0x20
_COROUTINE = 0x80
_ASYNC_GENERATOR = 0x200


def wrap(function: F, begin: Callable[[], None], end: Callable[[], None]) -> F:
    """A function that does what function does, between begin() and end().

    Its name, documentation and signature are function's.  staticmethod and classmethod
    objects are wrapped inside.  TypeError: this cannot be wrapped."""
    kind: Any = type(function)
    if kind in (staticmethod, classmethod):
        inner: Any = function
        rebuilt: F = kind(wrap(inner.__func__, begin, end))
        return rebuilt
    if isinstance(function, type):
        raise TypeError(f"decorate the methods of class {function.__name__!r}, not the class")
    if not callable(function):
        raise TypeError(f"cannot decorate {function!r}: it is not a function")
    return wraps(function)(_choose(_code_flags(function))(function, begin, end))  # type: ignore[return-value]


def _code_flags(function: Any) -> int:
    while hasattr(function, "func") and not hasattr(function, "__code__"):
        function = function.func  # functools.partial
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code.co_flags if code is not None else 0


def _choose(flags: int) -> Callable[..., Any]:
    if flags & _GENERATOR:
        return _wrap_generator
    if flags & _COROUTINE:
        return _wrap_coroutine
    if flags & _ASYNC_GENERATOR:
        return _wrap_async_generator
    return _wrap_plain


def _wrap_plain(function: Any, begin: Any, end: Any) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        begin()
        try:
            return function(*args, **kwargs)
        finally:
            end()

    return wrapper


def _wrap_generator(function: Any, begin: Any, end: Any) -> Callable[..., Any]:
    # Not `yield from`: it would close the inner generator before throwing GeneratorExit.
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        inner = function(*args, **kwargs)
        resume, value = inner.send, None
        while True:
            begin()
            try:
                item = resume(value)
            except StopIteration as stop:
                return stop.value
            finally:
                end()
            try:
                resume, value = inner.send, (yield item)
            except BaseException as error:
                resume, value = inner.throw, error

    return wrapper


def _wrap_coroutine(function: Any, begin: Any, end: Any) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        return await _Awaitable(function(*args, **kwargs), begin, end)

    return wrapper


def _wrap_async_generator(function: Any, begin: Any, end: Any) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        step = generator.asend(None)
        while True:
            try:
                item = await _Awaitable(step, begin, end)
            except StopAsyncIteration:
                return
            try:
                sent = yield item
            except BaseException as error:
                step = generator.athrow(error)
            else:
                step = generator.asend(sent)

    return wrapper


class _Awaitable:
    """A coroutine, or a step of an async generator, awaited step by step."""

    __slots__ = ("_steps",)

    def __init__(self, inner: Any, begin: Any, end: Any) -> None:
        # An awaitable's iterator has the methods of a generator, and is driven as one.
        self._steps = _wrap_generator(lambda: inner, begin, end)

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._steps()  # type: ignore[no-any-return]
