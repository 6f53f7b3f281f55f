"""A function that ends in another one, by a jump, has its own time alone, in every timing: its call
ends where the other one's begins, which whoever called the first has called then."""

import json
import statistics

import pytest
import support
from cases import long_except
from functions_runs import compile_c
from support import run_kymo

# Of a hundred.  What others had of the processor is left out of what is sampled alone, and falls on
# one or two calls of the others.
POINTS = {"sampled": 3, "coarse": 15, "full": 15}
RUNS = (3, 9, 21)  # medians of more, where fewer leave it open
KINDS = {
    "straight": {"straight": "first", "second": "second", "top": "top"},
    "either": {"either": "first", "third": "third", "top": "top"},
    "pointer": {"through_pointer": "first", "second": "second", "top": "top"},
    "chain": {"chained": "first", "middle": "second", "third": "third", "top": "top"},
    "circle": {"even": "even", "odd": "odd", "top": "top"},
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    source = support.program("counted_tails.c").read_text()
    return compile_c(tmp_path_factory.mktemp("tails"), source, "counted_tails")


def recorded(program, kind, timing, folder):
    """{name of work: share} as it was done, and the run."""
    folder.mkdir(exist_ok=True)
    environment = {"KYMO_OUTPUT_PATH": folder / "out", "KYMO_TIME_OUTPUT": "OFF"}
    result = run_kymo(
        ["instrument", "-q", "--timing", timing, "--", program, kind],
        cwd=folder,
        env={**environment, "KYMO_FINISH": "OFF"},
    )
    assert result.returncode == 0, result.stderr
    units = dict(line.split() for line in result.stdout.splitlines())
    units.pop("cpu")
    whole = sum(map(int, units.values()))
    return {name: 100 * int(count) / whole for name, count in units.items()}, folder / "out"


def shown(run, *view):
    result = run_kymo(["report", run, *view, "--top", "0", "--format", "json"], cwd=run)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def regions(run):
    return {row["name"]: row for row in shown(run, "--flat")["regions"]}


@pytest.mark.alone
@pytest.mark.parametrize("timing", POINTS)
@pytest.mark.parametrize("kind", long_except(KINDS, "straight", "chain"))
def test_own_time_is_that_of_the_own_work(program, kind, timing, tmp_path):
    found = {name: [] for name in KINDS[kind]}
    for number in range(max(RUNS)):
        truth, run = recorded(program, kind, timing, tmp_path / str(number))
        rows = regions(run)
        whole = sum(row["self"] for row in rows.values())
        for name, shares in found.items():
            shares.append(100 * rows[name]["self"] / whole)
        off = {
            name: abs(statistics.median(shares) - truth[KINDS[kind][name]])
            for name, shares in found.items()
        }
        if number + 1 in RUNS and max(off.values()) < POINTS[timing]:
            break
    assert max(off.values()) < POINTS[timing], (truth, found)


@pytest.mark.parametrize("timing", POINTS)
def test_who_called_the_first_has_called_the_others(program, timing, tmp_path):
    _, run = recorded(program, "chain", timing, tmp_path)
    for name in ("chained", "middle", "third"):
        callers = shown(run, "--callers", name)["callers"]
        assert [row["caller"] for row in callers] == ["top"], name
    rows = regions(run)
    for name in ("chained", "middle", "third"):
        assert rows[name]["total"] == rows[name]["self"]
    assert rows["top"]["total"] > rows["third"]["total"] + rows["middle"]["total"]


def test_what_is_not_recorded_is_the_functions_own(program, tmp_path):
    """Into another library: most of this one's time, and none of its caller's."""
    truth, run = recorded(program, "outside", "sampled", tmp_path)
    rows = regions(run)
    alone = truth["first"] / truth["top"] * rows["top"]["self"]
    assert rows["outside"]["self"] > 2 * alone
