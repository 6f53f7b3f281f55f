"""The stated cost of measuring against what it is: CPU time of whole programs, in turns with bare
ones."""

import itertools
import os
import pathlib
import sys

from suite import native, setup
from suite.table import show

sys.path += [os.path.join(setup.ROOT, "tests", part) for part in ("", "helpers")]

import cost_runs
import support


def cases(versions, folder):
    binary = cost_runs.compile_native(folder)
    for version in versions:
        for name in cost_runs.PYTHON:
            yield cost_runs.python_case(support.interpreter(version), name)
    for name in cost_runs.NATIVE:
        yield cost_runs.native_case(binary, name)
    yield cost_runs.short_case()


def run(versions, rounds):
    rows = []
    with native.workplace() as place:
        folder = pathlib.Path(place)
        for case in cases(versions, folder):
            middle = cost_runs.middle(itertools.islice(cost_runs.pairs(case, folder), rounds))
            milliseconds = [1e3 * value for value in (middle.bare, middle.stated, middle.measured)]
            rows.append(
                [
                    case.name,
                    *(f"{value:.1f}" for value in milliseconds),
                    f"{middle.stated / middle.measured:.2f}" if middle.measured > 0 else "-",
                ]
            )
    heads = ["program", "bare", "stated", "measured", "stated:measured"]
    show("Cost of measuring, milliseconds of CPU time", heads, rows)
