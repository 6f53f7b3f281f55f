"""The options that choose interpreters, and what configuring says when they are wrong."""

import subprocess

import pytest
import support

# What python/CMakeLists.txt does first, without the checks of compilers around it.
CHOOSING = """
cmake_minimum_required(VERSION 3.18)
include({repository}/cmake/KymoPython.cmake)
kymo_find_pythons()
foreach(version IN LISTS KYMO_PYTHONS)
	message("takes ${{version}} ${{KYMO_PYTHON_${{version}}_EXECUTABLE}}")
endforeach()
"""


def cmake(*words):
    """CMake's process; what it says is in stdout."""
    return subprocess.run(
        ["cmake", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=support.TIMEOUT_S,
    )


def definitions(options):
    return [f"-D{name}={value}" for name, value in options.items()]


@pytest.fixture
def configure(tmp_path):
    """configure(**options): CMake's process for a build with these options."""

    def run(**options):
        build = ["-G", "Ninja", "-S", support.REPOSITORY, "-B", tmp_path / "build"]
        return cmake(*build, "-DKYMO_BUILD_TESTS=OFF", *definitions(options))

    return run


@pytest.fixture
def choose(tmp_path):
    """choose(**options): CMake's process that only looks for interpreters."""

    def run(**options):
        script = tmp_path / "choose.cmake"
        script.write_text(CHOOSING.format(repository=support.REPOSITORY))
        return cmake(*definitions(options), "-P", script)

    return run


def one_line(process):
    """CMake wraps its messages; put them back into one line."""
    return " ".join(process.stdout.split())


def prefix_of(python):
    """Install prefix of an interpreter."""
    return subprocess.check_output(
        [python.executable, "-c", "import sys; print(sys.base_prefix)"], text=True
    ).strip()


def taken(process):
    """{version: executable} of the interpreters that get a module."""
    assert process.returncode == 0, process.stdout
    lines = [line for line in process.stdout.splitlines() if line.startswith("takes ")]
    return dict(line.split(" ", 2)[1:] for line in lines)


def test_versions_choose_interpreters(choose, newest_python):
    assert [*taken(choose(KYMO_PYTHON_VERSIONS=newest_python.version))] == [newest_python.version]


def test_root_dirs_name_the_interpreters(choose, newest_python):
    root = prefix_of(newest_python)
    found = taken(choose(KYMO_PYTHON_VERSIONS=newest_python.version, KYMO_PYTHON_ROOT_DIRS=root))
    assert [*found] == [newest_python.version]
    assert found[newest_python.version].startswith(root + "/bin/")


def test_default_finds_all_of_the_build(choose):
    assert set(taken(choose())) >= {each.version for each in support.interpreters()}


def test_a_build_has_those_that_were_chosen(configure, tmp_path, newest_python):
    process = configure(KYMO_PYTHON_VERSIONS=newest_python.version)
    assert process.returncode == 0, process.stdout
    listing = tmp_path / "build" / "python" / "interpreters.txt"
    assert [line.split()[0] for line in listing.read_text().splitlines()] == [newest_python.version]


def test_lists_of_different_length(choose):
    process = choose(KYMO_PYTHON_VERSIONS="3.9;3.12", KYMO_PYTHON_ROOT_DIRS="/usr")
    assert process.returncode != 0
    assert "KYMO_PYTHON_VERSIONS has 2 entries and KYMO_PYTHON_ROOT_DIRS has 1" in one_line(process)


@pytest.mark.parametrize("version", ["2.7", "3.7", "3", "three"])
def test_unsupported_version(choose, version):
    process = choose(KYMO_PYTHON_VERSIONS=version)
    assert process.returncode != 0
    assert f"'{version}' is not a Python version Kymo supports" in one_line(process)


def test_root_of_another_version(choose, newest_python):
    other = "3.8" if newest_python.version != "3.8" else "3.9"
    process = choose(KYMO_PYTHON_VERSIONS=other, KYMO_PYTHON_ROOT_DIRS=prefix_of(newest_python))
    assert process.returncode != 0
    message = one_line(process)
    assert f"is Python {newest_python.version}, not {other}" in message


def test_root_without_python(choose, tmp_path):
    process = choose(KYMO_PYTHON_VERSIONS="3.9", KYMO_PYTHON_ROOT_DIRS=tmp_path)
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
def test_interpreters_that_cannot_be_used(choose, tmp_path, facts, objection):
    write_fake_python(tmp_path / "prefix" / "bin" / "python3.13", facts)
    process = choose(KYMO_PYTHON_VERSIONS="3.13", KYMO_PYTHON_ROOT_DIRS=tmp_path / "prefix")
    assert process.returncode != 0
    assert objection in one_line(process)
