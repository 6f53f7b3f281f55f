"""`with kymo.region("name")` in Python: nanoseconds of a pass beyond the empty loop."""

import subprocess
import tempfile

from suite import native, setup
from suite.table import median, show

PROGRAM = """
import sys, time, kymo

class Nothing:
    __slots__ = ()
    def __enter__(self): return self
    def __exit__(self, *what): return None

def empty(count):
    for _ in range(count):
        pass

def nothing(count):
    for _ in range(count):
        with Nothing():
            pass

def made(count):
    for _ in range(count):
        with kymo.region("a region"):
            pass

def kept(count):
    region = kymo.region("a region")
    for _ in range(count):
        with region:
            pass

def best(function):
    times = []
    for _ in range(9):
        before = time.process_time()
        function(100000)
        times.append(time.process_time() - before)
    return min(times) * 1e4

print(*[best(function) for function in (empty, nothing, made, kept)])
"""

# name: options in front of the program
WAYS = {
    "KYMO_ENABLED=OFF": [],
    "regions alone": [],
    "under python -m kymo": ["-m", "kymo", "--"],
    "under kymo run": None,
}


def _one(python, way, program, folder):
    line = [python, *(WAYS[way] or []), program]
    if WAYS[way] is None:
        line = [*native.under(), *line]
    settings = {"KYMO_ENABLED": "OFF"} if "OFF" in way else None
    process = subprocess.run(
        line, env=setup.environment(folder, settings), capture_output=True, text=True
    )
    if process.returncode != 0:
        raise native.Missing((process.stderr.strip().splitlines() or ["failed"])[-1])
    return [float(word) for word in process.stdout.split()]


def run(versions, rounds):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/program.py"
        with open(program, "w") as file:
            file.write(PROGRAM)
        for version, python in versions.items():
            results = {way: [] for way in WAYS}
            for _ in range(rounds):
                for way in WAYS:
                    results[way].append(_one(python, way, program, f"{folder}/run"))
            for way, figures in results.items():
                added = [median([f[i] - f[0] for f in figures]) for i in (1, 2, 3)]
                rows.append([f"{version} {way}", *[f"{each:.0f}" for each in added]])
    header = ["ns a pass", "an empty class", "kymo.region made", "kymo.region kept"]
    show("Regions in Python, CPU time", header, rows)
