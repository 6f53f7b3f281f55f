"""Counters as metrics of call paths: software events for real, by the kernel and through PAPI,
and what only PAPI knows against a fake of it; and the list of them."""

import csv
import functools
import io
import tempfile
from pathlib import Path

import commanded
import lifecycle_runs
import pytest
import support

FAULTS = "perf::PERF_COUNT_SW_PAGE_FAULTS"
SWITCHES = "perf::PERF_COUNT_SW_CONTEXT_SWITCHES"
CLOCK = "perf::PERF_COUNT_SW_TASK_CLOCK"


@functools.lru_cache(maxsize=None)
def work():
    include = f"-I{support.REPOSITORY / 'include'}"
    return lifecycle_runs.compile("counters_work.c", include, "-ldl")


@functools.lru_cache(maxsize=None)
def fake():
    """Folder of a libpapi.so that is a fake."""
    folder = Path(tempfile.mkdtemp(prefix="kymo-fake-papi-"))
    source = support.REPOSITORY / "tests" / "fakes" / "fake_papi.c"
    for name in ("libpapi.so.7.2", "libpapi.so"):
        command = ["cc", "-shared", "-fPIC", "-o", folder / name, source]
        assert support.run(command, cwd=folder).returncode == 0
    return folder


# What PAPI itself says of an event, without Kymo: libpfm4 does not know every processor, and then
# PAPI has no events of the kernel's either.
ASKS_PAPI = """
#include <papi.h>
int main(int argc, char **argv)
{
    int code;

    return PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
           PAPI_event_name_to_code(argv[argc - 1], &code) != PAPI_OK;
}
"""


@functools.lru_cache(maxsize=None)
def has_papi():
    with tempfile.TemporaryDirectory(prefix="kymo-papi-") as folder:
        source = Path(folder) / "asks.c"
        source.write_text(ASKS_PAPI)
        made = support.run(["cc", source, "-o", "asks", "-lpapi"], cwd=folder)
        assert made.returncode == 0, made.stderr  # libpapi-dev is in tools/packages.txt
        return support.run([Path(folder) / "asks", FAULTS], cwd=folder).returncode == 0


def run(tmp_path, events, *arguments, env=None):
    lifecycle_runs.run([work(), *arguments], tmp_path, "-C", *events, env=env)
    found = [commanded.decoded(path) for path in support.find_recordings(tmp_path / "out")]
    return sorted(found, key=lambda each: each["end_realtime_ns"] - each["end_ns"])


def sums(recording, name, metric):
    index = recording["metrics"].index(metric)
    return [
        node["metrics"][index][1]
        for node in recording["nodes"]
        if recording["regions"][node["region"]]["name"] == name and node["closed"]
    ]


def notes(recording, key="counters"):
    return [value for _, found, value in recording["notes"] if found == key]


@pytest.fixture(params=["perf", "papi"])
def engine(request):
    if request.param == "papi" and not has_papi():
        pytest.skip("PAPI knows no events of this processor, nor of its kernel")
    return {"KYMO_PAPI_ENGINE": request.param}


def test_software_events(tmp_path, engine):
    (recording,) = run(tmp_path, [FAULTS, SWITCHES, CLOCK], env=engine)
    assert recording["metrics"] == [FAULTS, SWITCHES, CLOCK]
    (inner,) = sums(recording, "inner", FAULTS)
    assert inner in range(1000, 1010)
    assert sums(recording, "outer", FAULTS)[0] >= inner
    # Each thread counts for itself.
    assert sums(recording, "in thread", FAULTS)[0] in range(300, 310)
    (program,) = sums(recording, "counters_work", FAULTS)
    assert 1000 <= program < 1300
    assert sums(recording, "inner", CLOCK)[0] > 0
    assert notes(recording) == []


def test_short_name(tmp_path, engine):
    (recording,) = run(tmp_path, ["::PERF_COUNT_SW_PAGE_FAULTS"], env=engine)
    assert recording["metrics"] == [FAULTS]
    assert sums(recording, "inner", FAULTS)[0] in range(1000, 1010)


def test_forked_child_counts_itself(tmp_path):
    parent, child = run(tmp_path, [FAULTS], "fork")
    assert sums(parent, "inner", FAULTS)[0] in range(1000, 1010)
    assert sums(child, "in child", FAULTS)[0] in range(200, 260)  # pages are copied, too
    assert notes(child) == []


def test_taking_turns(tmp_path):
    (recording,) = run(tmp_path, [FAULTS, SWITCHES], env={"KYMO_PAPI_MULTIPLEXING": "ON"})
    # Software events never have to wait for their turn: nothing is estimated.
    assert sums(recording, "inner", FAULTS)[0] in range(1000, 1010)
    assert notes(recording) == []
    (described,) = [value for value in notes(recording, "256")]
    assert "estimate" in described


def test_descriptors_are_not_the_programs(tmp_path, engine):
    recorded = lifecycle_runs.run([work(), "descriptors"], tmp_path, "-C", FAULTS, env=engine)
    bare = lifecycle_runs.run_bare([work(), "descriptors"], tmp_path)
    if engine["KYMO_PAPI_ENGINE"] == "perf":  # PAPI opens its own where it likes
        assert recorded.stdout == bare.stdout
    assert ", handed on 0" in recorded.stdout


def test_report_has_a_table(tmp_path):
    run(tmp_path, [FAULTS])
    result = support.run_kymo(["report", "--metric", FAULTS, tmp_path / "out"], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    (row,) = [line for line in result.stdout.splitlines() if "|_inner" in line]
    cells = row.split("|")
    assert int(cells[cells.index(f" {FAULTS} ") + 1]) in range(1000, 1010)
    wrong = support.run_kymo(["report", "--metric", FAULTS[:-1], tmp_path / "out"], cwd=tmp_path)
    assert wrong.returncode == 2 and FAULTS in wrong.stderr


def test_over_time(tmp_path):
    """With the machine also as series, of each thread."""
    lifecycle_runs.run([work()], tmp_path, "-H", "--process-freq", "1000", "-C", FAULTS, SWITCHES)
    (path,) = support.find_recordings(tmp_path / "out")
    recording = commanded.decoded(path)
    points = [
        value
        for series, _, value in recording["points"]
        if recording["series"][series - 1] == [f"Thread {FAULTS} [0] (S)", "", 0]
    ]
    # From when the thread was first seen, which may be a little later.
    assert points == sorted(points) and points[-1] <= 1400
    assert f"Thread {SWITCHES} [0] (S)" in [name for name, _, _ in recording["series"]]


def faked(**settings):
    return {"LD_LIBRARY_PATH": fake(), **settings}


def test_presets_and_native_events(tmp_path):
    (recording,) = run(tmp_path, ["PAPI_L2_TCM", "fake::EVENT", FAULTS], env=faked())
    assert recording["metrics"] == ["PAPI_L2_TCM", "fake::EVENT", FAULTS]
    # The fake goes on at each reading: inner is read twice, outer four times in all.
    assert sums(recording, "inner", "PAPI_L2_TCM") == [10]
    assert sums(recording, "inner", "fake::EVENT") == [1]
    assert sums(recording, "outer", "PAPI_L2_TCM") == [30 + 10]
    assert sums(recording, "inner", FAULTS)[0] in range(1000, 1010)


def test_what_cannot_be_counted_is_said(tmp_path):
    (recording,) = run(tmp_path, ["PAPI_VEC_DP", "fake::EVENT"], env=faked())
    assert recording["metrics"] == ["fake::EVENT"]
    assert notes(recording) == ["PAPI_VEC_DP is not counted: Event does not exist"]


def test_too_many_at_once(tmp_path):
    events = ["PAPI_L2_TCM", "PAPI_TOT_CYC", "fake::EVENT"]
    engine = faked(KYMO_PAPI_ENGINE="papi")
    (recording,) = run(tmp_path, events, env=engine)
    assert "PAPI cannot count fake::EVENT with the others" in notes(recording)[0]
    other = tmp_path / "turns"
    other.mkdir()
    (recording,) = run(other, events, env={**engine, "KYMO_PAPI_MULTIPLEXING": "ON"})
    assert sums(recording, "inner", "PAPI_TOT_CYC") == [1000]
    assert all("estimate" in text for text in notes(recording, "256"))


def test_papi_cannot_follow_a_fork(tmp_path):
    parent, child = run(tmp_path, ["fake::EVENT"], "fork", env=faked())
    assert sums(parent, "inner", "fake::EVENT") == [1]
    assert sums(child, "in child", "fake::EVENT") == [0]
    assert "forked process" in notes(child)[0]


def test_unknown_event(tmp_path):
    name = FAULTS[:-1]
    result = support.run_kymo(["run", "-C", name, "--", "true"], cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert f"unknown event '{name}'" in result.stderr and f"'{FAULTS}'" in result.stderr
    result = support.run_kymo(["run", "-C", "PAPI_VEC_DQ", "--", "true"], cwd=tmp_path, env=faked())
    assert result.returncode == 2 and "'PAPI_VEC_DP'" in result.stderr
    overflow = ["--sample-overflow", "fake::EVENT", "--", "true"]
    result = support.run_kymo(["sample", *overflow], cwd=tmp_path, env=faked())
    assert result.returncode == 2 and "'fake::EVENT'" in result.stderr
    assert not list(tmp_path.glob("*output*"))


def listed(tmp_path, env=None):
    result = support.run_kymo(["avail", "-H", "--csv"], cwd=tmp_path, env=env)
    assert result.returncode == 0, result.stderr
    header, *rows = csv.reader(io.StringIO(result.stdout))
    assert ",".join(header) == "HARDWARE COUNTER,DEVICE,AVAILABLE,DESCRIPTION,"
    return {row[0]: row for row in rows}


def test_list(tmp_path):
    rows = listed(tmp_path, faked())
    assert rows[FAULTS][2] == "true"
    assert rows["PAPI_L2_TCM"][1:4] == ["CPU", "true", "Level 2 cache misses"]
    assert rows["fake::EVENT"][2] == "true"
    assert rows["PAPI_VEC_DP"][2] == "false" and "(not here: " in rows["PAPI_VEC_DP"][3]
    for name, row in rows.items():
        assert (row[2] == "true") != ("(not here: " in row[3]), name


def test_list_of_what_is_available(tmp_path):
    result = support.run_kymo(["avail", "-H", "-A", "--csv"], cwd=tmp_path, env=faked())
    assert "PAPI_VEC_DP" not in result.stdout and FAULTS in result.stdout


def test_list_without_papi(tmp_path):
    """A libpapi that cannot be loaded stands for none."""
    broken = tmp_path / "broken"
    broken.mkdir()
    for name in ("libpapi.so.7.2", "libpapi.so"):
        source = tmp_path / "empty.c"
        source.write_text("int nothing;\n")
        command = ["cc", "-shared", "-fPIC", "-o", broken / name, source]
        assert support.run(command, cwd=tmp_path).returncode == 0
    rows = listed(tmp_path, {"LD_LIBRARY_PATH": broken})
    assert rows[FAULTS][2] == "true"
    assert rows["PAPI"][2] == "false" and "libpapi.so lacks functions" in rows["PAPI"][3]
