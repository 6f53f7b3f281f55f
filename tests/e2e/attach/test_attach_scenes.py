"""kymo attach --functions on programs that are not easy: children and libraries that come and go,
many threads, long system calls, files that are gone, places that others do not see."""

import os
import shutil
import subprocess
from pathlib import Path

import lifecycle_runs
import pytest
import support
from attached_runs import FINE, Target, attach, calls, changed_text

pytestmark = pytest.mark.skipif(
    not (support.BUILD / "lib" / "libkymo-functions.so").exists() or os.uname().machine != "x86_64",
    reason="functions are not instrumented by this build",
)


@pytest.fixture(scope="module")
def program():
    return lifecycle_runs.compile("attach_scenes.c", "-O2", "-ldl")


@pytest.fixture(scope="module")
def raised():
    return lifecycle_runs.compile("functions_raised.c", "-O2")


@pytest.fixture
def library(tmp_path):
    source = "int twice(int x) { int twice_again(int); return twice_again(x) + x; }\n"
    source += "__attribute__((noinline)) int twice_again(int x) { return 2 * x - x; }\n"
    (tmp_path / "twice.c").write_text(source)
    path = tmp_path / "libtwice.so"
    subprocess.run(["gcc", "-O2", "-fPIC", "-shared", "-o", path, tmp_path / "twice.c"], check=True)
    return path


def attach_twice(target, folder, *options):
    """Each time the text is as it was; the calls of the second time."""
    for number, cost in enumerate(("full", "counts")):
        place = folder / str(number)
        place.mkdir()
        result = attach(target, place, *options, "--cost", cost, "-d", "0.4")
        assert result.returncode == 0, result.stderr
        assert changed_text(target.pid) == 0
    return calls(place)


@pytest.mark.parametrize("scene", ["forks", "crowd", "waits", "alone"])
def test_scenes(program, tmp_path, scene):
    with Target(program, scene) as target:
        found = attach_twice(target, tmp_path)
        assert target.end() == FINE
    assert found["leaf"] >= 10 and found["work"] >= 1


def test_children_have_recordings(program, tmp_path):
    with Target(program, "forks") as target:
        result = attach(target, tmp_path, "-d", "0.4")
        assert result.returncode == 0, result.stderr
        assert target.end() == FINE
    assert len(support.find_recordings(tmp_path / "out")) > 1


def test_libraries_that_come_and_go(program, library, tmp_path):
    with Target(program, "libraries", library) as target:
        found = attach_twice(target, tmp_path, "--module-include", "libtwice")
        assert target.end() == FINE
    assert found["leaf"] >= 10


def test_programs_that_end_meanwhile(program, tmp_path):
    """Whatever was done then: one line, or a recording, and the program ends as it would."""
    for number in range(12):
        folder = tmp_path / str(number)
        folder.mkdir()
        with Target(program, "ends") as target:
            result = attach(target, folder, "-q", "-d", "0.01", timeout=60)
            assert result.returncode in (0, 1), result.stderr
            assert len(result.stderr.splitlines()) <= 1, result.stderr
            assert target.end() == FINE


def test_handlers_of_what_steps_raise(raised, tmp_path):
    """A handler of SIGTRAP is there afterwards."""
    with Target(raised, "armed") as target:
        assert attach(target, tmp_path, "-d", "0.05").returncode == 0
        assert target.end() == ("armed 2\n", 7)


@pytest.mark.parametrize("becomes", ["nothing", "another"])
def test_a_program_whose_file_is_gone(program, tmp_path, becomes):
    copy = tmp_path / "copy"
    shutil.copy(program, copy)
    with Target(copy, "alone") as target:
        copy.unlink()
        if becomes == "another":
            shutil.copy("/bin/true", copy)
        result = attach(target, tmp_path, "-d", "0.3")
        assert result.returncode == 0, result.stderr
        assert target.end() == FINE
    assert sum(calls(tmp_path).values()) > 10


def has_namespaces():
    return subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(not has_namespaces(), reason="mount namespaces are not allowed here")
@pytest.mark.parametrize("outside", ["nothing", "another"])
def test_a_file_that_only_the_program_sees(program, tmp_path, outside):
    """What has its name elsewhere is another file."""
    place = tmp_path / "place"
    place.mkdir()
    if outside == "another":
        shutil.copy("/bin/true", place / "program")
    script = f"mount -t tmpfs none {place} && cp {program} {place}/program && "
    script += f"exec {place}/program alone"
    with Target("unshare", "-m", "sh", "-c", script) as target:
        result = attach(target, tmp_path, "-d", "0.3")
        assert result.returncode == 0, result.stderr
        assert target.end() == FINE
    assert sum(calls(tmp_path).values()) > 10


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root")
def test_another_root_without_proc_is_refused(program, tmp_path):
    root = tmp_path / "root"
    needed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    files = [word for word in needed.split() if word.startswith("/")]
    for file in files:
        (root / Path(file).parent.relative_to("/")).mkdir(parents=True, exist_ok=True)
        shutil.copy(file, root / Path(file).relative_to("/"))
    shutil.copy(program, root / "program")
    with Target("chroot", root, "/program", "alone") as target:
        result = attach(target, tmp_path, "-d", "0.3")
        assert result.returncode == 1
        assert len(result.stderr.splitlines()) == 1 and "has no /proc" in result.stderr
        assert target.end() == FINE
