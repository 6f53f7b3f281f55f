"""What each metric adds to a recorded call, as calibrated in a run that measures it."""

import json
import os
import tempfile

from suite import setup
from suite.outside import Usage
from suite.table import median, show

METRICS = [
    "wall_clock",
    "monotonic_clock",
    "thread_cpu_clock",
    "process_cpu_clock",
    "peak_rss",
    "page_rss",
    "num_minor_page_faults",
    "voluntary_context_switch",
    "read_char",
]


def _call_ns(python, metric):
    """Nanoseconds of one recorded call."""
    tool = os.path.join(setup.BUILD, "bin", "kymo")
    with tempfile.TemporaryDirectory() as folder:
        variables = setup.environment(folder, {"KYMO_TIMEMORY_COMPONENTS": metric})
        Usage([python, "-m", "kymo", "--", "-m", "suite.programs", "methods", "1"], variables)
        answer = os.popen(f"{tool} report {folder} --format json --top 1").read()
    report = json.loads(answer)
    return report["measuring"]["calls"] / report["calls"] * 1e9


def run(versions, rounds):
    version, python = list(versions.items())[-1]
    rows = []
    base = None
    for metric in METRICS:
        cost = median([_call_ns(python, metric) for _ in range(rounds)])
        base = cost if base is None else base
        rows.append([metric, f"{cost:.0f}", f"{cost - base:+.0f}"])
    show(
        f"Python {version}: a recorded call with one metric, ns",
        ["metric", "a call", "more than wall_clock"],
        rows,
    )
