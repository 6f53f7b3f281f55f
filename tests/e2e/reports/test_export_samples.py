"""kymo export of samples: every format is read by what owns it, and all tell the same."""

import gzip
import json
import os
import re
import shutil
import subprocess
from collections import Counter

import perfetto_engine
import pytest
import support
from perfetto_trace import PerfettoTrace
from test_export import export, nested_slices, record

PROGRAM = support.program("exported_samples.py")
ROOT = "samples [kymo]"


def sample(python, cwd, *options):
    arguments = ["sample", "-q", "-o", cwd / "out", "--time-output=OFF", *options]
    result = support.run_kymo([*arguments, "--", python.executable, PROGRAM], cwd=cwd)
    assert result.returncode == 0, result.stderr
    return cwd / "out"


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sampled")
    return sample(support.interpreters()[-1], folder, "-f", "200")


def test_perfetto_has_a_track_for_each_threads_samples(sampled):
    trace = PerfettoTrace(export(sampled, "perfetto"))
    slices = trace.slices()
    tracks = {each.track.name for each in slices}
    samples = sorted(name for name in tracks if re.fullmatch(r"Thread \d+ \(S\) \d+", name))
    assert len(samples) == 3
    by_track = {name: [each for each in slices if each.track.name == name] for name in samples}
    for rows in by_track.values():
        assert {each.name for each in rows if each.depth == 0} == {ROOT}
        assert all(each.name != ROOT for each in rows if each.depth > 0)
        ends = [(each.begin_ns, each.end_ns) for each in rows if each.depth == 0]
        assert all(before[1] <= after[0] for before, after in zip(ends, ends[1:]))
    names = [{each.name for each in rows} for rows in by_track.values()]
    assert any({"compute", "spin"} <= each for each in names)
    assert any("compress" in each for each in names)
    spin = next(each for each in slices if each.name == "spin")
    assert spin.annotations == {"file": str(PROGRAM), "line": 10}
    assert {each.category for each in slices} <= {"python", "host"}
    assert any(re.fullmatch(r"Thread \d+ GIL \(S\) \d+", name) for name in tracks)
    # What two samples share is one slice: no slice ends where the next one of its name begins.
    for rows in by_track.values():
        ends = {(each.name, each.depth, each.end_ns) for each in rows if each.depth < 2}
        assert not ends & {(each.name, each.depth, each.begin_ns) for each in rows}


def test_perfetto_opens_in_its_own_engine(sampled, tmp_path):
    data = export(sampled, "perfetto")
    slices, errors, nested = perfetto_engine.query(
        data,
        [
            "select name, ts, dur from slice",
            "select name, value from stats where severity != 'info' and value != 0",
            "select count(*) from slice c join slice p on c.parent_id = p.id "
            "where c.ts < p.ts or c.ts + c.dur > p.ts + p.dur",
        ],
        tmp_path,
    )
    expected = [
        (each.name, each.begin_ns, each.end_ns - each.begin_ns)
        for each in PerfettoTrace(data).slices()
    ]
    assert sorted(slices) == sorted(expected)
    assert errors == []
    assert nested == [(0,)]


def test_chrome_has_the_same_slices(sampled):
    document = json.loads(export(sampled, "chrome"))
    origin = int(document["otherData"]["origin_realtime_ns"])
    found = Counter()
    for tid in {each["tid"] for each in document["traceEvents"] if "tid" in each}:
        events = [each for each in document["traceEvents"] if each.get("tid") == tid]
        for name, begin, end in nested_slices(events):
            found[name, round(begin * 1000), round(end * 1000)] += 1
    expected = Counter(
        (each.name, each.begin_ns - origin, each.end_ns - origin)
        for each in PerfettoTrace(export(sampled, "perfetto")).slices()
    )
    assert found == expected


def test_samples_are_beside_a_trace(newest_python, tmp_path):
    options = ["-q", "-T", "-S", "-o", tmp_path / "out", "--time-output=OFF"]
    command = ["run", *options, "--", newest_python.executable, "-m", "kymo", "--", PROGRAM]
    env = {"PYTHONPATH": support.PACKAGE_DIR}
    result = support.run_kymo(command, cwd=tmp_path, env=env)
    assert result.returncode == 0, result.stderr
    trace = PerfettoTrace(export(tmp_path / "out", "perfetto"))
    tracks = {each.track.name for each in trace.slices() if each.name == "spin"}
    assert any("(S)" in name for name in tracks) and any("(S)" not in name for name in tracks)
    types = {
        option: {
            each["type"]
            for each in json.loads(export(tmp_path / "out", "speedscope", *option))["profiles"]
        }
        for option in [(), ("--samples",)]
    }
    assert types == {(): {"evented"}, ("--samples",): {"sampled"}}


def test_stacks_hold_the_time_of_all_samples(sampled):
    document = json.loads(export(sampled, "speedscope"))
    frames = document["shared"]["frames"]
    total_ns = 0
    for profile in document["profiles"]:
        assert (profile["type"], profile["unit"]) == ("sampled", "nanoseconds")
        assert len(profile["samples"]) == len(profile["weights"]) > 0
        assert sum(profile["weights"]) == profile["endValue"]
        total_ns += profile["endValue"]
    assert len(document["profiles"]) == 3
    stacks = [
        [frames[frame]["name"] for frame in stack]
        for profile in document["profiles"]
        for stack in profile["samples"]
    ]
    assert any("compute" in stack and stack[-1] == "spin" for stack in stacks)
    spin = next(each for each in frames if each["name"] == "spin")
    assert (spin["file"], spin["line"]) == (str(PROGRAM), 10)
    roots_ns = sum(
        each.end_ns - each.begin_ns
        for each in PerfettoTrace(export(sampled, "perfetto")).slices()
        if each.name == ROOT
    )
    assert total_ns == pytest.approx(roots_ns, rel=1e-3)

    lines = export(sampled, "collapsed").decode().splitlines()
    weights_us = [int(line.rsplit(" ", 1)[1]) for line in lines]
    assert sum(weights_us) == pytest.approx(total_ns / 1000, abs=2)
    assert any("compute (exported_samples.py:17);spin (exported" in line for line in lines)


def test_frames_can_be_lines(sampled):
    lines = export(sampled, "collapsed", "--lines").decode()
    found = set(re.findall(r"\[spin\]\[exported_samples\.py:(\d+)\]", lines))
    assert found and found <= {"11", "12", "13", "14"}


def test_filter_and_thread(sampled):
    lines = export(sampled, "collapsed", "--filter", "^(compute|spin)$").decode().splitlines()
    frames = {frame.split(" (")[0] for line in lines for frame in line.rsplit(" ", 1)[0].split(";")}
    assert frames & {"compute", "spin"}
    assert frames <= {"compute", "spin", "MainThread"} | {f"thread {n}" for n in range(9)}
    document = json.loads(export(sampled, "speedscope", "--thread", "1"))
    assert len(document["profiles"]) == 1


def test_a_library_that_was_loaded_late(tmp_path):
    source = support.program("exported_library.c")
    flags = ["-g", "-O2"]
    for command in (
        ["cc", *flags, "-DLIBRARY", "-shared", "-fPIC", source, "-o", "late.so"],
        ["cc", *flags, source, "-o", "program", "-ldl"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True)
    options = ["-q", "-f", "200", "-o", "out", "--time-output=OFF"]
    command = ["sample", *options, "--", "./program", "./late.so"]
    result = support.run_kymo(command, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    whole = export(tmp_path / "out", "collapsed").decode()
    assert re.search(
        r"^main \(exported_library.c:\d+\);(work \(.*\);)?churn \(.*\) \d+$", whole, re.M
    )
    inlined = export(tmp_path / "out", "collapsed", "--inlines").decode()
    assert re.search(r"churn \(exported_library.c:\d+\);mix \(exported_library.c:3\) ", inlined)
    # What changed since is not believed.
    command = ["cc", "-g", "-O1", "-DLIBRARY", "-shared", "-fPIC", source, "-o", "late.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert "churn" not in export(tmp_path / "out", "collapsed").decode()


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def message(data):
    """{field: [values]} of a message whose fields are numbers and bytes."""
    fields = {}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at : at + value], at + value
        else:
            assert tag & 7 == 0
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def packed(data):
    numbers = []
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        numbers.append(value)
    return numbers


class Pprof:
    """profile.proto, with every id and text followed."""

    def __init__(self, data):
        fields = message(gzip.decompress(data))
        self.strings = [each.decode() for each in fields[6]]
        assert self.strings[0] == "" and len(set(self.strings)) == len(self.strings)
        self.types = [tuple(self.texts(message(each), 1, 2)) for each in fields[1]]
        self.default = self.strings[fields[14][0]]
        self.comments = [self.strings[each] for each in fields.get(13, [])]
        self.duration_ns = fields[10][0]
        functions = self.by_id(fields.get(5, []))
        self.mappings = {
            number: self.texts(each, 5, 6) for number, each in self.by_id(fields.get(3, [])).items()
        }
        self.locations = {
            number: self.location(each, functions)
            for number, each in self.by_id(fields.get(4, [])).items()
        }
        self.samples = [self.sample(message(each)) for each in fields.get(2, [])]

    def texts(self, fields, *numbers):
        return [self.strings[fields.get(number, [0])[0]] for number in numbers]

    @staticmethod
    def by_id(messages):
        rows = [message(each) for each in messages]
        found = {row[1][0]: row for row in rows}
        assert len(found) == len(rows) and 0 not in found
        return found

    def location(self, fields, functions):
        """[(function, file, line, first line)], innermost first, and its mapping."""
        lines = []
        for each in fields[4]:
            line = message(each)
            function = functions[line[1][0]]
            name, file = self.texts(function, 2, 4)
            lines.append((name, file, line[2][0], function[5][0]))
        mapping = fields.get(2, [0])[0]
        assert mapping == 0 or mapping in self.mappings
        return lines, mapping

    def sample(self, fields):
        locations = [self.locations[number] for number in packed(fields[1][0])]
        values = dict(zip([kind for kind, _ in self.types], packed(fields[2][0])))
        labels = {}
        for each in fields.get(3, []):
            label = message(each)
            labels[self.strings[label[1][0]]] = (
                self.strings[label[2][0]] if 2 in label else label[3][0]
            )
        return locations, values, labels


def build_id(path):
    listing = subprocess.run(["readelf", "-n", path], capture_output=True, text=True)
    found = re.search("Build ID: ([0-9a-f]+)", listing.stdout)
    return found.group(1) if found else ""


def test_pprof_of_samples(sampled):
    profile = Pprof(export(sampled, "pprof"))
    assert profile.types[:2] == [("samples", "count"), ("wall", "nanoseconds")]
    assert profile.default == "wall"
    assert any(PROGRAM.name in each for each in profile.comments)
    total_ns = sum(
        each["endValue"] for each in json.loads(export(sampled, "speedscope"))["profiles"]
    )
    assert sum(values["wall"] for _, values, _ in profile.samples) == pytest.approx(
        total_ns, abs=len(profile.samples)
    )
    leaves = {locations[0][0][0][:2] for locations, _, _ in profile.samples}
    assert ("spin", str(PROGRAM)) in leaves
    spin_lines = {
        (line, first)
        for lines, _ in profile.locations.values()
        for name, _, line, first in lines
        if name == "spin"
    }
    # Line 10 is where a call that was just made stands.
    assert spin_lines and spin_lines <= {(line, 10) for line in (10, 11, 12, 13, 14)}
    names = [
        [line[0] for lines, _ in locations for line in lines] for locations, _, _ in profile.samples
    ]
    # Innermost first.
    stack = next(each for each in names if each[0] == "spin")
    assert stack[1] == "compute"
    assert {labels["thread"] for _, _, labels in profile.samples} >= {"MainThread"}
    used = {mapping for _, mapping in profile.locations.values()} - {0}
    assert used, "native code has addresses"
    for path, identity in profile.mappings.values():
        if os.path.exists(path):
            assert identity == build_id(path)


def test_all_formats_tell_the_same(sampled):
    """What threads did themselves, in every format; of names without a class."""
    wait = "[waits for the GIL]"
    in_pprof = Counter()
    for locations, values, _ in Pprof(export(sampled, "pprof")).samples:
        in_pprof[locations[0][0][0][0]] += values["wall"] / 1e9
    collapsed = Counter()
    for line in export(sampled, "collapsed").decode().splitlines():
        path, weight = line.rsplit(" ", 1)
        collapsed[path.rsplit(";", 1)[-1].split(" (exported")[0]] += int(weight) / 1e6
    document = json.loads(export(sampled, "speedscope"))
    speedscope = Counter()
    for profile in document["profiles"]:
        for stack, weight in zip(profile["samples"], profile["weights"]):
            speedscope[document["shared"]["frames"][stack[-1]]["name"]] += weight / 1e9
    timeline = Counter()
    for each in PerfettoTrace(export(sampled, "perfetto")).slices():
        timeline[each.name] += (each.end_ns - each.begin_ns) / 1e9
    assert collapsed["spin"] > 0
    for name in ("spin", wait):
        expected = pytest.approx(collapsed[name], rel=0.01, abs=1e-5)
        assert in_pprof[name] == expected
        assert speedscope[name] == expected
    assert timeline[wait] == pytest.approx(collapsed[wait], rel=0.01, abs=1e-5)


def test_pprof_of_calls(newest_python, tmp_path):
    program = support.program("calls_of_all_kinds.py")
    run = record(newest_python, tmp_path, program=program)
    profile = Pprof(export(run, "pprof"))
    assert profile.types == [("calls", "count"), ("wall", "nanoseconds")]
    calls = Counter()
    for locations, values, _ in profile.samples:
        calls[locations[0][0][0][0]] += values["calls"]
    expected = support.region_calls(run)
    assert {name.rsplit(".", 1)[-1]: count for name, count in calls.items()} == {
        name.rsplit(".", 1)[-1]: count for name, count in expected.items()
    }


@pytest.mark.long
@pytest.mark.slow
def test_pprof_opens_in_go(sampled, tmp_path):
    if not shutil.which("go"):
        pytest.skip("go is not installed")
    export(sampled, "pprof")
    # With the user's own cache of what was built: building pprof takes a minute.
    result = subprocess.run(
        ["go", "tool", "pprof", "-top", "-nodecount=500", sampled.parent / "exported.pprof"],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stderr
    assert "Type: wall" in result.stdout
    profile = Pprof((sampled.parent / "exported.pprof").read_bytes())
    flat = Counter()
    for locations, values, _ in profile.samples:
        flat[locations[0][0][0][0]] += values["wall"]
    total = sum(flat.values())
    for line in result.stdout.splitlines():
        row = line.split(None, 5)
        if len(row) == 6 and row[1].endswith("%") and row[5] in flat:
            assert float(row[1][:-1]) / 100 == pytest.approx(flat[row[5]] / total, abs=0.001)
    assert re.search(r" spin$", result.stdout, re.MULTILINE)
