"""Calls that a signal's handler ends before the first line of theirs has run, and generators
that go on with what it raised: at every place where one may be suspended.

The signal is raised from C, which then calls: nothing looks for signals in between."""

import ctypes
import functools
import signal
import warnings

raise_signal = ctypes.pythonapi.PyErr_SetInterrupt


def signalled(function):
    try:
        list(map(function, iter(raise_signal, object())))
    except KeyboardInterrupt:
        return True


def function(_):
    return 0


def closure():
    x = 1

    def inner(_):
        return x

    return inner


def recursive(n):
    if isinstance(n, int) and n > 0:
        signalled(recursive)


def numbers():
    while True:
        yield 1


def delegate():
    yield from numbers()


def tree(n):
    yield n
    if n:
        yield from tree(n - 1)


def catches():
    try:
        while True:
            yield 1
    except KeyboardInterrupt:
        yield 2


def finishes():
    try:
        yield 1
    finally:
        function(0)


class Waiting:
    def __await__(self):
        yield 1


async def coroutine():
    await Waiting()


class Catching:
    def __await__(self):
        try:
            yield 1
        except KeyboardInterrupt:
            function(0)
            yield 2


async def waits():
    await Catching()


async def produces():
    try:
        await Waiting()
        yield 1
    except KeyboardInterrupt:
        yield function(2)


async def loops():
    async for _ in produces():
        function(0)


class Context:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return True

    async def __aenter__(self):
        await Catching()

    async def __aexit__(self, *_):
        await Catching()


async def managed():
    async with Context():
        await Waiting()


def scope():
    with Context():
        yield 1


def delegates():
    yield from catches()


def nested(n):
    try:
        if n:
            yield from nested(n - 1)
        yield 1
    except KeyboardInterrupt:
        function(0)
        yield 2


def replaces():
    try:
        yield 1
    except KeyboardInterrupt:
        function(0)
        raise ValueError from None


def survives():
    while True:
        try:
            while True:
                yield 1
        except ValueError:
            pass


def resume(generator, times=1):
    for _ in range(times):
        generator.send(None)
    try:
        signalled(generator.send)
    except (StopIteration, ValueError):
        function(0)


def throw(generator):
    next(generator)
    try:
        generator.throw(ValueError)
    except ValueError:
        function(0)


def throw_signalled(generator):
    next(generator)
    signalled(functools.partial(generator.throw, ValueError))


warnings.simplefilter("ignore")  # of the value that throw() is given
signal.signal(signal.SIGINT, signal.default_int_handler)
signalled(function)
signalled(closure())
signalled(functools.partial(next, numbers()))
recursive(2)
for make in (numbers, delegate, catches, finishes, coroutine):
    resume(make())
resume(tree(3), 2)
throw(numbers())
throw(finishes())
for make in (waits, loops, scope, delegates, replaces):
    resume(make())
resume(managed())
resume(managed(), 2)
resume(managed(), 3)
resume(nested(3))
throw_signalled(survives())
resume(number for number in (1, 2))
