"""All percentages of a run are of one base, the time of its threads, and what is in no recorded
region is a row of its own: regions, that row and what measuring took add up to it."""

import json

import pytest
import support
from base_sums import MEASURING, OUTSIDE, check_sums, report

pytestmark = pytest.mark.newest_version

# Whoever measures says how long the two parts took.
PROGRAM = """
import json, sys, threading, time

def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass

def hidden():
    spin(0.2)

def shown():
    spin(0.3)

def little():
    pass

def often():
    for _ in range(20000):
        little()

def timed(function):
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin

PARTS
with open(sys.argv[1], "w") as file:
    json.dump([inside, outside], file)
"""

TWO = "inside = timed(shown)\noutside = timed(hidden)"
BARE = """
begin = time.perf_counter()
shown()
middle = time.perf_counter()
hidden()
inside, outside = middle - begin, time.perf_counter() - middle
"""
STOPPED = """
import kymo.user
inside = timed(shown)
kymo.user.stop_trace()
outside = timed(hidden)
kymo.user.start_trace()
"""
REGION = """
import kymo
with kymo.region("mine"):
    inside = timed(shown)
outside = timed(hidden)
"""
THREADS = """
found = []
thread = threading.Thread(target=lambda: found.append(timed(shown)))
thread.start()
thread.join()
[inside] = found
outside = timed(hidden)
"""

CASES = {
    "restricted": (["-R", "shown"], TWO),
    "preset": (["--preset", "omnitrace", "-E", "hidden"], BARE),
    "stopped": ([], STOPPED),
    "regions only": (["--noinstrumenter"], REGION),
    "threads": (["-R", "shown"], THREADS),
}


def record(python, folder, options, parts):
    (folder / "program.py").write_text(PROGRAM.replace("PARTS", parts))
    result = support.run_kymo_python(
        python,
        [*options, "--", folder / "program.py", folder / "times.json"],
        cwd=folder,
        env={"KYMO_QUIET": "ON"},
    )
    assert result.returncode == 0, result.stderr
    return folder / "out", json.loads((folder / "times.json").read_text())


@pytest.mark.parametrize("name", CASES)
def test_what_is_outside(python, tmp_path, name):
    run, (inside, outside) = record(python, tmp_path, *CASES[name])
    base = check_sums(run)
    assert base["outside"] > 0.99 * outside
    assert base["regions"] + base["measuring"] > 0.99 * inside
    assert base["time"] > 0.99 * (inside + outside)


def test_measuring_is_in_the_base(python, tmp_path):
    run, _ = record(python, tmp_path, [], TWO.replace("shown", "often"))
    base = check_sums(run)
    assert base["measuring"] > 0
    raw = report(run, "--raw-times")
    assert raw["base"]["measuring"] == 0
    assert raw["base"]["time"] == pytest.approx(base["time"])


def test_one_thread(python, tmp_path):
    run, _ = record(python, tmp_path, *CASES["threads"])
    whole = check_sums(run)
    each = [check_sums(run, "--thread", str(number)) for number in range(2)]
    for part in ("time", "regions", "outside", "measuring"):
        assert sum(base[part] for base in each) == pytest.approx(whole[part], abs=1e-9)
    ranks = report(run, "--ranks", "--group", "thread")["groups"]
    assert [rank["time"] for rank in ranks] == pytest.approx([base["time"] for base in each])


def test_a_filter_chooses_the_row_by_its_name(python, tmp_path):
    run, _ = record(python, tmp_path, *CASES["restricted"])
    assert [each["name"] for each in report(run, "--filter", "^shown$")["regions"]] == ["shown"]
    assert [each["name"] for each in report(run, "--filter", "outside")["regions"]] == [OUTSIDE]


def test_however_few_rows_are_shown(python, tmp_path):
    run, _ = record(python, tmp_path, [], TWO)
    for view, rows in (("--flat", "regions"), ("--tree", "paths"), ("--by-module", "modules")):
        shown = report(run, view, "--top", "1")[rows]
        assert [each.get("name", each.get("module")) for each in shown][1:] == [OUTSIDE, MEASURING]


def test_a_run_in_no_region_says_so(python, tmp_path):
    run, _ = record(python, tmp_path, ["-R", "nothing"], TWO)
    base = check_sums(run)
    assert base["regions"] == 0
    assert base["outside"] == base["time"]
    result = support.run_kymo(["report", run], cwd=tmp_path)
    assert "(no calls were recorded)" in result.stdout
    (tmp_path / "few").mkdir()
    run, _ = record(python, tmp_path / "few", ["-R", "little"], TWO.replace("shown", "little"))
    result = support.run_kymo(["report", run, "--hot-path"], cwd=tmp_path)
    assert "% of its time outside any recorded region." in result.stdout
    result = support.run_kymo(["report", run, "--findings"], cwd=tmp_path)
    assert "of the main thread's time is outside any recorded region" in result.stdout
