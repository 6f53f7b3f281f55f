"""How often what is estimated of counted calls lies inside of its stated interval: programs whose
functions measure themselves, many runs of each."""

import os
import sys

from suite import native, setup
from suite.table import show

sys.path.append(os.path.join(setup.ROOT, "tests", "helpers"))

import counted_runs

MILLISECONDS = 150
RUNS_A_ROUND = 20


def add(sums, quantity):
    runs, held, width = sums.get(quantity.name, (0, 0, 0))
    width += (quantity.high - quantity.low) / max(quantity.truth, 1e-9)
    sums[quantity.name] = runs + 1, held + counted_runs.holds(quantity), width


def run(interpreters, rounds):
    runs = rounds * RUNS_A_ROUND
    for kind in counted_runs.KINDS:
        sums, rows = {}, []
        with native.workplace() as folder:
            program = counted_runs.compile(folder)
            for _ in range(runs):
                for quantity in counted_runs.one_run(
                    native.KYMO, program, folder, kind, MILLISECONDS
                ):
                    add(sums, quantity)
        for name, (seen, held, width) in sums.items():
            rows.append([name, seen, f"{100 * held / seen:.1f} %", f"{100 * width / seen:.0f} %"])
        title = f"Estimated times of counted calls, {kind}: inside of their 95 % interval"
        show(title, ["of what", "runs", "inside", "interval"], rows)
