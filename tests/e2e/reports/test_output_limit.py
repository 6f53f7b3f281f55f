"""What a run leaves beside its recordings: not more than it may, the largest first, and the rest
on demand."""

import functools
import itertools
import json
import os
import re

import pytest
import support

TABLES = ("wall_clock", "trip_count")
LEFT_OUT = re.compile(r"^([\d,]+) of ([\d,]+) call paths are left out, with [\d.<]+ % of the time")


@pytest.fixture
def ran(tmp_path):
    """Run the program with so many paths; returns (its folder, standard error)."""

    return functools.partial(run_into, tmp_path)


@pytest.fixture(scope="module")
def limited(tmp_path_factory):
    """The same of a run that leaves paths out; its folder is only read."""
    return run_into(tmp_path_factory.mktemp("limited"), 13)


def run_into(directory, depth, **settings):
    args = [support.program("many_paths.py"), str(depth)]
    done = support.run_kymo_python(support.interpreters()[-1], args, cwd=directory, env=settings)
    assert done.returncode == 0, done.stderr
    (recording,) = support.find_recordings(directory / "out")
    return recording.parent, done.stderr


def sizes(folder):
    """Bytes of recordings, and of everything else."""
    recorded = outputs = 0
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix == ".kymo":
            recorded += path.stat().st_size
        elif path.is_file():
            outputs += path.stat().st_size
    return recorded, outputs


def rows_of(text):
    return [line.split("|") for line in text.splitlines() if line.startswith("| |")]


def assert_is_tree(metric):
    """Every node of a tree.json has its callers; returns how many nodes there are."""
    ((root,),) = metric["mpi"]
    count, pending = 0, [(root, 0)]
    while pending:
        node, depth = pending.pop()
        assert node["node"]["depth"] == depth
        count += 1
        pending += [(child, depth + 1) for child in node["children"]]
    return count - 1


def test_outputs_stay_below_three_times_the_recording(limited):
    folder, said = limited
    recorded, outputs = sizes(folder)
    assert outputs <= 3 * recorded + 1e6
    # The room is used: what is there is as much as may be, not a token.
    assert outputs > 2 * recorded
    for name in TABLES:
        text = (folder / f"{name}.txt").read_text()
        some, total = LEFT_OUT.match(text.splitlines()[-1]).groups()
        kept = int(total.replace(",", "")) - int(some.replace(",", ""))
        assert kept == len(rows_of(text)) > 1000
        assert f"kymo report --metric {name} RUN" in text and "kymo finish --all RUN" in text
        flat = json.loads((folder / f"{name}.json").read_text())["timemory"][name]
        graph = flat["ranks"][0]["graph"]
        assert len(graph) == flat["ranks"][0]["graph_size"]
        assert len(graph) + flat["left_out"]["paths"] == int(total.replace(",", ""))
        tree = json.loads((folder / f"{name}.tree.json").read_text())["timemory"][name]
        assert assert_is_tree(tree) + tree["left_out"]["paths"] == int(total.replace(",", ""))
    assert re.search(r"^ {13}[\d.]+ MB beside [\d.]+ MB recorded$", said, re.M), said
    assert re.search(r"^  left out   .*\n {13}kymo finish --all ", said, re.M), said


def test_largest_paths_are_kept(limited):
    folder, _ = limited
    sums = [float(row[-8]) for row in rows_of((folder / "wall_clock.txt").read_text())]
    every = support.run_kymo(["report", "--metric", "wall_clock", folder], cwd=folder).stdout
    whole = sorted((float(row[-8]) for row in rows_of(every)), reverse=True)
    assert len(whole) > len(sums)
    assert sorted(sums, reverse=True) == whole[: len(sums)]
    assert not LEFT_OUT.match(every.splitlines()[-1])


def test_all_is_written_on_demand(ran):
    folder, _ = ran(12)
    done = support.run_kymo(["finish", "--all", folder], cwd=folder)
    assert done.returncode == 0
    assert "left out" not in done.stderr
    recorded, outputs = sizes(folder)
    assert outputs > 3 * recorded + 1e6
    tree = json.loads((folder / "wall_clock.tree.json").read_text())["timemory"]["wall_clock"]
    assert "left_out" not in tree
    assert assert_is_tree(tree) == len(rows_of((folder / "wall_clock.txt").read_text()))


@pytest.mark.parametrize("limit, is_limited", [("0", False), ("4", True)])
def test_setting_moves_the_limit(ran, limit, is_limited):
    folder, said = ran(12, KYMO_OUTPUT_LIMIT_MB=limit)
    _, outputs = sizes(folder)
    assert (outputs <= 4 << 20) == is_limited
    assert ("left out  " in said) == is_limited


def test_trace_counts_too(ran):
    folder, _ = ran(13, KYMO_TRACE="ON")
    recorded, outputs = sizes(folder)
    assert outputs <= 3 * recorded + 1e6
    assert (folder / "perfetto-trace.proto").stat().st_size > recorded / 4
    assert len(rows_of((folder / "wall_clock.txt").read_text())) > 10
    for path in folder.glob("*.json"):
        json.loads(path.read_text())


def test_trace_that_does_not_fit_is_said(ran):
    folder, said = ran(13, KYMO_TRACE="ON", KYMO_OUTPUT_LIMIT_MB="1")
    assert not (folder / "perfetto-trace.proto").exists()
    assert "perfetto" not in said.split("files  ")[1]
    assert "kymo finish --all" in said
    metadata = json.loads((folder / "metadata.json").read_text())["kymo"]["metadata"]
    assert "wall_clock" in json.dumps(metadata["output"])


def test_processes_with_tables_of_their_own(tmp_path):
    """Each of them has its part, and together they stay below."""
    program = support.program("many_paths.py")
    script = f"for i in 1 2 3 4; do $PY {program} 12 & done; wait"
    python = support.interpreters()[-1]
    done = support.run_kymo(
        ["run", "-P", "--", "sh", "-c", script],
        cwd=tmp_path,
        env={
            "KYMO_USE_PID": "ON",
            "KYMO_OUTPUT_PATH": tmp_path / "out",
            "KYMO_TIME_OUTPUT": "OFF",
            "PY": python.executable,
        },
    )
    assert done.returncode == 0, done.stderr
    folder = support.find_recordings(tmp_path / "out")[0].parent
    recorded, outputs = sizes(folder)
    assert outputs <= 3 * recorded + 1e6
    kept = [len(rows_of(path.read_text())) for path in folder.glob("wall_clock-*.txt")]
    assert sorted(kept)[-4] > 500
    for path in folder.glob("*.json"):
        json.loads(path.read_text())


def shapes():
    """Each with short and with long names; of those that take longest one of the two is long."""
    for case in itertools.product(["short", "deep", "threads", "processes"], ["0", "3000"]):
        is_long = case in (("threads", "3000"), ("processes", "0"))
        yield pytest.param(*case, marks=pytest.mark.long if is_long else [])


@pytest.mark.parametrize("shape, letters", shapes())
def test_the_limit_is_the_runs_whatever_its_paths(shape, letters, tmp_path):
    python = support.interpreters()[-1]
    args = [support.program("many_shapes.py"), shape, letters]
    done = support.run_kymo_python(python, args, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    recordings = support.find_recordings(tmp_path / "out")
    assert len(recordings) == (21 if shape == "processes" else 1)
    recorded, outputs = sizes(recordings[0].parent)
    assert recorded < outputs <= 3 * recorded + 1e6
    assert " left out   " in done.stderr
    table = (recordings[0].parent / "wall_clock.txt").read_text()
    some, total = LEFT_OUT.match(table.splitlines()[-1]).groups()
    left = int(total.replace(",", "")) - int(some.replace(",", ""))
    assert left == len(rows_of(table)) > 10


def test_names_that_grow_when_they_are_written(tmp_path):
    """Regions by the thousand whose names are written as escapes: functions.json is cut, too."""
    name = "\u202e" * 200
    lines = ["import kymo"]
    lines += [f"with kymo.region({name!r} + str({i})): pass" for i in range(4000)]
    (tmp_path / "program.py").write_text("\n".join(lines), encoding="utf-8")
    python = support.interpreters()[-1]
    env = {"KYMO_OUTPUT_LIMIT_MB": "1", "PYTHONPATH": os.fspath(support.PACKAGE_DIR)}
    done = support.run_kymo_python(python, ["program.py"], cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    (recording,) = support.find_recordings(tmp_path / "out")
    _, outputs = sizes(recording.parent)
    assert outputs <= 1 << 20
    functions = json.loads((recording.parent / "functions.json").read_text())["kymo"]
    assert functions["left_out"] > 0 and functions["functions"]


def test_small_runs_lose_nothing(ran):
    folder, said = ran(5)
    for path in folder.glob("*"):
        if path.suffix in (".txt", ".json"):
            assert "left_out" not in path.read_text() and "left out" not in path.read_text()
    assert "left out" not in said
    assert re.search(r" kB beside [\d.]+ kB recorded$", said, re.M)
