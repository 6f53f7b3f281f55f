"""How often a sampled share lies inside of its stated interval: programs whose parts
measure themselves, many runs of each."""

import json
import os
import subprocess

from suite import native, setup
from suite.table import show

MODES = ["two", "ninety", "bursts", "fifty"]
SECONDS = "1"
PROGRAMS = os.path.join(setup.ROOT, "tests", "programs", "samples")


def spent(text):
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def compile(folder):
    binary = os.path.join(folder, "truth")
    command = ["cc", "-O2", "-g", "-o", binary, os.path.join(PROGRAMS, "truth.c"), "-pthread"]
    subprocess.run(command, check=True)
    return binary


def one_run(command, folder, options):
    """Shares inside of their intervals, and all of them."""
    out = os.path.join(folder, "run")
    environment = setup.environment(out, {"KYMO_TIME_OUTPUT": "OFF"})
    sampled = subprocess.run(
        [native.KYMO, "sample", "-q", *options, "--", *command],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    truth = spent(sampled.stdout)
    reported = subprocess.run(
        [native.KYMO, "report", out, "--format", "json", "--top", "0"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    regions = {each["name"]: each for each in json.loads(reported.stdout)["regions"]}
    whole = sum(each["self"] for each in regions.values())
    known = sum(regions[name]["self"] for name in truth if name in regions)
    inside = 0
    for name, seconds in truth.items():
        share = 100 * seconds / sum(truth.values()) * known / whole
        region = regions.get(name, {"self_low_percent": 0, "self_high_percent": 0})
        inside += region["self_low_percent"] <= share <= region["self_high_percent"]
    subprocess.run(["rm", "-rf", out], check=True)
    return inside, len(truth)


def run(interpreters, rounds):
    rows = []
    with native.workplace() as folder:
        commands = {mode: [compile(folder), mode, SECONDS] for mode in MODES}
        for kind, clock in (("realtime", []), ("cputime", ["cpu"])):
            for mode, command in commands.items():
                counts = [
                    one_run([*command, *clock], folder, ["-f", "500", "-S", kind])
                    for _ in range(rounds)
                ]
                inside = sum(count for count, _ in counts)
                total = sum(count for _, count in counts)
                rows.append([f"{mode}, {kind}", rounds, f"{100 * inside / total:.1f} %"])
    show("Shares inside of their 95 % interval", ["program", "runs", "inside"], rows)
