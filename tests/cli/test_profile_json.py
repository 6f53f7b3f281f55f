"""The JSON of a profile: what it says, and that Hatchet reads it."""

import json
from pathlib import Path

import pytest
import support

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """The output folder of a run with threads and a forked child."""
    folder = tmp_path_factory.mktemp("json")
    result = support.run_kymo_python(
        support.interpreters()[-1],
        ["--preset", "omnitrace", "--", HERE / "processes.py"],
        cwd=folder,
        env={
            "KYMO_QUIET": "ON",
            "PYTHONWARNINGS": "ignore",
            "KYMO_TIMEMORY_COMPONENTS": "wall_clock,trip_count,peak_rss,thread_cpu_clock",
            "DATABASE_URL": "postgres://ada:lovelace@host/db",
        },
    )
    assert result.returncode == 0, result.stderr
    return folder / "out"


def load(outputs, name, metric):
    return json.loads((outputs / name).read_text())["timemory"][metric]


def nodes(node):
    yield node["node"]
    for child in node["children"]:
        yield from nodes(child)


def trees(metric):
    return [root for process in metric["mpi"] for root in process]


def test_flat_has_every_process(outputs):
    metric = load(outputs, "trip_count.json", "trip_count")
    first, second = metric["ranks"]
    assert metric["process_count"] == 2
    assert first["pid"] != second["pid"]
    counts = {row["prefix"]: row["entry"]["laps"] for row in first["graph"]}
    assert counts["|0|1>>> |_worker"] == 1
    assert counts["|0|2>>>   |_step"] == 3
    prefixes = [row["prefix"] for row in second["graph"]]
    assert prefixes[0] == "|1|0>>> main"
    assert "|1|0>>> |_child" in prefixes


def test_tree_holds_what_the_flat_list_holds(outputs):
    flat = load(outputs, "wall_clock.json", "wall_clock")
    tree = load(outputs, "wall_clock.tree.json", "wall_clock")
    for rank, root in zip(flat["ranks"], trees(tree)):
        found = list(nodes(root))
        assert found[0]["is_dummy"] and found[0]["hash"] == 0
        assert [node["hash"] for node in found[1:]] == [row["hash"] for row in rank["graph"]]
        assert [node["depth"] - 1 for node in found[1:]] == [row["depth"] for row in rank["graph"]]


@pytest.mark.parametrize("metric", ["wall_clock", "trip_count", "peak_rss", "thread_cpu_clock"])
def test_exclusive_values_are_not_negative(outputs, metric):
    tree = load(outputs, f"{metric}.tree.json", metric)
    for root in trees(tree):
        for node in nodes(root):
            assert node["exclusive"]["entry"]["value"] >= 0
            assert node["exclusive"]["entry"]["value"] <= node["inclusive"]["entry"]["value"] + 1e-6


def test_times_add_up(outputs):
    """Inclusive time is exclusive time and that of the callees in the same thread."""
    tree = load(outputs, "wall_clock.tree.json", "wall_clock")

    def check(node):
        own = node["node"]
        callees = [c for c in node["children"] if c["node"]["tid"] == own["tid"]]
        total = own["exclusive"]["stats"]["sum"] + sum(
            c["node"]["inclusive"]["stats"]["sum"] for c in callees
        )
        if not own["is_dummy"]:
            assert total == pytest.approx(own["inclusive"]["stats"]["sum"], rel=1e-6, abs=1e-9)
        for child in node["children"]:
            check(child)

    for root in trees(tree):
        check(root)


def test_metadata(outputs):
    metadata = json.loads((outputs / "metadata.json").read_text())["kymo"]["metadata"]
    assert metadata["settings"]["KYMO_QUIET"]["value"] == "ON"
    assert metadata["settings"]["KYMO_QUIET"]["initial"] == "OFF"
    assert len(metadata["processes"]) == 2
    assert all(process["is_closed"] for process in metadata["processes"])
    written = {entry["key"] for entry in metadata["output"]["text"]}
    assert written == {"wall_clock", "trip_count", "peak_rss", "thread_cpu_clock"}
    for entries in metadata["output"].values():
        assert all(Path(entry["value"]).exists() for entry in entries)
    environment = {entry["key"]: entry["value"] for entry in metadata["environment"]}
    assert "PATH" in environment and environment["DATABASE_URL"] == "postgres://ada:***@host/db"


def test_functions_name_the_hashes(outputs):
    functions = json.loads((outputs / "functions.json").read_text())["kymo"]["functions"]
    labels = {each["hash"]: each["label"] for each in functions}
    for root in trees(load(outputs, "trip_count.tree.json", "trip_count")):
        for node in list(nodes(root))[1:]:
            assert labels[node["hash"]] == node["prefix"]


@pytest.mark.filterwarnings("ignore")
def test_hatchet_reads_the_tree(outputs):
    hatchet = pytest.importorskip("hatchet", reason="llnl-hatchet is not installed")
    frame = hatchet.GraphFrame.from_timemory(str(outputs / "wall_clock.tree.json"))
    names = set(frame.dataframe["name"])
    assert {"main", "worker", "step", "child"} <= names
    assert "sum.wall_clock (inc)" in frame.inc_metrics
