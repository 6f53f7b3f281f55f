"""Durations agree with what the program measures itself, whatever the clock."""

import hostile_support as hostile
import pytest

PROGRAM = """
import time

def sleep():
    time.sleep(0.05)

def spin():
    end = time.monotonic() + 0.05
    while time.monotonic() < end:
        pass

def outer():
    sleep()
    spin()

before = time.monotonic_ns()
outer()
print(time.monotonic_ns() - before)
"""

KINDS = {"auto": {1, 2, 3}, "tsc": {1, 2, 3}, "monotonic": {1}, "monotonic_raw": {4}}


@pytest.mark.newest_version
@pytest.mark.parametrize("clock", list(KINDS))
def test_clock(python, tmp_path, clock):
    script = tmp_path / "clocked.py"
    script.write_text(PROGRAM)
    profiled = hostile.run(python, [script], tmp_path, {"KYMO_CLOCK": clock})
    measured = int(profiled.stdout) * 1e-9
    ((header,),) = hostile.processes(tmp_path / "out").values()
    assert header.clock_kind in KINDS[clock]
    rows = {row["name"]: row for row in hostile.report(tmp_path / "out")["regions"]}
    outer, parts = rows["outer"], [rows["sleep"], rows["spin"]]
    assert outer["total"] == pytest.approx(measured, rel=0.02, abs=1e-3)
    assert all(part["total"] >= 0.0499 for part in parts)
    assert outer["total"] >= sum(part["total"] for part in parts)
    assert outer["self"] == pytest.approx(
        outer["total"] - sum(part["total"] for part in parts), abs=1e-7
    )


def test_unknown_clock_is_said(newest_python, tmp_path):
    script = tmp_path / "clocked.py"
    script.write_text("print(1)")
    profiled = hostile.run(newest_python, [script], tmp_path, {"KYMO_CLOCK": "sundial"})
    assert profiled.returncode == 0 and profiled.stdout == "1\n"
    (line,) = hostile.said(profiled)
    assert "sundial" in line and "KYMO_CLOCK" in line
