"""Parts of known length in Python and in C called from Python: each measures itself.

Usage: truth.py MODE SECONDS; prints "NAME SECONDS" for each part.
"""

import hashlib
import sys
import time

DATA = bytes(range(256)) * 1500


def in_python(rounds):
    value = rounds
    for i in range(rounds):
        value = (value * 33 + i) & 0xFFFFFFFF
    return value


def in_c(rounds):
    for _ in range(rounds):
        hashlib.sha256(DATA).digest()


def hot_line(rounds):
    total = 0
    for i in range(rounds):
        total += 1
        total -= 1
        total = sum(x * x for x in (i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8))
        total += 2
        total -= 2
    return total


def alternate(parts, seconds):
    spent = dict.fromkeys((part.__name__ for part, _ in parts), 0.0)
    end = time.perf_counter() + seconds
    before = time.perf_counter()
    while before < end:
        for part, rounds in parts:
            part(rounds)
            after = time.perf_counter()
            spent[part.__name__] += after - before
            before = after
    return spent


def main(mode, seconds):
    plans = {
        "c": [(in_python, 20000), (in_c, 2)],
        "line": [(hot_line, 1000)],
    }
    for name, value in alternate(plans[mode], seconds).items():
        print(name, value)


main(sys.argv[1], float(sys.argv[2]))
