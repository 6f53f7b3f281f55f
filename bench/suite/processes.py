"""Whole programs under each tool: how many times the bare program's CPU time."""

import os
import tempfile

from suite import setup
from suite.outside import Usage
from suite.table import median, show
from suite.tools import KYMO_MODES

TIMES = 8  # repetitions of a workload, so that start-up does not count
NAMES = ["recursion", "methods", "generators", "builtins"]


def _commands(python, folder):
    """{tool: (command prefix, settings)}."""
    target = ["suite.programs"]
    commands = {"bare": ([python, "-m", *target], {})}
    for tool, settings in KYMO_MODES.items():
        commands[tool] = ([python, "-m", "kymo", "--", "-m", *target], settings)
    commands["cProfile"] = (
        [python, "-m", "cProfile", "-o", os.path.join(folder, "x.prof"), "-m", *target],
        {},
    )
    commands["viztracer"] = (
        [
            python,
            "-m",
            "viztracer",
            "--quiet",
            "--ignore_c_function",
            "-o",
            os.path.join(folder, "x.json"),
            "-m",
            *target,
        ],
        {},
    )
    commands["yappi"] = (
        [python, "-m", "yappi", "-c", "wall", "-o", os.path.join(folder, "x.yappi"), "-m", *target],
        {},
    )
    commands["pyinstrument"] = (
        [python, "-m", "pyinstrument", "-o", os.path.join(folder, "x.txt"), "-m", *target],
        {},
    )
    return commands


def measure(python, name, rounds, tools=None):
    """{tool: [CPU seconds]} of one workload; tools that fail are left out."""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        commands = _commands(python, folder)
        for tool in [tool for tool in commands if tools and tool not in tools]:
            del commands[tool]
        for _ in range(rounds):
            for tool, (command, settings) in list(commands.items()):
                # The end of the run belongs to the measured time.
                variables = setup.environment(folder, {"KYMO_FINISH": "ON", **settings})
                try:
                    usage = Usage([*command, name, str(TIMES)], variables)
                except RuntimeError as error:
                    setup.say(f"{tool} is left out: {error}")
                    del commands[tool]
                    results.pop(tool, None)
                    continue
                results.setdefault(tool, []).append(usage.cpu)
    return results


def run(versions, rounds):
    for version, executable in versions.items():
        python, missing = setup.peers(version, executable)
        rows = []
        for name in NAMES:
            results = measure(python, name, rounds)
            bare = median(results.pop("bare"))
            rows.append([name, f"{bare:.2f}"])
            rows[-1] += [f"{median(times) / bare:.2f}" for times in results.values()]
        header = ["times bare", "bare, s", *results]
        show(f"Python {version}: whole programs, CPU time with all output written", header, rows)
        for tool, reason in missing.items():
            print(f"{tool} is left out on {version}: {reason}")
