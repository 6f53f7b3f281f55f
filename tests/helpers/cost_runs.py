"""The overhead that runs state, compared with the measured one: CPU time of runs with Kymo and of
bare ones, alternating."""

import itertools
import json
import math
import os
import re
import shutil
import statistics
import subprocess
from collections import namedtuple

import support

PROGRAM = support.program("cost_work.py")

# command: of the bare program; kymo: the words before it.
Case = namedtuple("Case", "name command kymo")
# Seconds of CPU time, of one pair of runs.
Pair = namedtuple("Pair", "stated measured bare")

PYTHON = {
    # name: (work, times, options)
    "calls": ("calls", 40, []),
    "calls, traced": ("calls", 30, ["-T"]),
    "calls of four threads": ("threads", 10, []),
    "long functions": ("long", 2, []),
    "generators": ("generators", 8, []),
    "generators, traced": ("generators", 6, ["-T"]),
    "coroutines, traced": ("coroutines", 6, ["-T"]),
    "C functions": ("builtins", 8, ["--trace-c"]),
    "imports": ("imports", 1, []),
}
NATIVE = {
    "calls, counts": ("calls", 100, ["instrument", "--cost", "counts", "--"]),
    "calls, coarse": ("calls", 12, ["instrument", "--cost", "coarse", "--"]),
    "calls, full": ("calls", 6, ["instrument", "--cost", "full", "--"]),
    "long functions, full": ("few", 100, ["instrument", "--cost", "full", "--"]),
    "sampled": ("few", 100, ["sample", "--"]),
}
UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60}
DURATION = r"([0-9.]+) (s|ms|us|ns|min)"
STATED = re.compile(rf"measuring +cost {DURATION}, ")
OUTPUTS = re.compile(rf"{DURATION} more of CPU time after it, for its outputs")


def compile_native(folder):
    binary = folder / "cost_work"
    source = support.program("cost_work.c")
    subprocess.run(["cc", "-O2", "-o", str(binary), str(source)], check=True)
    return binary


def python_case(interpreter, name):
    work, times, options = PYTHON[name]
    words = [PROGRAM, work, times]
    own = [support.BUILD / "bin" / f"kymo-python-{interpreter}", *options, "--"]
    return Case(f"{interpreter} {name}", [interpreter.executable, *words], [*own, *words])


def native_case(binary, name):
    work, millions, options = NATIVE[name]
    words = [binary, work, millions]
    return Case(name, words, [support.KYMO, *options, *words])


def short_case():
    return Case("true", ["true"], [support.KYMO, "run", "--", "true"])


def environment_of(folder):
    """Byte code is cached, as in normal use."""
    return support.clean_environment(
        folder,
        {
            "PYTHONPATH": support.PACKAGE_DIR,
            "PYTHONDONTWRITEBYTECODE": None,
            "PYTHONPYCACHEPREFIX": folder / "bytecode",
            "KYMO_OUTPUT_PATH": folder / "out",
            "KYMO_TIME_OUTPUT": "OFF",
        },
    )


def used(command, folder):
    """(seconds of CPU time, what it wrote to stderr) of a command and all that it waits for."""
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=str(folder),
        env=environment_of(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    errors = process.stderr.read()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, errors
    return usage.ru_utime + usage.ru_stime, errors


def seconds(match):
    return float(match[1]) * UNITS[match[2]] if match else 0.0


def stated_in(summary):
    cost = STATED.search(summary)
    assert cost, summary
    return seconds(cost) + seconds(OUTPUTS.search(summary))


def calls_in(summary):
    return seconds(re.search(rf"\(calls {DURATION}", summary))


def calls_cost(directory):
    """Seconds of overhead that a run states for its calls."""
    report = support.run_kymo(["report", directory, "--format", "json"], cwd=directory)
    assert report.returncode == 0, report.stderr
    measuring = json.loads(report.stdout)["measuring"]
    assert measuring["is_calibrated"]
    return measuring["calls"]


def has_functions():
    return (support.BUILD / "lib" / "libkymo-functions.so").exists()


def one_pair(case, folder):
    bare, _ = used(case.command, folder)
    measured, summary = used(case.kymo, folder)
    shutil.rmtree(folder / "out")
    return Pair(stated_in(summary), measured - bare, bare)


def pairs(case, folder):
    """Pairs without end; caches of plans and of byte code are filled before the first."""
    one_pair(case, folder)
    while True:
        yield one_pair(case, folder)


def middle(found):
    return Pair(*(statistics.median(column) for column in zip(*found)))


# What Kymo cannot measure: the kernel's time to load and unload its processes, the shell that
# starts `kymo-python`, the interpreter's work before and after.
FLOOR_S = 0.008
SHARE = 0.25


def is_true(pair, allowed=0):
    return abs(pair.stated - pair.measured) <= SHARE * pair.measured + FLOOR_S + allowed


def quiet(found):
    """Of the least disturbed quarters: other load makes both runs of a pair longer, by different
    amounts, and what is stated there is not what it is elsewhere."""
    least = len(found) // 4 + 1
    recorded = sorted((pair.bare + pair.measured, pair.stated) for pair in found)[:least]
    used_s, stated = (statistics.median(column) for column in zip(*recorded))
    bare = statistics.median(sorted(pair.bare for pair in found)[:least])
    return Pair(stated, used_s - bare, bare)


def error(found):
    """Two standard errors of the median of what was measured."""
    low, _, high = statistics.quantiles((pair.measured for pair in found), n=4)
    return 2 * (high - low) / math.sqrt(len(found))


ROUNDS = (3, 9, 21)  # of more, where fewer leave it open


def check(case, folder, of_bare=0):
    """The stated overhead is the measured one, in the median or in the least disturbed runs.
    of_bare: the share of the bare program's time that it may be off besides."""
    found, stream = [], pairs(case, folder)
    for rounds in ROUNDS:
        found += itertools.islice(stream, rounds - len(found))
        seen = middle(found), quiet(found)
        if any(is_true(pair, of_bare * pair.bare) for pair in seen):
            print(case.name, seen)
            return
    # The machine is not at rest: what was measured has an error, too.
    allowed = error(found) + of_bare * seen[0].bare
    assert is_true(seen[0], allowed), (case.name, seen, allowed, found)
