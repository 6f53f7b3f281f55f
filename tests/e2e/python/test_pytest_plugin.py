"""pytest --kymo: what it records, what it compares, and that it changes nothing else."""

import sys
import textwrap

import pytest
import support

SUITE = """
    import subprocess, sys
    import pytest

    def work_on(n):
        return sum(range(n))

    @pytest.fixture
    def number():
        return work_on(10)

    @pytest.mark.parametrize("n", [3, 4])
    def test_parameters(n, number):
        assert work_on(n) < 10

    class TestGroup:
        def test_method(self):
            work_on(1)

        def test_skipped(self):
            pytest.skip("not now")
"""


def own_interpreter():
    """The interpreter that these tests run in, which has pytest, as the build knows it."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if version not in [each.version for each in support.interpreters()]:
        pytest.skip(f"the build has no native module for Python {version}, which runs the tests")
    return sys.executable


@pytest.fixture
def suite(tmp_path):
    """suite(*options): run the suite under pytest with the plugin."""
    python = own_interpreter()
    (tmp_path / "test_suite.py").write_text(textwrap.dedent(SUITE))

    def run(*options, plugin="kymo.pytest_plugin", env=None):
        return support.run(
            [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", plugin, *options],
            cwd=tmp_path,
            env={"PYTHONPATH": support.PACKAGE_DIR, "KYMO_TIME_OUTPUT": "OFF", **(env or {})},
        )

    return run


def test_tests_are_regions(suite, tmp_path):
    result = suite("--kymo")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "3 passed, 1 skipped" in result.stdout
    assert "slowest 4 of 4 tests" in result.stdout
    assert "ms  test_suite.py::test_parameters[3]" in result.stdout
    assert "losses     none" in result.stdout
    calls = support.region_calls(tmp_path / "kymo-pytest-output")
    assert calls["test_suite.py::TestGroup::test_method"] == 1
    assert calls["work_on"] == 5
    assert "_multicall" not in calls


def test_work_is_below_its_test(suite, tmp_path):
    suite("--kymo-output", "out")
    result = support.run_kymo(
        ["report", "out", "--tree", "--filter", "^work_on$", "--top", "0"], cwd=tmp_path
    )
    lines = [line[line.index("  ") :] for line in result.stdout.splitlines() if "::" in line]
    assert len([line for line in lines if "test_suite.py::" in line]) == 3


def test_workers_are_processes_of_the_run(suite, tmp_path):
    result = suite("--kymo", "-n", "2")
    assert result.returncode == 0, result.stdout + result.stderr
    assert len(support.find_recordings(tmp_path / "kymo-pytest-output")) == 3
    calls = support.region_calls(tmp_path / "kymo-pytest-output")
    assert calls["work_on"] == 5
    assert "slowest 4 of 4 tests" in result.stdout


def test_without_options_nothing_happens(suite, tmp_path):
    result = suite()
    assert result.returncode == 0
    assert "kymo" not in result.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["test_suite.py"]


def test_outcomes_stay(suite, tmp_path):
    (tmp_path / "test_more.py").write_text(
        "import sys\n\ndef test_fails():\n    assert 1 == 2\n\n"
        "def test_exits():\n    sys.exit(3)\n\n"
        "def test_region():\n    import kymo\n    kymo.region('left open').start()\n"
    )
    bare = suite(plugin="no:kymo")
    result = suite("--kymo", "--kymo-store", "kept")
    assert bare.returncode == result.returncode == 1
    assert "2 failed, 4 passed, 1 skipped" in result.stdout
    assert "2 failed, 4 passed, 1 skipped" in bare.stdout
    assert "not stored: 'kept' stays as it is, the session failed" in result.stdout


def test_compares_with_a_stored_run(suite, tmp_path):
    first = suite("--kymo-output", "one", "--kymo-store", "base", "--kymo-compare", "base")
    assert first.returncode == 0, first.stdout + first.stderr
    assert "nothing to compare with yet" in first.stdout and "stored as 'base'" in first.stdout
    same = suite("--kymo-output", "two", "--kymo-compare", "base", "--kymo-fail-if=calls:work_on>0")
    assert same.returncode == 0, same.stdout
    assert "passed calls:work_on>0: work_on 5, before 5" in same.stdout
    path = tmp_path / "test_suite.py"
    path.write_text(path.read_text().replace("work_on(1)", "work_on(1), work_on(1)"))
    options = ["--kymo-compare", "base", "--kymo-fail-if=calls:work_on>0", "--kymo-store", "base"]
    more = suite("--kymo-output", "three", *options)
    assert more.returncode == 1
    assert "failed calls:work_on>0: work_on 6, before 5, +20.0 %" in more.stdout
    assert "3 passed, 1 skipped" in more.stdout
    assert support.region_calls(tmp_path / "base")["work_on"] == 5


def test_stores_in_place_of_an_older_run(suite, tmp_path):
    suite("--kymo-output", "one", "--kymo-store", "base")
    before = support.find_recordings(tmp_path / "base")
    assert suite("--kymo-output", "two", "--kymo-store", "base").returncode == 0
    assert support.find_recordings(tmp_path / "base") != before
    assert len(support.find_recordings(tmp_path / "base")) == 1


def test_does_not_replace_what_is_no_run(suite, tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "data").write_text("mine")
    result = suite("--kymo-store", "precious")
    assert result.returncode == 1
    assert "'precious' is there and is no run" in result.stdout
    assert (tmp_path / "precious" / "data").read_text() == "mine"


def test_wrong_use(suite):
    alone = suite("--kymo-fail-if", "total:run>5%")
    assert alone.returncode == 4
    assert "--kymo-fail-if needs a run to compare with" in alone.stderr
    missing = suite("--kymo-compare", "nowhere")
    assert missing.returncode == 1
    assert "cannot read 'nowhere'" in missing.stdout


def test_goes_on_where_nothing_can_be_recorded(suite):
    result = suite("--kymo", env={"KYMO_ENABLED": "OFF"})
    assert result.returncode == 0
    assert "3 passed, 1 skipped" in result.stdout
    assert "not profiled" in result.stdout


def test_entry_point():
    """An installed package is found by pytest without -p."""
    text = (support.REPOSITORY / "pyproject.toml").read_text()
    section = text.split("[project.entry-points.pytest11]")[1]
    assert section.split("\n")[1] == 'kymo = "kymo.pytest_plugin"'
