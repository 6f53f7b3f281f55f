"""kymo import: files that are no profiles, and directories that are taken, get one line."""

import gzip
import json
import marshal
import resource
import subprocess
import zlib

import pytest
import support
from import_runs import by_name, import_text, kymo_import

CALLERS = {("a.py", 1, "f"): (1, 1, 0.5, 0.5, {})}
PSTATS = marshal.dumps(CALLERS)

# What is wrong with each is said with the place.
REFUSED = {
    "empty": (b"", "'file' is empty"),
    "text": (b"just some words\n", "'file' is in no format that can be imported"),
    "recording": (b"KYMO\r\n\x1a\n" + bytes(100), "'file' is a recording of Kymo already"),
    "perf.data": (b"PERFILE2" + bytes(100), "'file' is the data of perf itself"),
    "pstats cut": (
        PSTATS[:17],
        "'file' is no profile of cProfile that can be read: marshal data ends at byte 17",
    ),
    "pstats type": (b"{(\x03\0\0\0?" + bytes(9), "not a value of a profile at byte 6"),
    "pstats deep": (b"{(" + b"\x01\0\0\0(" * 1000, "marshal data is nested too deep at byte "),
    "pstats huge tuple": (b"{(\xff\xff\xff\x7f", "marshal data ends at byte 6"),
    "pstats no table": (marshal.dumps({(1, 2): 3}), "a function is not (file, line, name)"),
    "pstats nothing": (b"{0", "it holds no functions"),
    "collapsed": (b"main;f 1\n" * 30 + b"main;f many\n", "line 31 does not end with a number"),
    "collapsed soon": (b"main;f 1\nmain;f\nmain;g 2\n", "line 2 does not end with a number"),
    "collapsed nothing": (b"main;f 0\n", "'file' holds no measurements"),
    "speedscope frame": (
        b'{"shared":{"frames":[]},"profiles":[{"type":"sampled","unit":"none","samples":[[7]]}]}',
        "a sample's frame is not there at byte ",
    ),
    "speedscope cut": (b'{"shared":{"frames":[{"na', "the JSON text ends too early at byte 25"),
    "chrome cut": (b'{"traceEvents":[{"ph":"X"', "the JSON text ends too early at byte 25"),
    "chrome wrong": (b'[{"ph":"X","ts":1,}]', "at byte 19"),
    "chrome not a number": (b'[{"ph":"X","ts":NaN}]', "lexical error: invalid char"),
    "chrome deep": (b'[{"ph":' + b"[" * 1_000_000, "it is nested deeper than 1000 levels at byte "),
    "chrome nothing": (b'{"traceEvents":[]}', "'file' holds no measurements"),
    "callgrind number": (
        b"# callgrind format\nevents: Ir\nfn=(1)\n1 2\n",
        "a function has a number but no name in line 3",
    ),
    "callgrind costs": (
        b"# callgrind format\nevents: Ir\nfn=f\n1 x\n",
        "there is no line of costs in line 4",
    ),
    "callgrind nothing": (b"# callgrind format\nevents: Ir\n", "it has no functions"),
    "gzip": (b"\x1f\x8b\x08\0garbage", "'file' cannot be unpacked: gzip's data "),
}


@pytest.mark.parametrize("what", REFUSED)
def test_malformed_files_get_one_line(tmp_path, what):
    data, expected = REFUSED[what]
    (tmp_path / "file").write_bytes(data)
    process = kymo_import(["file"], cwd=tmp_path)
    assert process.returncode == 1, process.stderr
    assert process.stderr.startswith("kymo: ")
    assert expected in process.stderr
    assert process.stderr.count("\n") == 1
    assert process.stdout == ""
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_bomb_is_refused(tmp_path):
    """260 MB in 270 kB of gzip's; the limit may be raised, and lowered."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    begin = packer.compress(b"main;leaf 1\n") + packer.flush(zlib.Z_FULL_FLUSH)
    # After such a flush nothing refers to what came before: it may be repeated as it is.
    spaces = packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    (tmp_path / "bomb.gz").write_bytes(begin + 260 * spaces + packer.flush())
    result = kymo_import([tmp_path / "bomb.gz"], cwd=tmp_path, env={"TMPDIR": tmp_path})
    assert result.returncode == 1
    assert "has more than 256 MB when it is unpacked" in result.stderr
    assert "--unpack-limit" in result.stderr and len(result.stderr.splitlines()) == 1
    (tmp_path / "small.gz").write_bytes(gzip.compress(b"main;leaf 1\n" * 100000))
    for limit, status in (("1", 1), ("2", 0), ("0", 0)):
        words = ["--force", "--unpack-limit", limit]
        done = kymo_import([tmp_path / "small.gz"], *words, cwd=tmp_path)
        assert done.returncode == status, done.stderr


def test_a_format_may_be_forced(tmp_path):
    (tmp_path / "file").write_bytes(b"no profile 3\n")
    process = kymo_import(["file"], "--format", "perf", cwd=tmp_path)
    assert process.returncode == 1
    assert "line 1 is neither a sample nor a frame" in process.stderr
    assert by_name(import_text("# x: 1\nf 3\n", "--format", "collapsed", cwd=tmp_path)) == {
        "f": (3, 3e-9, 3e-9)
    }


def test_every_prefix_of_a_profile_is_refused(tmp_path):
    for length in range(1, len(PSTATS)):
        (tmp_path / "file").write_bytes(PSTATS[:length])
        process = kymo_import(["file"], "--format", "pstats", cwd=tmp_path)
        assert process.returncode == 1, length
        assert process.stderr.count("\n") == 1
        assert not (tmp_path / "imported").exists()


def test_a_run_is_not_overwritten(tmp_path):
    import_text("f 3\n", cwd=tmp_path)
    before = sorted(each.name for each in (tmp_path / "imported").iterdir())
    (tmp_path / "other").write_text("g 4\n")
    process = kymo_import(["other"], cwd=tmp_path)
    assert process.returncode == 1
    assert "holds a run already; -o names another directory, --force takes its place" in (
        process.stderr
    )
    assert sorted(each.name for each in (tmp_path / "imported").iterdir()) == before
    assert list(by_name(tmp_path / "imported")) == ["f"]
    assert kymo_import(["other"], "--force", cwd=tmp_path).returncode == 0
    assert list(by_name(tmp_path / "imported")) == ["g"]


def test_a_later_file_that_fails_takes_all_back(tmp_path):
    (tmp_path / "one").write_text("f 3\n")
    (tmp_path / "two").write_text("f x\n")
    process = kymo_import(["one", "two"], cwd=tmp_path)
    assert process.returncode == 1
    assert not (tmp_path / "imported").exists()


def test_names_may_be_anything(tmp_path):
    names = ['"><script>', "\u202eright to left", "\x01\x7f", "n" * 10_000, "tab\there"]
    events = [
        {"ph": "X", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 1, "name": name}
        for i, name in enumerate(names)
    ]
    rows = by_name(import_text(json.dumps(events), cwd=tmp_path))
    assert len(rows) == len(names)
    rows = by_name(import_text(b"\xff\xfe;\xc3 3\n", cwd=tmp_path))
    assert sum(row[0] for row in rows.values()) == 6


def test_names_are_cut_and_that_is_said(tmp_path):
    run = import_text("n" * 1_000_000 + " 3\n", cwd=tmp_path)
    process = support.run_kymo(["report", str(run)], cwd=tmp_path)
    assert "1 names longer than 16384 bytes were cut" in " ".join(process.stdout.split())


def test_what_cannot_be_is_left_out_and_counted(tmp_path):
    text = "f 3\nf nan\nf inf\nf -2\nf 1e300\n"
    run = import_text(text, cwd=tmp_path)
    assert by_name(run)["f"][0] == 3
    process = support.run_kymo(["report", str(run)], cwd=tmp_path)
    told = " ".join(process.stdout.split())
    assert "4 negative or invalid weights were left out" in told

    events = [
        {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "name": "f"},
        {"ph": "X", "pid": 1, "tid": 1, "ts": 1e300, "dur": 2, "name": "f"},
        {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": -2, "name": "f"},
        {"ph": "E", "pid": 1, "tid": 2, "ts": 1},
        {"ph": "B", "pid": 1, "tid": 3, "ts": 9, "name": "g"},
        {"ph": "B", "pid": 1, "tid": 3, "ts": 4, "name": "h"},
    ]
    run = import_text(json.dumps(events), cwd=tmp_path)
    process = support.run_kymo(["report", str(run)], cwd=tmp_path)
    told = " ".join(process.stdout.split())
    assert "2 events without a valid time were left out" in told
    assert "1 ends without a beginning were left out" in told
    assert "2 regions did not end" in told
    assert by_name(run)["g"][0] == 1


CALLGRIND = b"""# callgrind format
creator: callgrind-3.19.0
events: Ir

fn=(1) main
1 10
cfn=(2) leaf
calls=3 5
2 30

totals: 40
"""


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        (CALLGRIND, False),
        (CALLGRIND[:-1], True),  # no end of the line
        (CALLGRIND.replace(b"totals: 40\n", b""), True),
        (CALLGRIND[: CALLGRIND.index(b"2 30")], True),  # a call without its cost
        (CALLGRIND.replace(b"callgrind-", b"other-").replace(b"totals: 40\n", b""), False),
    ],
)
def test_a_callgrind_file_that_is_cut_says_so(tmp_path, text, is_cut):
    (tmp_path / "cut.out").write_bytes(text)
    assert kymo_import(["cut.out"], cwd=tmp_path).returncode == 0
    shown = support.run_kymo(["report", "imported"], cwd=tmp_path).stdout
    assert ("the file is truncated" in shown) == is_cut


def test_deep_stacks_are_cut_and_that_is_said(tmp_path):
    run = import_text(";".join(["f"] * 20_000) + " 3\n", cwd=tmp_path)
    process = support.run_kymo(["report", str(run)], cwd=tmp_path)
    told = " ".join(process.stdout.split())
    assert f"{20_000 - 16_384:,} frames deeper than 16384 were left out" in told


def test_a_full_disk_is_one_line(tmp_path):
    (tmp_path / "file").write_text("".join(f"main;f{i} 1\n" for i in range(20_000)))
    process = subprocess.run(
        [support.KYMO, "import", "-o", "imported", "file"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)),
    )
    assert process.returncode == 1
    assert process.stderr.startswith("kymo: ") and process.stderr.count("\n") == 1
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize(
    "arguments, expected",
    [
        ([], "name a file to import"),
        (["--format", "pstat", "x"], "did you mean 'pstats'?"),
        (["--format", "nonsense", "x"], "unknown format 'nonsense'; see --list-formats"),
    ],
)
def test_wrong_use(tmp_path, arguments, expected):
    process = support.run_kymo(["import", *arguments], cwd=tmp_path)
    assert process.returncode == 2
    assert expected in process.stderr
