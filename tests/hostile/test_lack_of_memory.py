"""A reader that lacks memory says so in one line, and leaves no half of a file."""

import pytest
import support

MAKE_DEEP = support.BUILD / "tests" / "make_deep"
DEPTH = 100_000  # a recording of 6 MB
LIMITS = range(26_000, 500_000, 4_000)  # kB of address space


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large") / "run"
    folder.mkdir()
    made = support.run([MAKE_DEEP, "profile", DEPTH, folder / "deep.kymo"], cwd=folder)
    assert made.returncode == 0, made.stderr
    return folder


def write(folder, options, limit="unlimited"):
    """Write over a file that is there, the only one in the folder."""
    limited = ["sh", "-c", f'ulimit -v {limit} && exec "$@"', "sh", support.KYMO]
    folder.mkdir(exist_ok=True)
    out = folder / "out"
    out.write_text("before")
    process = support.run([*limited, *options, "-o", out], cwd=folder)
    assert [path.name for path in folder.iterdir()] == ["out"], options
    return process, out.read_bytes()


REPORTS = [
    ["report", "--tree"],
    ["report", "--metric", "wall_clock"],
    ["diff", "--sort", "calls"],
    ["view", "--no-open"],
]


@pytest.mark.parametrize("options", REPORTS, ids=" ".join)
def test_a_report_is_whole_or_not_there(run, tmp_path, options):
    command = [*options, *[run] * (2 if options[0] == "diff" else 1)]
    whole, expected = write(tmp_path / "whole", command)
    assert whole.returncode == 0 and len(expected) > 100, whole.stderr
    said = set()
    for limit in LIMITS:
        process, written = write(tmp_path / "limited", command, limit)
        if process.returncode == 0:
            break
        assert process.returncode == 1 and process.stdout == "", (limit, process)
        assert written == b"before", (limit, process)
        said.add(process.stderr)
    assert written == expected
    assert "kymo: out of memory\n" in said
    assert all(line.count("\n") == 1 and "memory" in line for line in said), said
