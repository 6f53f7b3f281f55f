"""Debuggers in programs whose functions are recorded: the callers are all there, by their names,
while the program runs and in core files."""

import re
import shutil
import subprocess
from pathlib import Path

import functions_support as functions
import pytest
import support
from cases import long_except

pytestmark = [
    pytest.mark.skipif(not shutil.which("gdb"), reason="there is no gdb"),
    pytest.mark.skipif(
        not (support.BUILD / "lib" / "libkymo-functions.so").exists(),
        reason="functions are not instrumented by this build",
    ),
]

CALLERS = ["innermost", "through", "outer", "main"]


def program(build="O2"):
    return functions.compile("functions_stacks.cc", functions.find_build(build))


def line_of(cost, *program):
    return [support.KYMO, "instrument", "-q", "--cost", cost, "--", *program]


def gdb(cwd, *words, commands=("backtrace",)):
    line = ["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off"]
    for command in commands:
        line += ["-ex", command]
    return support.run([*line, *words], cwd=cwd, env=functions.environment(), timeout=120)


def frames_of(result):
    """Names of the frames of a backtrace, those of trampolines left out."""
    names = re.findall(r"(?m)^#\d+ +(?:0x\w+ in )?(\S+) \(", result.stdout)
    # Of C through.kymo is shown as through[kymo].
    return names, [name for name in names if not re.search(r"\W?kymo\W?$", name)]


def check(result):
    everything, names = frames_of(result)
    assert CALLERS[0] in names, result
    assert names[names.index(CALLERS[0]) :] == CALLERS, result
    assert "??" not in everything, result


@pytest.mark.parametrize("cost", long_except(functions.COSTS, "counts", "full"))
def test_from_the_start(tmp_path, cost):
    line = line_of(cost, program())
    check(gdb(tmp_path, "--args", *line, commands=("run", "backtrace")))


ATTACHED = [("counts", "O2"), ("full", "O2"), ("full", "no-pie")]


@pytest.mark.parametrize("case", long_except(ATTACHED, *ATTACHED[::2]), ids="-".join)
def test_attached(tmp_path, case):
    """gdb comes when the program runs already, and writes a core file."""
    cost, build = case
    env = {**support.clean_environment(tmp_path), **functions.environment()}
    process = subprocess.Popen(
        [str(word) for word in line_of(cost, program(build), "wait")],
        cwd=tmp_path,
        env={name: str(value) for name, value in env.items()},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        for line in process.stdout:
            if line == "ready\n":
                break
        live = gdb(tmp_path, "-p", process.pid, commands=("backtrace", "gcore core.made"))
    finally:
        process.communicate()
    assert process.returncode == 0
    core = tmp_path / "core.made"
    assert core.exists(), live
    dead = gdb(tmp_path, program(build), core)
    core.unlink()
    check(live)
    check(dead)


@pytest.mark.parametrize("cost", ["counts", "full"])
def test_core_of_the_kernel(tmp_path, cost):
    pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if "/" in pattern or pattern.startswith("|"):
        pytest.skip("core files go elsewhere")
    command = 'ulimit -c unlimited || exit 9; exec "$@"'
    result = support.run(
        ["/bin/sh", "-c", command, "sh", *line_of(cost, program())],
        cwd=tmp_path,
        env=functions.environment(),
    )
    if result.returncode == 9:
        pytest.skip("core files are not allowed")
    (core,) = tmp_path.glob("core*")
    check(gdb(tmp_path, program(), core))
    core.unlink()
