"""Every view of kymo report, in every form, of every kind of run: a table or one clear line."""

import csv
import io
import json
import subprocess

import kinds_of_runs
import pytest
import support
from cases import long_except

# Other tools say nothing of it, and a process calibrates it at its end.
UNKNOWN_COST = {kind for kind in kinds_of_runs.KINDS if "import" in kind} | {"damaged"}
FORMS = ("text", "json", "csv", "markdown")
VIEWS = {
    "first": [],
    "flat": ["--flat"],
    "tree": ["--tree"],
    "hot-path": ["--hot-path"],
    "findings": ["--findings"],
    "callers": ["--callers", "{region}"],
    "callees": ["--callees", "{region}"],
    "butterfly": ["--butterfly", "{region}"],
    "by-module": ["--by-module"],
    "ranks": ["--ranks"],
    "threads compared": ["--ranks", "--group", "thread", "--region", "{region}"],
    "imbalance": ["--imbalance"],
    "processes compared": ["--imbalance", "--group", "process"],
    "histogram": ["--histogram", "{region}"],
    "repeats": ["--repeats"],
    "lines": ["--lines"],
    "waits": ["--waits"],
    "gil": ["--gil"],
    "wall_clock": ["--metric", "wall_clock"],
    "processes": ["--processes"],
    "threads": ["--threads"],
    "series": ["--series"],
    "score": ["--score"],
}
# What a run of that kind has not is said in one line, with status 1 or 2.
OF_EVERY_RUN = {"first", "flat", "tree", "hot-path", "findings", "by-module", "processes"}


def test_every_view_is_tried():
    """A view that is new in --help has to be new here."""
    result = support.run_kymo(["report", "--help"], cwd="/")
    views = result.stdout.split("\noptions:\n", 1)[1].split("      --region", 1)[0]
    offered = {line.split()[0] for line in views.splitlines() if line.startswith("      --")}
    tried = {word for options in VIEWS.values() for word in options[:1]}
    assert offered == tried


# Made of what other kinds have.
MADE_OF_OTHERS = ("imported stacks", "imported events", "merged imports", "merged samples")


@pytest.fixture(
    scope="module",
    params=long_except(kinds_of_runs.KINDS, *(set(kinds_of_runs.KINDS) - set(MADE_OF_OTHERS))),
)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def run(kind, tmp_path_factory):
    return kinds_of_runs.make(kind, tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def region(run, tmp_path_factory):
    """The name of a region of the run, the one with the most time."""
    result = report(run, tmp_path_factory.mktemp("cwd"), "--flat", "--format", "json")
    assert result.returncode == 0, result.stderr
    regions = json.loads(result.stdout)["regions"]
    return regions[0]["name"] if regions else "nothing"


def report(run, cwd, *options, **more):
    return support.run_kymo(["report", *options, run], cwd=cwd, **more)


def check_text(text):
    """Tables as in the output files are as wide as those; so is what sampled threads did."""
    is_wide = text.startswith("|---") or "% READY" in text
    assert [line for line in text.splitlines() if len(line) > 80 and not is_wide] == []
    assert "\x1b" not in text  # colours are for terminals
    assert "nan" not in text.split() and "inf" not in text.split()


def no_constant(word):
    raise ValueError(word)  # NaN, Infinity


def check_json(text):
    json.loads(text, parse_constant=no_constant)


def check_csv(text):
    """One table, or several with an empty line between them."""
    for table in text.split("\n\n"):
        rows = list(csv.reader(io.StringIO(table)))
        assert rows and len({len(row) for row in rows}) == 1
        assert all(rows[0])


def check_markdown(text):
    """The second line of each table tells how its columns are aligned."""
    for block in text.split("\n\n"):
        lines = block.splitlines()
        if lines and lines[0].startswith("|"):
            assert set(lines[1]) <= set("|-:")
            assert all(line.startswith("|") and line.endswith("|") for line in lines)


CHECKS = {"text": check_text, "json": check_json, "csv": check_csv, "markdown": check_markdown}


@pytest.mark.parametrize("view", VIEWS)
def test_forms(run, region, view, tmp_path):
    """All forms agree on whether there is something to show."""
    options = [word.format(region=region) for word in VIEWS[view]]
    statuses = set()
    for form in FORMS:
        result = report(run, tmp_path, *options, "--format", form)
        statuses.add(result.returncode)
        if result.returncode == 0:
            assert result.stderr == ""
            CHECKS[form](result.stdout)
        else:
            assert result.returncode in (1, 2), result
            assert result.stdout == ""
            assert result.stderr.startswith("kymo: ") and result.stderr.count("\n") <= 2
    assert len(statuses) == 1, statuses
    if view in OF_EVERY_RUN:
        assert statuses == {0}, result.stderr


def test_compared_with_itself(run, kind, tmp_path):
    """Nothing has changed; what measuring an imported run cost is not made up."""
    result = support.run_kymo(["diff", run, run, "--fail-if", "total:run>0%"], cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    check_text(result.stdout)
    assert "(no differences)" in result.stdout
    said = " ".join(result.stdout.split())
    assert ("the overhead is unknown" in said) == (kind in UNKNOWN_COST)


def test_merged_alone(run, tmp_path):
    """A merge of one run has its regions, its calls and its own times; samples, of which some
    may have no calls, included."""
    result = support.run_kymo(["merge", "-o", "merged", run], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    before, after = (
        json.loads(report(each, tmp_path, "--flat", "--format", "json").stdout)
        for each in (run, tmp_path / "merged")
    )
    assert after["calls"] == before["calls"]
    own = [sum(each["self"] for each in one["regions"]) for one in (before, after)]
    assert own[1] == pytest.approx(own[0], rel=1e-6, abs=1e-7)


def test_output_cannot_be_written(run, tmp_path):
    """One line, status 1, and no part of a file."""
    result = report(run, tmp_path, "-o", "/dev/full")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("kymo: ") and result.stderr.count("\n") == 1
    result = report(run, tmp_path, "-o", tmp_path / "no" / "where")
    assert result.returncode == 1 and result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_reader_that_leaves(run, tmp_path):
    """`| head -1` ends it without a word."""
    process = subprocess.Popen(
        [support.KYMO, "report", "--flat", run],
        cwd=tmp_path,
        env=support.clean_environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait(timeout=support.TIMEOUT_S)


def test_while_it_goes_on(tmp_path):
    """A run is shown as far as it is."""
    going = kinds_of_runs.going(tmp_path)
    try:
        for view, words in VIEWS.items():
            options = [word.format(region="step") for word in words]
            result = report(going.run, tmp_path, *options)
            assert result.returncode == 0 or view not in OF_EVERY_RUN, result.stderr
            check_text(result.stdout)
            assert result.stderr.count("\n") <= (result.returncode > 0)
    finally:
        going.end()
