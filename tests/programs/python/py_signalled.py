"""Calls that a signal's handler ends before the first line of theirs has run.

The signal is raised from C, which then calls: nothing looks for signals in between."""

import ctypes
import signal

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


def resume(generator, times=1):
    for _ in range(times):
        generator.send(None)
    signalled(generator.send)


def throw(generator):
    next(generator)
    try:
        generator.throw(ValueError)
    except ValueError:
        function(0)


signal.signal(signal.SIGINT, signal.default_int_handler)
signalled(function)
signalled(closure())
recursive(2)
for make in (numbers, delegate, catches, finishes, coroutine):
    resume(make())
resume(tree(3), 2)
throw(numbers())
throw(finishes())
