"""The timeline of a long trace: writing its page, and how long a frame of it takes."""

import json
import os
import subprocess
import tempfile

from suite import setup
from suite.outside import Usage
from suite.table import median, show

MILLIONS = (1, 10, 50)  # events
PROGRAM = """
import sys, threading
def leaf(i):
    pass
def twig(i):
    leaf(i)
    leaf(i)
def branch(i):
    for k in range(8):
        twig(k)
def loop(rounds):
    for i in range(rounds):
        branch(i)
calls = int(sys.argv[1])
threads = [threading.Thread(target=loop, args=(calls // 100,)) for _ in range(3)]
for thread in threads:
    thread.start()
loop(calls // 100)
for thread in threads:
    thread.join()
"""


def _record(python, folder, events):
    script = os.path.join(folder, "threads.py")
    with open(script, "w") as file:
        file.write(PROGRAM)
    target = os.path.join(folder, f"run-{events}")
    settings = {"KYMO_TRACE": "ON", "KYMO_OUTPUT_PATH": target}
    command = [python, "-m", "kymo", "--", script, str(events // 2)]
    Usage(command, setup.environment(folder, settings))
    return target


def _frames(page):
    """What frames.py says, or why it could not."""
    python = os.path.join(setup.BUILD, "venv", "bin", "python")
    script = os.path.join(setup.BENCH, "suite", "pages", "frames.py")
    if not os.path.exists(python):
        return None, f"'{python}' is not there: ./test.sh makes it"
    answer = subprocess.run([python, script, page], capture_output=True, text=True)
    if answer.returncode != 0:
        return None, (answer.stderr.strip().splitlines() or ["no message"])[-1]
    return json.loads(answer.stdout), None


def _measure(tool, python, folder, millions, rounds):
    target = _record(python, folder, millions * 1_000_000)
    page = os.path.join(folder, f"page-{millions}.html")
    line = [tool, "view", "--no-open", "-o", page, target]
    usages = [Usage(line, dict(os.environ)) for _ in range(rounds)]
    row = [
        f"{millions} million events",
        f"{median([usage.wall for usage in usages]):.2f}",
        f"{median([usage.cpu for usage in usages]):.2f}",
        f"{max(usage.peak_bytes for usage in usages) / 1e6:.0f}",
        f"{os.path.getsize(page) / 1e6:.1f}",
    ]
    answer, reason = _frames(page)
    if not answer:
        return [*row, "-", "-", "-", "-"], reason
    frames = sorted(answer["frames"])
    row += [f"{answer['drawn']:.2f}", f"{median(frames):.1f}"]
    row += [f"{frames[int(len(frames) * 0.95)]:.1f}", f"{frames[-1]:.1f}"]
    return row, None


def run(versions, rounds):
    python = list(versions.values())[-1]
    tool = os.path.join(setup.BUILD, "bin", "kymo")
    rows, missing = [], None
    with tempfile.TemporaryDirectory() as folder:
        for millions in MILLIONS:
            row, missing = _measure(tool, python, folder, millions, min(rounds, 3))
            rows.append(row)
    header = ["page with a timeline", "s", "CPU s", "peak MB", "page MB", "drawn, s"]
    header += ["frame, ms", "95 %", "longest"]
    show("Four threads: writing the page, and 95 frames of zooming and panning", header, rows)
    if missing:
        print(f"frames were not measured: {missing}")
