"""Programs whose measuring costs different things: `cost_work.py WORK [TIMES]`."""

import sys
import threading


def step(value):
    return value + 1


def calls(times):
    """As many calls as a program can make."""
    value = 0
    for _ in range(50_000 * times):
        value = step(value)


def long(times):
    """Few calls of functions that work for a while."""

    def work():
        value = 0
        for number in range(20_000):
            value = value * 3 % 1001 + number
        return value

    for _ in range(40 * times):
        work()


def generators(times):
    def numbers(count):
        for number in range(count):
            yield number

    for _ in range(20 * times):
        sum(numbers(10_000))


def coroutines(times):
    async def number(value):
        return value

    async def numbers(count):
        for value in range(count):
            await number(value)

    for _ in range(20 * times):
        try:
            numbers(10_000).send(None)
        except StopIteration:
            pass


def builtins(times):
    value = 0
    for number in range(150_000 * times):
        value = abs(number)
    return value


def threads(times):
    workers = [threading.Thread(target=calls, args=(times,)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def imports(times):
    import asyncio  # noqa: F401
    import email.message  # noqa: F401
    import http.client  # noqa: F401
    import json  # noqa: F401
    import unittest.mock  # noqa: F401
    import xml.dom.minidom  # noqa: F401


WORKS = {
    work.__name__: work
    for work in (calls, long, generators, coroutines, builtins, threads, imports)
}

if __name__ == "__main__":
    WORKS[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 1)
