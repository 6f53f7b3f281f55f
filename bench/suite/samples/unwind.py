"""A warm native stack walked: directly, in a signal's handler beside an empty one, and
glibc's backtrace()."""

import os

from suite import native, setup
from suite.table import median, show


def run(_versions, rounds):
    library = os.path.join(setup.BUILD, "lib", "libkymo_common.a")
    sources = os.path.join(setup.ROOT, "src")
    figures = {}
    with native.workplace() as folder:
        binary = native.compile(folder, "unwind", "unwind.c", "-I", sources, library)
        for _ in range(rounds):
            for line in native.answer([binary], folder).splitlines():
                frames, *times = line.split()
                figures.setdefault(frames, []).append([float(time) for time in times])
    rows = []
    for frames, each in figures.items():
        direct, empty, _, theirs = (median([f[i] for f in each]) for i in range(4))
        added = median([f[2] - f[1] for f in each])
        rows.append(
            [
                f"{frames} frames",
                f"{direct:.0f}",
                f"{empty:.0f}",
                f"{added:+.0f}",
                f"{100 * added / empty:.0f} %",
                f"{theirs:.0f}",
                f"{theirs / direct:.0f}",
            ]
        )
    header = ["ns a stack", "walk", "empty handler", "added", "of it", "backtrace()", "times ours"]
    show("Native stacks, warm, wall time", header, rows)
