"""Native functions: start-up, rewriting, the budget, and what is covered."""

import json
import os
import re
import shutil
import subprocess

from suite import native, setup
from suite.functions import functions_attach, functions_loads
from suite.outside import Usage
from suite.table import median, show

THROTTLED_CALLS = 1000000000


def _answer(command, out, settings=None):
    variables = setup.environment(out, {"KYMO_FINISH": "OFF", **(settings or {})})
    return subprocess.run(command, env=variables, capture_output=True, text=True)


def count_calls(load, folder):
    """How many calls a load makes: as Kymo counts them, 0 when it cannot."""
    out = os.path.join(folder, "counted")
    command = [native.KYMO, "instrument", "-q", "--cost", "counts", "--"]
    _answer([*command, *load.work], out, load.settings)
    report = [native.KYMO, "report", out, "--format", "json", "--top", "0"]
    answer = _answer(report, out)
    shutil.rmtree(out, ignore_errors=True)
    try:
        regions = json.loads(answer.stdout)["regions"]
    except (ValueError, KeyError):
        return 0
    return sum(region["calls"] for region in regions)


def functions_of(program):
    """How many functions a file has, by the tests' tool; 0 where that was not built."""
    tool = os.path.join(setup.BUILD, "tests", "patch_coverage")
    if not os.path.exists(tool):
        return 0
    answer = subprocess.run([tool, program], capture_output=True, text=True)
    found = re.search(r"functions (\d+)", answer.stdout)
    return int(found[1]) if found else 0


def _first_and_second(load, folder, rounds):
    """Wall seconds added to a program that does nothing: nothing cached, and cached."""
    figures = {"bare": [], "first": [], "second": []}
    command = [native.KYMO, "instrument", "-q", "--cost", "full", "--", *load.nothing]
    for number in range(rounds):
        cache = os.path.join(folder, f"cache-{number}")
        out = os.path.join(folder, "started")
        settings = {"XDG_CACHE_HOME": cache, "KYMO_FINISH": "OFF", **load.settings}
        variables = setup.environment(out, settings)
        figures["bare"].append(Usage(load.nothing, variables).wall)
        for kind in ("first", "second"):
            figures[kind].append(Usage(command, variables).wall)
        shutil.rmtree(cache, ignore_errors=True)
        shutil.rmtree(out, ignore_errors=True)
    bare = median(figures["bare"])
    return [median(figures[kind]) - bare for kind in ("first", "second")]


def _rewrite(load, folder, rounds):
    """Wall seconds of rewriting, and what a rewritten program's start adds."""
    target = os.path.join(folder, "rewritten")
    variables = setup.environment(os.path.join(folder, "out"), load.settings)
    command = [native.KYMO, "instrument", "-q", "-o", target, "--", load.program]
    times, starts = [], []
    for number in range(rounds):
        variables["XDG_CACHE_HOME"] = os.path.join(folder, f"rewriting-{number}")
        if os.path.exists(target):
            os.unlink(target)
        times.append(Usage(command, variables).wall)
        for _ in range(10):
            bare = Usage(load.nothing, variables).wall
            starts.append(Usage([target, *load.nothing[1:]], variables).wall - bare)
    return median(times), median(starts)


def _budget(folder, rounds):
    """How often the bare time a program of brief calls takes with --budget 5."""
    program = native.compile(folder, "brief", "throttled_calls.c")
    work = [program, str(THROTTLED_CALLS)]
    command = [native.KYMO, "instrument", "-q", "--budget", "5", "--", *work]
    variables = setup.environment(os.path.join(folder, "budget"), {"KYMO_FINISH": "OFF"})
    shares = []
    for _ in range(rounds):
        bare = Usage(work, variables).wall
        shares.append(Usage(command, variables).wall / bare)
    return median(shares)


def _try(name, function, *arguments):
    try:
        return function(*arguments)
    except (native.Missing, RuntimeError, OSError) as error:
        setup.say(f"{name}: {error}")
        return None


def run(folder, rounds):
    """All of it as a table; {what: number} for the goals."""
    figures, rows = {}, []
    for name, make in functions_loads.LOADS.items():
        load = _try(name, make, folder)
        begins = load and _try(f"start-up of {name}", _first_and_second, load, folder, rounds)
        if not begins:
            continue
        found = functions_of(load.program)
        rewritten = _try(f"rewriting {name}", _rewrite, load, folder, rounds) or (0, 0)
        figures[name] = {"functions": found, "begins": begins, "rewritten": rewritten}
        each = [f"{1e6 * seconds / found:.2f}" if found else "-" for seconds in begins]
        times = [f"{1e3 * seconds:.1f}" for seconds in (*begins, *rewritten)]
        rows.append([name, found or "-", *times[:2], *each, *times[2:]])
    header = ["ms, wall", "functions", "first", "second", "us each", "us each", "rewriting"]
    show("Start-up and rewriting", [*header, "rewritten starts"], rows)
    figures["stop"] = _try("attaching", functions_attach.run, folder, max(3, rounds))
    figures["budget"] = _try("--budget", _budget, folder, max(1, rounds // 2))
    return figures
