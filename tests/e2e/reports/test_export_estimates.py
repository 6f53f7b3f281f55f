"""Every format says of counted functions that its numbers are estimates, and stays what its readers
read."""

import gzip
import json
import shutil
import subprocess
from collections import namedtuple

import perfetto_engine
import pytest
import support
from functions_runs import compile_c, run
from perfetto_trace import PerfettoTrace
from test_export_firefox import check_profile
from test_export_graphs import render

PROGRAM = """
#define APART __attribute__((noinline))
static volatile long sink;
APART void leaf(long n) { for (long i = 0; i < n; i++) sink += i; }
APART void often(void) { for (int i = 0; i < 20000; i++) leaf(300); }
APART void rare(void) { for (int i = 0; i < 2000; i++) leaf(400); }
int main(void) { often(); rare(); return 0; }
"""
TEXT = "are estimates from those that were timed"
Exported = namedtuple("Exported", "data said")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """One program, counted and recorded in full; samples give timelines something to show."""
    folder = tmp_path_factory.mktemp("estimates")
    program = compile_c(folder, PROGRAM)
    return {
        cost: run(folder, program, cost, options=("-S", "-f", "500"))[1][0].path
        for cost in ("counts", "full")
    }


def export(path, form, folder):
    words = ["export", "--format", form, "-o", folder / "exported", path]
    done = support.run_kymo(words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return Exported((folder / "exported").read_bytes(), done.stderr)


def in_perfetto(data, folder):
    tracks = PerfettoTrace(data).tracks.values()
    instants = [each for track in tracks if not track.tid for each in track.instants]
    query = "select name, value from stats where severity != 'info' and value != 0"
    assert perfetto_engine.query(data, [query], folder) == [[]]
    return [notes["text"] for name, _, notes in instants if name == "estimates"]


def in_chrome(data, folder):
    document = json.loads(data)
    assert document["traceEvents"]
    return [document["otherData"][key] for key in document["otherData"] if key == "estimates"]


def in_speedscope(data, folder):
    document = json.loads(data)
    names = [profile["name"] for profile in document["profiles"]]
    marked = [name for name in names if name.endswith(" (estimates)")]
    assert marked in ([], names)
    assert bool(marked) == (TEXT in document["name"])
    return [document["name"]] if marked else []


def in_collapsed(data, folder):
    """A stack like any other, that takes no time: no reader is told what it cannot read."""
    lines = [line.rsplit(" ", 1) for line in data.decode().splitlines()]
    assert all(stack and int(weight) >= 0 for stack, weight in lines)
    without = [stack for stack, weight in lines if int(weight) == 0]
    assert all(";" not in stack for stack in without)
    done = support.run_kymo(
        ["import", "--force", folder / "exported", "-o", folder / "again"], cwd=folder
    )
    assert done.returncode == 0, done.stderr
    shown = support.run_kymo(["report", "--flat", folder / "again"], cwd=folder).stdout
    assert "often" in shown and TEXT not in shown
    return without


def in_pstats(data, folder):
    """No place but among the functions, where it would be one."""
    assert TEXT.encode() not in data
    return None


def in_pprof(data, folder):
    return [TEXT] * gzip.decompress(data).count(TEXT.encode())


def in_dot(data, folder):
    if shutil.which("dot"):
        assert ("~:" in render(data, folder)) == (b"~:" in data)
    return [line for line in data.decode().splitlines() if line.startswith("\tlabel=")]


def in_callgrind(data, folder):
    if shutil.which("callgrind_annotate"):
        command = ["callgrind_annotate", folder / "exported"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert "leaf" in done.stdout, done.stderr
    return [line for line in data.decode().splitlines() if line.startswith("desc: Estimates: ")]


def in_firefox(data, folder):
    sections = check_profile(data)["meta"].get("extra", [])
    entries = [entry for section in sections for entry in section["entries"]]
    assert all(entry["format"] == "string" and entry["label"] for entry in entries)
    return [entry["value"] for entry in entries if entry["label"] == "Estimates"]


FORMATS = [name.removeprefix("in_") for name in list(globals()) if name.startswith("in_")]


def test_no_format_is_left_out(tmp_path):
    shown = support.run_kymo(["export", "--help"], cwd=tmp_path).stdout
    assert all(name in shown for name in FORMATS)
    table = (support.REPOSITORY / "src/export/exporters.def").read_text().splitlines()
    names = [line[9:-1] for line in table if line.startswith("EXPORTER(")]
    assert sorted(names) == sorted(FORMATS)


@pytest.mark.parametrize("form", FORMATS)
def test_estimates_are_marked(runs, form, tmp_path):
    for cost, path in runs.items():
        exported = export(path, form, tmp_path)
        texts = globals()[f"in_{form}"](exported.data, tmp_path)
        assert (TEXT in exported.said) == (cost == "counts")
        if texts is not None:
            assert len(texts) == (cost == "counts"), texts
            assert all(TEXT in text for text in texts), texts


@pytest.mark.parametrize("form", ["collapsed", "speedscope", "pprof"])
def test_samples_are_no_estimates_of_calls(runs, form, tmp_path):
    """What is written in the place of calls was counted nowhere."""
    words = ["export", "--samples", "--format", form, "-o", "exported", runs["counts"]]
    done = support.run_kymo(words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    data = (tmp_path / "exported").read_bytes()
    data = gzip.decompress(data) if form == "pprof" else data
    assert TEXT.encode() not in data and b"(estimates)" not in data
