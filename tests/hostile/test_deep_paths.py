"""Call paths tens of thousands deep, whatever recorded them: every command reads them with a
small stack, in memory and time that grow with the depth and not with its square."""

import json

import pytest
import support

DEPTH = 70_000
REGIONS = 97  # of make_deep.c
MAKE_DEEP = support.BUILD / "tests" / "make_deep"
# A recursion needs more stack than four bytes a level, a square more than seven seconds.
BOUNDED = ["sh", "-c", 'ulimit -s 256 && ulimit -v 1000000 && ulimit -t 7 && exec "$@"', "sh"]


def make(folder, kind, depth=DEPTH):
    folder.mkdir()
    made = support.run([MAKE_DEEP, kind, depth, folder / "deep.kymo"], cwd=folder)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """By kind the folder of a run."""
    folder = tmp_path_factory.mktemp("deep")
    return {kind: make(folder / kind, kind) for kind in ("profile", "trace", "samples")}


def kymo(tmp_path, *args):
    result = support.run([*BOUNDED, support.KYMO, *args], cwd=tmp_path)
    assert result.returncode == 0, (args, result.returncode, result.stderr[-500:])
    return result.stdout


REPORTS = [
    [],
    ["--flat"],
    ["--tree"],
    ["--tree", "--filter", "^f5$"],
    ["--hot-path"],
    ["--findings"],
    ["--by-module"],
    ["--threads"],
    ["--ranks"],
    ["--imbalance"],
    ["--waits"],
    ["--gil"],
]
OF_CALLS = [["--callers", "f5"], ["--callees", "f5"], ["--butterfly", "f5"], ["--score"]]


@pytest.mark.parametrize("kind", ["profile", "trace", "samples"])
def test_every_report(runs, tmp_path, kind):
    for options in REPORTS + (OF_CALLS if kind != "samples" else [["--lines"]]):
        assert kymo(tmp_path, "report", *options, runs[kind]), options


@pytest.mark.parametrize("kind", ["profile", "trace"])
def test_numbers(runs, tmp_path, kind):
    """Each call counts once, and is a row of the tree at its depth."""
    flat = json.loads(kymo(tmp_path, "report", "--flat", "--format", "json", runs[kind]))
    assert sum(row["calls"] for row in flat["regions"]) == DEPTH
    # The outermost of each function contains all others of it.
    assert {row["name"]: row["calls"] for row in flat["regions"]}["f0"] == -(-DEPTH // REGIONS)
    tree = kymo(tmp_path, "report", "--tree", "--top", "0", "--format", "csv", runs[kind])
    lines = tree.splitlines()
    assert len(lines) == 1 + DEPTH + 1
    assert "[outside any recorded region]" in lines[-1]


EXPORTS = ["collapsed", "speedscope", "firefox", "pprof", "pstats", "callgrind", "dot"]


@pytest.mark.parametrize("kind", ["profile", "trace", "samples"])
def test_every_export(runs, tmp_path, kind):
    """Paths are cut where a file of all their frames would grow with the square of the depth."""
    for name in EXPORTS + (["chrome", "perfetto"] if kind != "profile" else []):
        file = tmp_path / name
        kymo(tmp_path, "export", "--format", name, "-o", file, runs[kind])
        assert file.stat().st_size < 200 * DEPTH, name
    if kind == "profile":
        lines = (tmp_path / "collapsed").read_text().splitlines()
        assert max(line.count(";") for line in lines) + 1 == 1000
    if kind == "trace":
        events = json.loads((tmp_path / "chrome").read_text())["traceEvents"]
        assert sum(event["ph"] in "BE" for event in events) == 2 * DEPTH


@pytest.mark.parametrize("kind", ["profile", "trace", "samples"])
def test_whole_runs(runs, tmp_path, kind):
    """Diff, merge and extract."""
    other = make(tmp_path / "other", kind, DEPTH // 2)
    for options in ([], ["--tree"], ["--format", "json"]):
        assert kymo(tmp_path, "diff", *options, runs[kind], other)
    kymo(tmp_path, "merge", "-o", "merged", runs[kind], other)
    merged = json.loads(kymo(tmp_path, "report", "--flat", "--format", "json", "merged"))
    if kind == "samples":
        return
    assert sum(row["calls"] for row in merged["regions"]) == DEPTH + DEPTH // 2
    kymo(tmp_path, "extract", "--region", "f50", "-o", "part", runs[kind])
    part = json.loads(kymo(tmp_path, "report", "--flat", "--format", "json", "part"))
    assert sum(row["calls"] for row in part["regions"]) == DEPTH - 50


def collapsed(names):
    return ";".join(names) + " 5\n"


def perf(names):
    frames = "".join(
        f"\t    {1000 + i % REGIONS:x} {name}+0x0 (/p)\n" for i, name in enumerate(names)
    )
    return f"prog 1234 10.000000: 1000000 cycles:\n{frames}\n"


def speedscope(names, profile):
    return json.dumps(
        {
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "shared": {"frames": [{"name": name} for name in names[:REGIONS]]},
            "profiles": [{"name": "p", "unit": "milliseconds", "startValue": 0, **profile}],
        }
    )


def sampled(names):
    stack = [i % REGIONS for i in range(len(names))]
    return speedscope(names, {"type": "sampled", "endValue": 5, "samples": [stack], "weights": [5]})


def evented(names):
    count = len(names)
    events = [{"type": "O", "frame": i % REGIONS, "at": i} for i in range(count)]
    events += [
        {"type": "C", "frame": i % REGIONS, "at": 2 * count - i} for i in reversed(range(count))
    ]
    return speedscope(names, {"type": "evented", "endValue": 2 * count, "events": events})


def chrome(names):
    count = len(names)
    common = {"pid": 1, "tid": 1}
    events = [{"ph": "B", "name": name, "ts": i, **common} for i, name in enumerate(names)]
    events += [{"ph": "E", "ts": 2 * count + i, **common} for i in range(count)]
    return json.dumps({"traceEvents": events})


def callgrind(names):
    blocks = "".join(
        f"fn={i}\n1 1\ncfn={i + 1}\ncalls=1 1\n1 {len(names) - i}\n\n" for i in range(len(names))
    )
    return f"events: Ir\n\n{blocks}fn={len(names)}\n1 1\n"


@pytest.mark.parametrize("written", [collapsed, perf, sampled, evented, chrome, callgrind])
def test_every_import(tmp_path, written):
    """What is too deep is left out, said so, and its time is its callers'."""
    depth = 20_000 if written is callgrind else DEPTH // 2
    file = tmp_path / "file"
    file.write_text(written([f"f{i % REGIONS}" for i in range(depth)]))
    kymo(tmp_path, "import", "-o", "run", file)
    told = kymo(tmp_path, "report", "run")
    if written is not callgrind:
        assert "frames deeper than 16384 were left out" in " ".join(told.split())
    kymo(tmp_path, "export", "--format", "speedscope", "-o", tmp_path / "out", "run")


@pytest.mark.parametrize("kind", ["profile", "trace", "samples"])
def test_page(runs, tmp_path, kind):
    page = tmp_path / "page.html"
    kymo(tmp_path, "view", "--no-open", "-o", page, runs[kind])
    assert page.stat().st_size < 50 * DEPTH
