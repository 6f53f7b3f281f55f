"""Of native functions whose calls are recorded one by one, too, what measuring took is taken out of
the times: of two ways to do the same work, one with calls, shares are those of the bare program.

Both are CPU time, as the program measures it; what was taken out is the difference of the two
tables of one recording."""

import json
import statistics

import pytest
import support
from functions_runs import compile_c

POINTS = 3  # of a hundred: what is promised
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


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    source = support.program("functions_probe.c").read_text()
    return compile_c(tmp_path_factory.mktemp("probe"), source)


@pytest.mark.alone
@pytest.mark.parametrize("cost", ["coarse", "full"])
def test_shares_are_those_of_the_bare_program(program, cost, tmp_path):
    bare, recorded = [], []
    for number in range(max(RUNS)):
        bare.append(share(support.run([program], cwd=tmp_path).stdout))
        out = tmp_path / str(number)
        result = support.run_kymo(
            ["instrument", "--cost", cost, "--", program],
            cwd=tmp_path,
            env={"KYMO_OUTPUT_PATH": out, "KYMO_TIME_OUTPUT": "OFF"},
        )
        assert result.returncode == 0, result.stderr
        assert " of it taken out of the times of calls\n" in result.stderr
        taken = totals(out, "--raw-times")["with_calls"] - totals(out)["with_calls"]
        assert taken > 0
        recorded.append(share(result.stdout, taken))
        found, true = statistics.median(recorded), statistics.median(bare)
        if number + 1 in RUNS and abs(found - true) < POINTS:
            break
    print(f"{cost}: {found:.1f} for {true:.1f}")
    assert abs(found - true) < POINTS, (bare, recorded)
