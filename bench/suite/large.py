"""A trace of ten million events, a profile of a million call paths: the end of the run, the
views of the report, and exporting it."""

import os
import tempfile

from suite import setup
from suite.outside import Usage
from suite.table import median, show

CALLS = 5_000_000
PROGRAM = """
import sys, time
def call():
    pass
def loop(calls):
    for _ in range(calls):
        call()
loop(int(sys.argv[1]))
with open(sys.argv[2], "w") as file:
    file.write(str(time.time()))
"""

# Ten functions that call each other, six levels deep: each way is a call path of its own.
PATHS_PROGRAM = """
space = {}
for i in range(10):
    source = f"def f{i}(d):\\n    if d:\\n        for g in F:\\n            g(d - 1)\\n"
    exec(compile(source, __file__, "exec"), space)
space["F"] = [space[f"f{i}"] for i in range(10)]
space["f0"](6)
"""
PATHS_VIEWS = (
    [],
    ["--tree"],
    ["--hot-path"],
    ["--butterfly", "f3"],
    ["--by-module"],
    ["--ranks"],
    ["--imbalance"],
    ["--findings"],
)


def _record(python, folder, profile="ON"):
    """Run directory, seconds from the program's last statement to the closed recording."""
    script, stamp = os.path.join(folder, "large.py"), os.path.join(folder, "stamp")
    with open(script, "w") as file:
        file.write(PROGRAM)
    target = os.path.join(folder, "run-" + profile)
    settings = {"KYMO_TRACE": "ON", "KYMO_PROFILE": profile, "KYMO_OUTPUT_PATH": target}
    command = [python, "-m", "kymo", "--", script, str(CALLS), stamp]
    Usage(command, setup.environment(folder, settings))
    with open(stamp) as file:
        last = float(file.read())
    return target, os.stat(os.path.join(target, _recording(target))).st_mtime - last


def _recording(target):
    return next(name for name in os.listdir(target) if name.endswith(".kymo"))


def _export(tool, target, folder, name):
    output = os.path.join(folder, "out." + name)
    usage = Usage([tool, "export", target, "--format", name, "-o", output], dict(os.environ))
    size = os.path.getsize(output)
    os.unlink(output)
    return [
        f"export {name}",
        f"{usage.wall:.2f}",
        f"{size / 1e6:.0f}",
        f"{size / 1e6 / usage.wall:.0f}",
        f"{usage.peak_bytes / 1e6:.0f}",
    ]


def _paths(python, tool, folder, rounds):
    """A row a view: its seconds and its memory."""
    script, target = os.path.join(folder, "paths.py"), os.path.join(folder, "run-paths")
    with open(script, "w") as file:
        file.write(PATHS_PROGRAM)
    settings = {"KYMO_OUTPUT_PATH": target}
    Usage([python, "-m", "kymo", "--", script], setup.environment(folder, settings))
    rows = []
    for view in PATHS_VIEWS:
        command = [tool, "report", target, *view]
        usages = [Usage(command, dict(os.environ)) for _ in range(rounds)]
        rows.append(
            [
                " ".join(["report", *view]),
                f"{median([usage.wall for usage in usages]):.2f}",
                f"{max(usage.peak_bytes for usage in usages) / 1e6:.0f}",
            ]
        )
    return rows


def run(versions, rounds):
    version, python = list(versions.items())[-1]
    tool = os.path.join(setup.BUILD, "bin", "kymo")
    with tempfile.TemporaryDirectory() as folder:
        target, closing = _record(python, folder)
        size = os.path.getsize(os.path.join(target, _recording(target)))
        rows = [["close the recording", f"{max(closing, 0):.2f}", f"{size / 1e6:.0f}", "-", "-"]]
        usage = Usage([tool, "report", target], dict(os.environ))
        rows.append(["report", f"{usage.wall:.2f}", "-", "-", f"{usage.peak_bytes / 1e6:.0f}"])
        events_only, _ = _record(python, folder, "OFF")
        usage = Usage([tool, "report", events_only], dict(os.environ))
        rows.append(
            ["report, replayed", f"{usage.wall:.2f}", "-", "-", f"{usage.peak_bytes / 1e6:.0f}"]
        )
        usage = Usage([tool, "finish", target], dict(os.environ, KYMO_QUIET="ON"))
        rows.append(
            [
                "finish (tables, Perfetto)",
                f"{usage.wall:.2f}",
                "-",
                "-",
                f"{usage.peak_bytes / 1e6:.0f}",
            ]
        )
        for name in ("perfetto", "chrome", "speedscope", "collapsed", "pstats"):
            rows.append(_export(tool, target, folder, name))
        paths = _paths(python, tool, folder, rounds)
    header = ["ten million events", "seconds", "MB", "MB/s", "peak memory, MB"]
    show(f"A long trace (recorded with Python {version})", header, rows)
    print(f"{size / (2 * CALLS):.1f} bytes an event in the recording")
    header = ["1,111,111 call paths", "seconds", "peak memory, MB"]
    show(f"Views of a large profile (recorded with Python {version})", header, paths)
