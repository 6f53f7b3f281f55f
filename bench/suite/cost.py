"""The stated cost of measuring against the slowdown that is there."""

import os
import tempfile

from suite import setup
from suite.large import stated_cost
from suite.outside import Usage
from suite.table import median, show

TIMES = 100


def _round(python, name, folder):
    """(seconds stated, seconds measured) of one pair of runs."""
    target = os.path.join(folder, "run")
    variables = setup.environment(folder, {"KYMO_OUTPUT_PATH": target})
    program = ["-m", "suite.programs", name]
    hooked = Usage([python, "-m", "kymo", "--", *program, str(TIMES)], variables).cpu
    stated = stated_cost(os.path.join(setup.BUILD, "bin", "kymo"), target)
    for file in os.listdir(target):
        os.unlink(os.path.join(target, file))
    # Start-up is stated on its own: it is taken off with a run that calls nothing.
    empty = Usage([python, "-m", "kymo", "--", *program, "0"], variables).cpu
    bare = Usage([python, *program, str(TIMES)], variables).cpu
    bare_empty = Usage([python, *program, "0"], variables).cpu
    for file in os.listdir(target):
        os.unlink(os.path.join(target, file))
    return stated, (hooked - empty) - (bare - bare_empty)


def run(versions, rounds):
    rows = []
    for version, python in versions.items():
        for name in ("recursion", "methods", "generators"):
            with tempfile.TemporaryDirectory() as folder:
                pairs = [_round(python, name, folder) for _ in range(rounds)]
            stated, measured = (median(column) for column in zip(*pairs))
            rows.append(
                [
                    f"{version} {name}",
                    f"{stated:.3f}",
                    f"{measured:.3f}",
                    f"{stated / measured:.2f}",
                ]
            )
    show("Cost of measuring, seconds", ["program", "stated", "measured", "stated:measured"], rows)
