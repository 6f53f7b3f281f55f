"""What reading the machine costs: CPU time of a sleeping program and its threads, as a share of
the wall time, and of one reading."""

import os
import shutil
import sys

from suite import native, setup
from suite.outside import Usage
from suite.table import median, show

SECONDS = 2
RATES = (10, 100, 1000)
THREADS = (0, 16)

# Threads that do nothing, for that long.
SLEEPER = """
import sys, threading, time
threads = [threading.Thread(target=time.sleep, args=({0},)) for _ in range({1})]
for thread in threads: thread.start()
time.sleep({0})
"""


def _commands(thread_count):
    program = [sys.executable, "-c", SLEEPER.format(SECONDS, thread_count)]
    without = [*native.under(["--no-python"]), *program]
    host = {
        rate: [*native.under(["--no-python", "-H", "--process-freq", str(rate)]), *program]
        for rate in RATES
    }
    return {0: without, **host}


def _cpu_seconds(command, folder):
    out = os.path.join(folder, "run")
    usage = Usage(command, setup.environment(out, {"KYMO_FINISH": "OFF"}))
    shutil.rmtree(out, ignore_errors=True)
    return usage.cpu


def run(_versions, rounds):
    rows = []
    with native.workplace() as folder:
        for thread_count in THREADS:
            times = {}
            for _ in range(rounds):
                for rate, command in _commands(thread_count).items():
                    times.setdefault(rate, []).append(_cpu_seconds(command, folder))
            for rate in RATES:
                added = median([a - b for a, b in zip(times[rate], times[0])])
                rows.append(
                    [
                        str(rate),
                        str(thread_count + 1),
                        f"{100 * added / SECONDS:.2f} %",
                        f"{1e6 * added / (rate * SECONDS):.0f}",
                    ]
                )
    show(
        "Reading the machine and the process, CPU time",
        ["Hz", "threads", "of a core", "us a reading"],
        rows,
    )
