"""The options that choose interpreters, and what configuring says when they are wrong."""

import subprocess

import pytest
import support


@pytest.fixture
def configure(tmp_path):
    """configure(**options): CMake's process for a build with these options."""

    def run(**options):
        definitions = [f"-D{name}={value}" for name, value in options.items()]
        return subprocess.run(
            ["cmake", "-G", "Ninja", "-S", support.REPOSITORY, "-B", tmp_path / "build",
             "-DKYMO_BUILD_TESTS=OFF", *definitions],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=support.TIMEOUT_S,
        )  # fmt: skip

    return run


def one_line(process):
    """CMake wraps its messages; put them back into one line."""
    return " ".join(process.stdout.split())


def prefix_of(python):
    """Install prefix of an interpreter."""
    return subprocess.check_output(
        [python.executable, "-c", "import sys; print(sys.base_prefix)"], text=True
    ).strip()


def built_versions(tmp_path):
    listing = tmp_path / "build" / "python" / "interpreters.txt"
    return [line.split()[0] for line in listing.read_text().splitlines()]


@pytest.mark.long
def test_versions_choose_interpreters(configure, tmp_path, newest_python):
    process = configure(KYMO_PYTHON_VERSIONS=newest_python.version)
    assert process.returncode == 0, process.stdout
    assert built_versions(tmp_path) == [newest_python.version]


@pytest.mark.long
def test_root_dirs_name_the_interpreters(configure, tmp_path, newest_python):
    root = prefix_of(newest_python)
    process = configure(KYMO_PYTHON_VERSIONS=newest_python.version, KYMO_PYTHON_ROOT_DIRS=root)
    assert process.returncode == 0, process.stdout
    assert built_versions(tmp_path) == [newest_python.version]
    listing = (tmp_path / "build" / "python" / "interpreters.txt").read_text()
    assert listing.split()[1].startswith(root + "/bin/")


def test_default_finds_all_of_the_build(configure, tmp_path):
    assert configure().returncode == 0
    assert set(built_versions(tmp_path)) >= {each.version for each in support.interpreters()}


def test_lists_of_different_length(configure):
    process = configure(KYMO_PYTHON_VERSIONS="3.9;3.12", KYMO_PYTHON_ROOT_DIRS="/usr")
    assert process.returncode != 0
    assert "KYMO_PYTHON_VERSIONS has 2 entries and KYMO_PYTHON_ROOT_DIRS has 1" in one_line(process)


@pytest.mark.parametrize("version", ["2.7", "3.7", "3", "three"])
def test_unsupported_version(configure, version):
    process = configure(KYMO_PYTHON_VERSIONS=version)
    assert process.returncode != 0
    assert f"'{version}' is not a Python version Kymo supports" in one_line(process)


def test_root_of_another_version(configure, newest_python):
    other = "3.8" if newest_python.version != "3.8" else "3.9"
    process = configure(KYMO_PYTHON_VERSIONS=other, KYMO_PYTHON_ROOT_DIRS=prefix_of(newest_python))
    assert process.returncode != 0
    message = one_line(process)
    assert f"is Python {newest_python.version}, not {other}" in message


def test_root_without_python(configure, tmp_path):
    process = configure(KYMO_PYTHON_VERSIONS="3.9", KYMO_PYTHON_ROOT_DIRS=tmp_path)
    assert process.returncode != 0
    assert "name the prefix Python 3.9 is installed in" in one_line(process)


def test_python_can_be_left_out(configure, tmp_path):
    assert configure(KYMO_USE_PYTHON="OFF").returncode == 0
    assert not (tmp_path / "build" / "python").exists()


def write_fake_python(path, facts):
    """An executable that answers the build's questions with these facts."""
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\ncat <<END\n" + "\n".join(facts) + "\nEND\n")
    path.chmod(0o755)


@pytest.mark.long
@pytest.mark.parametrize(
    ("facts", "objection"),
    [
        (["cpython", "3.13", ".cpython-313t-x86_64-linux-gnu.so", "/i", "headers",
          "free-threaded", "/p"], "it is a free-threaded build"),
        (["pypy", "3.13", ".pypy310-pp73.so", "/i", "headers", "gil", "/p"],
         "it is pypy, not CPython"),
        (["cpython", "3.13", ".cpython-313-x86_64-linux-gnu.so", "/i", "bare", "gil", "/p"],
         "it has no Python.h in /i"),
    ],
    ids=["free-threaded", "pypy", "no-headers"],
)  # fmt: skip
def test_interpreters_that_cannot_be_used(configure, tmp_path, facts, objection):
    write_fake_python(tmp_path / "prefix" / "bin" / "python3.13", facts)
    process = configure(KYMO_PYTHON_VERSIONS="3.13", KYMO_PYTHON_ROOT_DIRS=tmp_path / "prefix")
    assert process.returncode != 0
    assert objection in one_line(process)
