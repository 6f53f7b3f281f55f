"""What is added to `true`, wall time: everything from the command to its end."""

import os
import shutil

from suite import native, setup
from suite.outside import Usage
from suite.table import median, show


def _variants():
    true = shutil.which("true") or "/bin/true"
    variants = {
        "bare": ([true], {}),
        "kymo run, without outputs": ([*native.under(), true], {"KYMO_FINISH": "OFF"}),
        "kymo run": ([*native.under(), true], {"KYMO_FINISH": "ON"}),
        "kymo run --trace --locks": (
            [*native.under(["--trace", "--locks"]), true],
            {"KYMO_FINISH": "ON"},
        ),
    }
    for peer in (["strace", "-f", "-o", "/dev/null"], ["ltrace", "-o", "/dev/null"]):
        if shutil.which(peer[0]):
            variants[" ".join(peer[:1])] = ([*peer, true], {})
    if shutil.which("valgrind"):
        variants["valgrind --tool=none"] = (["valgrind", "-q", "--tool=none", true], {})
    return variants


def run(_versions, rounds):
    variants = _variants()
    times = {name: [] for name in variants}
    with native.workplace() as folder:
        for _ in range(6 * rounds):
            for name, (command, settings) in variants.items():
                out = os.path.join(folder, "run")
                variables = setup.environment(out, settings)
                times[name].append(Usage(command, variables).wall * 1e3)
                shutil.rmtree(out, ignore_errors=True)
    bare = times["bare"]
    rows = [
        [name, f"{median(each):.1f}", f"{median([a - b for a, b in zip(each, bare)]):+.1f}"]
        for name, each in times.items()
    ]
    show("Start and end of `true`, wall time", ["", "ms", "added, ms"], rows)
