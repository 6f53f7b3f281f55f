"""Two ways to do the same work, one of them with calls, in turns; prints what a turn of each took, in
nanoseconds of CPU time, on average.  `c`: the calls are of a C function."""

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
    calling = with_c_calls if "c" in sys.argv else with_calls
    took = {"calling": [], "plain": []}
    for _ in range(TURNS):
        took["calling"].append(turn(calling))
        took["plain"].append(turn(without_calls))
    means = {name: sum(values) / TURNS for name, values in took.items()}
    print(json.dumps({"turns": TURNS, "function": calling.__name__, **means}))


main()
