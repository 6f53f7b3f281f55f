"""Two ways to do the same work, one of them with calls, in turns; prints what a turn of each took, in
nanoseconds of CPU time, on average.  `c`: the calls are of a C function; `generator`: of one that
goes on; `coroutine`: of one that is awaited."""

import json
import sys
import time

TURNS = 400
CALLS = 2000


def step(value):
    value = value + 1
    value = value * 3 % 1000
    return value ^ 5


def with_calls(calls):
    value = 0
    for _ in range(calls):
        value = step(value)
    return value


def with_c_calls(calls):
    value = 0
    for _ in range(calls):
        value = abs(value) + 1
        value = value * 3 % 1000
        value = value ^ 5
    return value


def steps(calls):
    value = 0
    for _ in range(calls):
        value = value + 1
        value = value * 3 % 1000
        yield value ^ 5


def with_a_generator(calls):
    for value in steps(calls):
        last = value
    return last


async def awaited(value):
    value = value + 1
    value = value * 3 % 1000
    return value ^ 5


async def with_coroutines(calls):
    value = 0
    for _ in range(calls):
        value = await awaited(value)
    return value


def with_a_coroutine(calls):
    try:
        with_coroutines(calls).send(None)
    except StopIteration as result:
        return result.value


def without_calls(calls):
    value = 0
    for _ in range(calls):
        value = value + 1
        value = value * 3 % 1000
        value = value ^ 5
    return value


def turn(work):
    clock = time.thread_time_ns
    start = clock()
    work(CALLS)
    return clock() - start


def main():
    calling = {
        "calls": with_calls,
        "c": with_c_calls,
        "generator": with_a_generator,
        "coroutine": with_a_coroutine,
    }[sys.argv[1] if len(sys.argv) > 1 else "calls"]
    took = {"calling": [], "plain": []}
    for _ in range(TURNS):
        took["calling"].append(turn(calling))
        took["plain"].append(turn(without_calls))
    means = {name: sum(values) / TURNS for name, values in took.items()}
    print(json.dumps({"turns": TURNS, "function": calling.__name__, **means}))


main()
