"""Samples of a program whose functions are recorded at the same time: complete stacks, and the
names of the functions also where what records their calls was at work."""

import functions_support as functions
import pytest
import support
from cases import long_except

pytestmark = pytest.mark.skipif(
    not (support.BUILD / "lib" / "libkymo-functions.so").exists(),
    reason="functions are not instrumented by this build",
)

CALLS = {"counts": 10000000, "coarse": 1000000, "full": 1000000}
STACKS = {
    "main;outer;through;innermost",
    "main;outer;often;tiny",
    "main;outer;often",
    "main;outer",
    "main;outer;through",
    "main",
}


def stacks_of(cwd, directory):
    """{stack: microseconds} of the samples."""
    result = support.run_kymo(
        ["export", "--samples", "--format", "collapsed", "-o", "-", directory], cwd=cwd
    )
    assert result.returncode == 0, result.stderr
    found = {}
    for line in result.stdout.splitlines():
        stack, _, time = line.rpartition(" ")
        names = ";".join(frame.split(" (")[0] for frame in stack.split(";"))
        found[names] = found.get(names, 0) + int(time)
    return found


# With frames in the program what records calls is still the same: tried at one cost.
CASES = [(cost, build) for build in ("O2", "frames") for cost in functions.COSTS]
KEPT = [*CASES[:3], ("counts", "frames")]


@pytest.mark.parametrize("case", long_except(CASES, *KEPT), ids="-".join)
def test_stacks(tmp_path, case):
    cost, build = case
    program = functions.compile("functions_sampled.cc", functions.find_build(build))
    result = support.run_kymo(
        ["run", "-q", "-S", f"--functions={cost}", "--", program, CALLS[cost]],
        cwd=tmp_path,
        env={
            **functions.environment(),
            "KYMO_OUTPUT_PATH": tmp_path / "out",
            "KYMO_TIME_OUTPUT": "OFF",
            "KYMO_SAMPLING_FREQ": "500",
        },
    )
    assert result.returncode == 0, result.stderr
    found = stacks_of(tmp_path, tmp_path / "out")
    total = sum(found.values())
    assert not {stack for stack in found if "unknown" in stack or "[" in stack}, found
    # A signal may be taken at any instruction, and the unwinder err at one of them.
    strange = sum(time for stack, time in found.items() if stack not in STACKS)
    assert strange <= total / 20, found
    assert found["main;outer;through;innermost"] > 0
    assert found["main;outer;often;tiny"] > total / 20
