"""Runs of tests/programs/counted_truth.c, whose functions measure themselves: estimates of counted
calls, compared with the measurements in the same run."""

import json
import os
import shutil
import subprocess
from collections import namedtuple
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "programs" / "counted" / "counted_truth.c"
KINDS = [
    "constant",
    "spread",
    "tailed",
    "periodic",
    "recursive",
    "mutual",
    "phases",
    "threads",
]
# The program's own readings do not see the very first instructions, which wait for their pages.
BLIND_SECONDS = 5e-5

Quantity = namedtuple("Quantity", "name truth value low high")


def compile(folder):
    program = Path(folder) / "counted_truth"
    command = ["cc", "-O2", "-g", "-o", program, SOURCE, "-pthread", "-lm"]
    subprocess.run(command, check=True)
    return program


def _report(kymo, folder, environment, *view):
    command = [kymo, "report", folder, *view, "--format", "json", "--top", "0"]
    done = subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def _quantity(name, truth, row, what, preempted):
    """The program's clock runs while it is pre-empted, which no time of a call includes."""
    low, high = row[what + "_low"], row[what + "_high"]
    return Quantity(name, float(truth), row[what], low, high + preempted)


def one_run(kymo, program, folder, kind, milliseconds, has_edges=True):
    """[Quantity] of one run, in seconds.  Calls inside of calls by the same caller have no
    interval."""
    out = Path(folder) / "counted"
    shutil.rmtree(out, ignore_errors=True)
    environment = {
        **os.environ,
        "KYMO_OUTPUT_PATH": str(out),
        "KYMO_TIME_OUTPUT": "OFF",
        "KYMO_FINISH": "OFF",
        "XDG_CACHE_HOME": str(Path(folder) / "cache"),
    }
    command = [kymo, "instrument", "-q", "--cost", "counts", "--", program, kind, milliseconds]
    done = subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True, check=True
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    truths = [line[1:] for line in lines if line[0] == "function"]
    report = _report(kymo, out, environment, "--flat")
    regions = {row["name"]: row for row in report["regions"]}
    preempted = report["measuring"]["preempted"]
    found = []
    for name, total, self in truths:
        found.append(_quantity(name + " total", total, regions[name], "total", preempted))
        found.append(_quantity(name + " self", self, regions[name], "self", preempted))
    edges = {}
    for name, *_ in truths if has_edges else []:
        for row in _report(kymo, out, environment, "--callers", name)["callers"]:
            edges[row["caller"], row["callee"]] = row
    for caller, callee, total in (line[1:] for line in lines if line[0] == "edge"):
        row = edges.get((caller, callee))
        if caller != callee and row and row.get("total_low") is not None:
            found.append(_quantity(f"{caller} -> {callee}", total, row, "total", preempted))
    shutil.rmtree(out)
    return found


def holds(quantity):
    return quantity.low - BLIND_SECONDS <= quantity.truth <= quantity.high + BLIND_SECONDS
