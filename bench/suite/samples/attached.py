"""Watching a running program from outside, side by side: what it takes, and what it gets wrong.

Twenty threads at 1 kHz: CPU time of the tools, and how much slower the program gets.  Calls
that last some ten nanoseconds at 10 kHz: stacks that were lost, or that cannot be."""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from functools import partial

from suite import native, setup
from suite.samples.samplers import NO_OWN, OWN, has_own, peers
from suite.table import median, show

SECONDS = 4
THREADS = """
import sys, threading, time

def deep(depth, n):
    if depth:
        return deep(depth - 1, n)
    total = 0
    for i in range(n):
        total += i
    return total

def busy():
    while True:
        deep(15, 2000)
        counts[0] += 1

def waiting():
    while True:
        deep(10, 100)
        time.sleep(0.01)

counts = [0]
for number in range(19):
    threading.Thread(target=busy if number < 5 else waiting, daemon=True).start()
threading.Thread(target=busy, daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    print(counts[0], flush=True)
"""
CALLEES = {
    "<module>": {"calls"},
    "calls": {"middle_a", "middle_b", "wide", "fib"},
    "middle_a": {"leaf_a"},
    "middle_b": {"leaf_b"},
    "wide": {"leaf_a"},
    "fib": {"fib"},
}
CALLS = """
def leaf_a(): return 1
def leaf_b(): return 2
def middle_a():
    for _ in range(3): leaf_a()
def middle_b():
    for _ in range(3): leaf_b()
def wide(a, b, c, d, e):
    x, y, z = a, b, c
    return leaf_a()
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def calls():
    while True:
        middle_a(); middle_b(); wide(1, 2, 3, 4, 5); fib(7)
print("ready", flush=True)
calls()
"""


def commands(python, pid, place, folder, rate):
    """{name: (command, the file that its stacks are in)} of what is installed."""
    kymo = ["attach", "-q", "-d", SECONDS, "-r", rate, "-o", os.path.join(folder, "kymo"), pid]
    spy = [
        "record",
        "-d",
        SECONDS,
        "-r",
        rate,
        "-f",
        "raw",
        "-o",
        folder + "/py-spy.raw",
        "-p",
        pid,
    ]
    austin = ["-i", f"{1000000 // rate}us", "-x", SECONDS, "-o", folder + "/austin.raw", "-p", pid]
    own = [python, "-m", OWN, "attach", "-a", "-r", rate, "-d", SECONDS, "--collapsed"]
    found = {
        "kymo attach": ([native.KYMO, *kymo], None),
        "py-spy": ([os.path.join(place, "py-spy"), *spy], folder + "/py-spy.raw"),
        "py-spy --nonblocking": (
            [os.path.join(place, "py-spy"), *spy, "--nonblocking"],
            folder + "/py-spy.raw",
        ),
        "austin": ([os.path.join(place, "austin"), *austin], folder + "/austin.raw"),
    }
    if has_own(python):
        found[OWN] = ([*own, "-o", folder + "/own.raw", pid], folder + "/own.raw")
    return {
        name: ([str(word) for word in command], output)
        for name, (command, output) in found.items()
        if runs(command[0])
    }


def runs(executable):
    try:
        return subprocess.run([executable, "--version"], capture_output=True).returncode == 0
    except OSError:
        return False


def used(command, folder):
    """CPU seconds of a command, and what it printed."""
    environment = setup.environment(os.path.join(folder, "run"), {"KYMO_FINISH": "OFF"})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return seconds, done.stdout


def started(python, folder, source):
    script = os.path.join(folder, "program.py")
    with open(script, "w") as file:
        file.write(source)
    process = subprocess.Popen(
        [python, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    return process


def progress(process):
    process.stdin.write("\n")
    process.stdin.flush()
    return int(process.stdout.readline()), time.perf_counter()


def rate_during(process, action):
    """Work a second while the action goes on, and what it returns."""
    count, begin = progress(process)
    result = action()
    after, end = progress(process)
    return (after - count) / (end - begin), result


def compare_cost(python, version, place, folder, rounds):
    process = started(python, folder, THREADS)
    try:
        found = commands(python, process.pid, place, folder, 1000)
        speeds = {name: [] for name in ["nobody", *found]}
        cpu = {name: [] for name in found}
        for _ in range(rounds):
            speeds["nobody"].append(rate_during(process, partial(time.sleep, SECONDS))[0])
            for name, (command, _) in found.items():
                speed, (seconds, _) = rate_during(process, partial(used, command, folder))
                speeds[name].append(speed)
                cpu[name].append(seconds)
    finally:
        process.kill()
    bare = median(speeds["nobody"])
    rows = [
        [
            name,
            f"{median(cpu[name]):.2f} s",
            f"1/{median(cpu['py-spy']) / median(cpu[name]):.1f}" if "py-spy" in cpu else "-",
            f"{100 * (bare / median(speeds[name]) - 1):+.1f} %",
        ]
        for name in found
    ]
    if OWN not in found:
        rows.append([OWN, NO_OWN, "-", "-"])
    show(
        f"Python {version}, 20 threads watched at 1 kHz for {SECONDS} s",
        ["watched by", "its CPU time", "of py-spy's", "program slowed"],
        rows,
    )


def is_possible(functions):
    pairs = zip(functions, functions[1:])
    return functions[:1] == ["<module>"] and all(b in CALLEES.get(a, ()) for a, b in pairs)


def stacks_of_kymo(folder):
    """(stacks, how many were lost) of the one recording."""
    sys.path[:0] = [os.path.join(setup.ROOT, "tests", name) for name in ("", "helpers", "decoder")]
    import attach_runs

    place = os.path.join(folder, "kymo")
    paths = [os.path.join(at, name) for at, _, names in os.walk(place) for name in names]
    (path,) = [path for path in paths if path.endswith(".kymo")]
    recording = attach_runs.load(path)
    return [(list(each.functions), 1) for each in recording.samples], recording.lost


def stacks_of_file(path):
    """The same of collapsed stacks: "thread;function:line;… count"."""
    stacks, lost = [], 0
    with open(path, errors="replace") as file:
        for line in file:
            text, _, count = line.rstrip().rpartition(" ")
            if line.startswith("#") or not count.isdigit():
                continue
            count = 1 if path.endswith("austin.raw") else int(count)
            functions = [function_of(part) for part in text.split(";")]
            functions = functions[functions.index("<module>") :] if "<module>" in functions else []
            lost += count if "INVALID" in text else 0
            if "INVALID" not in text:
                stacks.append((functions, count))
    return stacks, lost


def failed_of_own(printed):
    """How many stacks the interpreter's own sampler could not read: it says their share."""
    taken = re.search(r"Captured ([\d,]+) samples", printed)
    share = re.search(r"Error rate: ([\d.]+)", printed)
    if not taken or not share:
        return 0
    return round(int(taken.group(1).replace(",", "")) * float(share.group(1)) / 100)


def function_of(part):
    """Of "file:function:line" or "function (file:line)"."""
    if " (" in part:
        return part.partition(" (")[0]
    words = part.split(":")
    return words[1] if len(words) > 1 else part


def compare_truth(python, version, place, folder):
    process = started(python, folder, CALLS)
    rows = []
    try:
        found = commands(python, process.pid, place, folder, 10000)
        for name, (command, output) in found.items():
            shutil.rmtree(os.path.join(folder, "kymo"), ignore_errors=True)
            _, printed = used(command, folder)
            stacks, lost = stacks_of_file(output) if output else stacks_of_kymo(folder)
            lost += failed_of_own(printed) if name == OWN else 0
            count = sum(times for _, times in stacks) + lost
            wrong = sum(times for functions, times in stacks if not is_possible(functions))
            share = f"{100 * (wrong + lost) / count:.2f} %" if count else "-"
            rows.append([name, f"{count / SECONDS:.0f} Hz", str(lost), str(wrong), share])
        if OWN not in found:
            rows.append([OWN, NO_OWN, "-", "-", "-"])
    finally:
        process.kill()
    show(
        f"Python {version}, short calls watched at 10 kHz for {SECONDS} s",
        ["watched by", "arrived", "lost", "impossible", "both"],
        rows,
    )


def run(interpreters, rounds):
    for version, python in interpreters.items():
        with native.workplace() as folder:
            place = peers(python, folder)
            compare_cost(python, version, place, folder, min(rounds, 3))
            compare_truth(python, version, place, folder)
