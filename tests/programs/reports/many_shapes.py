"""Many call paths in a shape of their own: `many_shapes.py short|deep|threads|processes [LETTERS]`,
of functions whose file's name has so many letters more."""

import multiprocessing
import sys
import threading

FILE = "/".join(["x" * 100] * (int(sys.argv[2]) // 100)) if len(sys.argv) > 2 else "x"


def made(number):
    names = {}
    source = f"def f{number}(n, levels):\n    for f in levels[n]:\n        f(n + 1, levels)\n"
    exec(compile(source, f"/{FILE}/m{number}.py", "exec"), names)
    return names[f"f{number}"]


def paths(depth=9):
    levels = [[made(2 * level), made(2 * level + 1)] for level in range(depth)] + [[]]
    for function in levels[0]:
        function(1, levels)


def recursive(n):
    if n:
        recursive(n - 1)


def joined(make):
    started = [make(target=paths) for _ in range(20)]
    for one in started:
        one.start()
    for one in started:
        one.join()


if __name__ == "__main__":
    shape = sys.argv[1]
    if shape == "threads":
        joined(threading.Thread)
    elif shape == "processes":
        joined(multiprocessing.get_context("fork").Process)
    elif shape == "deep":
        sys.setrecursionlimit(20000)
        recursive(9000)
    else:
        paths(13)
