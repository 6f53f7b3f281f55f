"""Of native functions whose calls are recorded one by one, too, what measuring took is taken out of
the times: of two ways to do the same work, one with calls, shares are those of the bare program.

Both are CPU time, as the program measures it; what was taken out is the difference of the two
tables of one recording."""

import json
import re
import statistics

import pytest
import support
from functions_runs import compile_c

POINTS = 2  # of a hundred, for calls of some 150 ns
RUNS = (5, 15, 25)  # medians of more, where fewer leave it open whether that is kept


def share(said, taken_ns=0):
    turns, calling, plain = (float(word) for word in said.split())
    calling -= taken_ns / turns
    return 100 * calling / (calling + plain)


def totals(directory, *options):
    table = support.run_kymo(
        ["report", directory, "--flat", "--top", "0", "--format", "json", *options], cwd=directory
    )
    assert table.returncode == 0, table.stderr
    return {row["name"]: row["total"] * 1e9 for row in json.loads(table.stdout)["regions"]}


def compile_probe(folder, steps):
    return compile_c(
        folder, f"#define STEPS {steps}\n" + support.program("functions_probe.c").read_text()
    )


def recorded_share(program, cost, out):
    """The share, and what the run said."""
    result = support.run_kymo(
        ["instrument", "--cost", cost, "--", program],
        cwd=out.parent,
        env={"KYMO_OUTPUT_PATH": out, "KYMO_TIME_OUTPUT": "OFF"},
    )
    assert result.returncode == 0, result.stderr
    assert " of it taken out of the times of calls\n" in result.stderr
    taken = totals(out, "--raw-times")["with_calls"] - totals(out)["with_calls"]
    assert taken > 0
    return share(result.stdout, taken), " ".join(result.stderr.split())


@pytest.mark.alone
@pytest.mark.parametrize("cost", ["coarse", "full"])
def test_shares_are_those_of_the_bare_program(cost, tmp_path):
    program = compile_probe(tmp_path, 32)
    bare, recorded = [], []
    for number in range(max(RUNS)):
        bare.append(share(support.run([program], cwd=tmp_path).stdout))
        recorded.append(recorded_share(program, cost, tmp_path / str(number))[0])
        found, true = statistics.median(recorded), statistics.median(bare)
        if number + 1 in RUNS and abs(found - true) < POINTS:
            break
    print(f"{cost}: {found:.1f} for {true:.1f}")
    assert abs(found - true) < POINTS, (bare, recorded)


@pytest.mark.alone
@pytest.mark.parametrize("cost", ["coarse", "full"])
def test_times_of_shorter_calls_are_as_wrong_as_is_said(cost, tmp_path):
    """How much of what recording takes overlaps with a call of 40 ns depends on what else the
    processor's core does at that time."""
    program = compile_probe(tmp_path, 8)
    true = share(support.run([program], cwd=tmp_path).stdout)
    found, said = recorded_share(program, cost, tmp_path / "out")
    short = re.search(
        r"([0-9.]+) % are in calls of less than 100 ns each and may be off by half", said
    )
    print(f"{cost}: {found:.1f} for {true:.1f}")
    assert short and abs(found - true) < float(short[1]) / 2, (found, true, said)
