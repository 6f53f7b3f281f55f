"""Call paths by the ten thousand: argument 1 is how many calls deep, each path in two."""

import sys


def make(count):
    for i in range(count):
        code = f"def call_{i}(depth, number):\n    descend(depth - 1, number)\n"
        exec(compile(code, __file__, "exec"), globals())


def descend(depth, number):
    if depth > 0:
        for _ in range(2):
            number = (number * 1103515245 + 12345) % 2147483648
            globals()[f"call_{number >> 16 & 127}"](depth, number)


make(128)
descend(int(sys.argv[1]), 1)
