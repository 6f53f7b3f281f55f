"""Native functions: for how long `kymo attach --functions` stops a program that runs."""

import os
import re
import subprocess
import time

from suite import native, setup
from suite.functions import functions_loads
from suite.table import median, show

FUNCTIONS = 60000  # of the text that the compiler works on: minutes
FUNCTION = "int f{0}(int a, int *b) {{ int s = {0}; while (a--) s += b[a] * {0}; return s; }}\n"
SAYS = {
    "begin": r"(\d+) functions of .* are instrumented; it was paused for ([0-9.]+) ms",
    "end": r"functions of .* are restored; it was paused for ([0-9.]+) ms",
}


def attach(pid, folder, seconds=0.2):
    """Milliseconds for which it was paused at the begin and at the end, and how many functions
    were instrumented, as the command says."""
    command = [native.KYMO, "attach", str(pid), "--functions", "--duration", str(seconds)]
    variables = setup.environment(os.path.join(folder, "attached"), {"KYMO_QUIET": "OFF"})
    answer = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300)
    found = {edge: re.search(pattern, answer.stderr) for edge, pattern in SAYS.items()}
    if not all(found.values()):
        raise native.Missing(f"attaching did not say how long it stopped: {answer.stderr[-200:]}")
    return float(found["begin"][2]), float(found["end"][1]), int(found["begin"][1])


def _compiler(folder):
    """gcc's cc1 with much to do."""
    text = os.path.join(folder, "attach.i")
    with open(text, "w") as file:
        file.writelines(FUNCTION.format(number) for number in range(FUNCTIONS))
    command = [functions_loads.compiler_program(), "-quiet", "-fpreprocessed", "-O3"]
    return subprocess.Popen(
        [*command, "-w", "-o", "/dev/null", text],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _wait_for_libraries(process):
    while process.poll() is None:
        with open(f"/proc/{process.pid}/maps") as file:
            if "libc.so" in file.read():
                return
        time.sleep(0.01)
    raise native.Missing("cc1 ended at once")


def run(folder, rounds):
    """A table of cc1's stops; the longer of the medians, in milliseconds."""
    stops = []
    for _ in range(rounds):  # each a new process: the first time takes longest
        process = _compiler(folder)
        try:
            _wait_for_libraries(process)
            stops.append(attach(process.pid, folder))
        finally:
            process.kill()
            process.wait()
    rows = []
    for name, times in (
        ("begin", [each[0] for each in stops]),
        ("end", [each[1] for each in stops]),
    ):
        rows.append([name, stops[0][2], *[f"{f(times):.1f}" for f in (min, median, max)]])
    show("Attaching to cc1: it is paused", ["ms", "functions", "least", "median", "most"], rows)
    return max(float(row[3]) for row in rows)
