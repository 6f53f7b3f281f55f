"""Slow routines are called where vector registers hold arguments and results of the program: what
they call without keeping those touches none, whichever file it is in."""

import platform
import re
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
from functions_runs import KYMO

LIBRARY = Path(KYMO).parent.parent / "lib" / "libkymo-functions.so"
ROUTINES = ("funcpatch_slow_enter", "funcpatch_slow_exit", "funcpatch_values_point")
KEEPERS = {"funcpatch_call_on", "funcpatch_call_kept"}  # whoever is called by these may do all
READERS = {"funcpatch_values_registers", "funcpatch_values_vector", "funcpatch_values_x87"}
VECTOR = re.compile(r"%[xyz]mm\d|%st\b|\bf(ld|st|ninit)|ldmxcsr")
# Changed: the last operand; a register of the x87 stack more, and off again, changes nothing.
READS = re.compile(r"%xmm\d,\S*\(|%xmm\d,%r|fld\s+%st\(0\)|fstpt")


def functions():
    """name: (what it calls, its instructions)"""
    text = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", LIBRARY],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout
    calls, lines, name = defaultdict(set), defaultdict(list), None
    for line in text.splitlines():
        if found := re.match(r"[0-9a-f]+ <([^>]+)>:", line):
            name = found.group(1)
        elif name and "\t" in line:
            lines[name].append(line.split("\t", 1)[1])
            if found := re.search(r"\b(?:call|j\w+)\s+[0-9a-f]+ <([^>+]+)", line):
                calls[name].add(found.group(1))
    return calls, lines


@pytest.mark.skipif(platform.machine() != "x86_64", reason="of x86-64 only")
@pytest.mark.skipif(not shutil.which("objdump"), reason="objdump is not installed")
def test_slow_routines_leave_vector_registers_alone():
    calls, lines = functions()
    if any(name.startswith(("__asan", "__tsan", "__ubsan")) for name in lines):
        pytest.skip("sanitizers are called from everywhere")
    reached, left = set(), list(ROUTINES)
    while left:
        name = left.pop()
        if name not in reached | KEEPERS:
            reached.add(name)
            left += calls[name]
    assert {"funcpatch_enter", "funcpatch_exit", "funcpatch_gate_is_stopped"} <= reached
    assert len(reached) < 100, "functions of the C library are called"
    for name in sorted(reached):
        assert "@" not in name and lines[name], f"{name} is another library's"
        for line in lines[name]:
            assert not re.search(r"\b(call|jmp)\s+\*", line), f"{name}: {line}"
            if VECTOR.search(line):
                assert name in READERS and READS.search(line), f"{name}: {line}"
