"""Samplers side by side on one Python program: what each costs it, and itself."""

import os
import resource
import shutil
import subprocess

from suite import native, setup
from suite.table import median, show

RATE = 1000
PROGRAM = """
import sys, threading, time

def leaf(n):
    total = 0
    for i in range(n):
        total += i * i
    return total

def deep(depth, n):
    return leaf(n) if depth == 0 else deep(depth - 1, n)

def main(rounds):
    for _ in range(rounds):
        deep(18, 20000)

begin = time.process_time()
count = int(sys.argv[2])
if count == 1:
    main(int(sys.argv[1]))
else:
    rounds = int(sys.argv[1]) // count
    threads = [threading.Thread(target=main, args=(rounds,)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(time.process_time() - begin)
"""
ROUNDS = 700  # about a second
THREADS = 4  # that share the GIL
PEERS = ["py-spy", "austin-dist<4", "pyinstrument", "scalene"]


# The interpreter's own, from 3.15 on; it samples its own version alone.
OWN = "profiling.sampling"
NO_OWN = "needs Python 3.15"


def has_own(python):
    return has([python, "-m", OWN])


def peers(python, folder):
    """A folder with the executables of the peers that can be installed."""
    place = os.path.join(folder, "peers")
    subprocess.run([python, "-m", "venv", place], check=True)
    for peer in PEERS:
        subprocess.run(
            [os.path.join(place, "bin", "pip"), "install", "-q", peer],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    return os.path.join(place, "bin")


def commands(python, script, place, folder, threads):
    """{name: command}; the program's own CPU time is what it prints."""
    program = [python, script, str(ROUNDS), str(threads)]
    out = os.path.join(folder, "out")
    everything = {
        "bare": program,
        "kymo sample": [native.KYMO, "sample", "-q", "-f", str(RATE), "--", *program],
        "kymo sample, 100 Hz": [native.KYMO, "sample", "-q", "-f", "100", "--", *program],
        "py-spy": [
            os.path.join(place, "py-spy"),
            "record",
            "-r",
            str(RATE),
            "-f",
            "raw",
            "-o",
            out + ".pyspy",
            "--",
            *program,
        ],
        "austin": [
            os.path.join(place, "austin"),
            "-i",
            f"{1000000 // RATE}us",
            "-o",
            out + ".austin",
            *program,
        ],
        "pyinstrument": [
            os.path.join(place, "python"),
            "-m",
            "pyinstrument",
            "-i",
            str(1 / RATE),
            "-o",
            out + ".pyinstrument",
            script,
            str(ROUNDS),
            str(threads),
        ],
        OWN: [
            python,
            "-m",
            OWN,
            "run",
            "-r",
            str(RATE),
            "--collapsed",
            "-o",
            out + ".own",
            *program[1:],
        ],
        "scalene": [
            os.path.join(place, "python"),
            "-m",
            "scalene",
            "run",
            "--cpu-only",
            "-o",
            out + ".scalene",
            script,
            str(ROUNDS),
            str(threads),
        ],
        "perf": [
            "perf",
            "record",
            "-q",
            "-F",
            str(RATE),
            "-g",
            "-o",
            out + ".perf",
            "--",
            *program,
        ],
    }
    return {
        name: command
        for name, command in everything.items()
        if shutil.which(command[0]) and (not name.startswith(("py", "sca")) or has(command))
    }


def has(command):
    if "-m" not in command:
        return True
    module = command[command.index("-m") + 1]
    process = subprocess.run([command[0], "-c", f"import {module}"], capture_output=True)
    return process.returncode == 0


def rows_without(python):
    """The interpreter's own sampler, where there is none."""
    return [] if has_own(python) else [[OWN, NO_OWN, "-"]]


def measure(command, folder):
    """CPU seconds of the program, and of everything that ran."""
    environment = setup.environment(os.path.join(folder, "run"), {"KYMO_FINISH": "OFF"})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(os.path.join(folder, "run"), ignore_errors=True)
    own = None
    for line in process.stdout.splitlines():
        try:
            own = float(line)
            break
        except ValueError:
            continue
    total = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return own, total


def run(interpreters, rounds):
    """With 3.11, for which there are all peers, and with what has a sampler of its own."""
    chosen = {v: p for v, p in interpreters.items() if v == "3.11" or has_own(p)}
    for version, python in (chosen or dict([list(interpreters.items())[-1]])).items():
        for threads in (1, THREADS):
            compare(version, python, rounds, threads)


def compare(version, python, rounds, threads):
    with native.workplace() as folder:
        script = os.path.join(folder, "program.py")
        with open(script, "w") as file:
            file.write(PROGRAM)
        place = peers(python, folder)
        candidates = commands(python, script, place, folder, threads)
        own = {name: [] for name in candidates}
        total = {name: [] for name in candidates}
        for _ in range(rounds):
            for name, command in candidates.items():
                seconds, whole = measure(command, folder)
                if seconds is not None:
                    own[name].append(seconds)
                    total[name].append(whole)
        rows = []
        bare, bare_total = median(own["bare"]), median(total["bare"])
        for name in candidates:
            if not own[name]:
                rows.append([name, "-", "-"])
                continue
            slowed = median(own[name]) / bare - 1
            spent = median(total[name]) - bare_total
            rows.append([name, f"{100 * slowed:+.2f} %", f"{1000 * spent:+.0f} ms"])
        rows += rows_without(python)
    show(
        f"Python {version}, {RATE} samples a second of {threads} busy thread"
        f"{'s' if threads > 1 else ''} 20 calls deep",
        ["sampler", "program's CPU time", "CPU time in all"],
        rows,
    )
