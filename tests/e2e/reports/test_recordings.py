"""Recordings of real programs: the two decoders agree about them, and so do the two ways
in which they hold the same calls, the tree and the events."""

import json
import struct
import subprocess

import kymo_decoder
import pytest
import support
from decoder_runs import differences

pytestmark = pytest.mark.newest_version

TESTS = support.REPOSITORY / "tests"
DUMP = support.BUILD / "tests" / "dump_recording"
PROGRAM = support.program("recorded_whole.py")
ENDS = {"return": 0, "daemon": 0, "fork": 0, "kill": -9}
HEADER_FLAGS, FLAG_PROFILE, FLAG_FORKED = 300, 1, 4
# What the tree and the events may be compared by; both hold ticks of the same readings.
COMPARED = (
    "thread",
    "depth",
    "region",
    "count",
    "closed",
    "open",
    "sum_ns",
    "self_ns",
    "min_ns",
    "max_ns",
    "creates",
)


def dump(path):
    done = subprocess.run([DUMP, path], stdout=subprocess.PIPE, check=True, timeout=60)
    return json.loads(done.stdout)


def without_tree(path, copy):
    """The same recording as if its trees had not been kept."""
    data = bytearray(path.read_bytes())
    (flags,) = struct.unpack_from("<I", data, HEADER_FLAGS)
    struct.pack_into("<I", data, HEADER_FLAGS, flags & ~FLAG_PROFILE)
    copy.write_bytes(data)
    return copy


@pytest.fixture
def record(profile, tmp_path):
    """record(python, end, *options): the paths of the program's recordings."""

    def run(python, end, *options):
        done = profile(python, [*options, "--", PROGRAM, end], env={"KYMO_FINISH": "OFF"})
        assert done.returncode == ENDS[end], done.stderr
        found = support.find_recordings(tmp_path / "out")
        assert len(found) == (2 if end == "fork" else 1)
        return found

    return run


def is_forked(path):
    return struct.unpack_from("<I", path.read_bytes(), HEADER_FLAGS)[0] & FLAG_FORKED


@pytest.mark.parametrize("options", (["--trace-c", "-T"], ["--timing", "sampled"]), ids=" ".join)
@pytest.mark.parametrize("end", ENDS)
def test_both_decoders_agree(record, python, end, options):
    for path in record(python, end, *options):
        decoded = json.loads(json.dumps(kymo_decoder.load(path)))
        assert list(differences(dump(path), decoded)) == []
        assert decoded["is_closed"] == (end != "kill")


@pytest.mark.parametrize("end", ENDS)
def test_tree_and_events_agree(record, python, end, tmp_path):
    # Events tell when a thread began, not in which of the library's functions it was started.
    for path in record(python, end, "-T", "-ME", "/threading.py$"):
        tree = dump(path)["nodes"]
        events = dump(without_tree(path, tmp_path / "events.kymo"))["nodes"]
        assert len(tree) == len(events) > 10
        for left, right in zip(tree, events):
            # Events do not tell an inherited region from one that was entered.
            if is_forked(path) and left["count"] == 0:
                right["count"] -= 1
            assert {key: left[key] for key in COMPARED} == {key: right[key] for key in COMPARED}


def test_killed_within_calls(record, python):
    (path,) = record(python, "kill")
    decoded = kymo_decoder.load(path)
    names = {number: region["name"] for number, region in enumerate(decoded["regions"])}
    # Python calls a thread joined before the system has ended it: only the first counts.
    first = [node for node in decoded["nodes"] if node["thread"] == 0]
    assert [names[node["region"]] for node in first if node["open"]] == [
        "thread",
        "<module>",
        "main",
        "kill",
    ]
    assert sum(node["count"] for node in first if names[node["region"]] == "fib") == 465 + 5
