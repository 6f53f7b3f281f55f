"""Programs that take away what Kymo works with: descriptors, directories, limits, calls."""

import os
import resource
import subprocess

import hostile_support as hostile
import native_support as native
import pytest
import support
from native_support import public_place  # noqa: F401

PROGRAM = "hostile_surroundings.c"


@pytest.fixture(params=native.MODES)
def options(request):
    return native.MODES[request.param]


def run(arguments, tmp_path, options, **more):
    return native.Both([native.compile(PROGRAM), *arguments], tmp_path, options, **more)


def check_recorded(both, processes, threads):
    assert both.states() == {native.STATE_CLOSED: processes}
    assert both.threads() == threads
    assert both.said == []


def test_state_is_the_same(tmp_path, options):
    """Open descriptors, threads, signals, limits, children: all that a program sees of itself,
    at its beginning and at its end."""
    both = run(["state"], tmp_path, options, normalise=lambda text: text.replace("/kymo", "/bare"))
    check_recorded(both, 1, 1)


def test_closed_descriptors(tmp_path, options):
    check_recorded(run(["close_all"], tmp_path, options), 3, 11)


def test_replaced_descriptors(tmp_path, options):
    """Every number names a file of the program: nothing is written into it."""
    check_recorded(run(["replace_all"], tmp_path, options), 2, 6)


def test_change_of_directory(tmp_path, options):
    env = {"KYMO_OUTPUT_PATH": "out"}
    check_recorded(run(["chdir"], tmp_path, options, env=env), 2, 6)


def test_change_of_root(tmp_path, options):
    """The child cannot make its recording; that is said, and it goes on without."""
    if not hostile.is_root_user():
        pytest.skip("chroot takes root")
    place = tmp_path / "place"
    place.mkdir()
    both = run(["chroot", place], tmp_path, options)
    assert both.states()[native.STATE_CLOSED] >= 1
    assert len(both.recordings) == 2 or len(both.said) == 1 or both.losses()


@pytest.mark.parametrize("kind", ["descriptors", "file_size", "address_space", "processes"])
def test_limits(tmp_path, options, kind):
    """A limit that the program sets for itself: what had begun stays readable."""
    both = run([kind], tmp_path, options, status=5)
    assert len(both.said) <= 2
    assert both.states()[native.STATE_CLOSED] >= 1


LIMITS = {
    "no file grows": (resource.RLIMIT_FSIZE, 0),
    "small files": (resource.RLIMIT_FSIZE, 150_000),
    "few descriptors": (resource.RLIMIT_NOFILE, 8),
    "little memory": (resource.RLIMIT_AS, 64 << 20),
    "small stack": (resource.RLIMIT_STACK, 64 << 10),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_from_the_start(tmp_path, options, name):
    which, number = LIMITS[name]

    def limit():
        resource.setrlimit(which, (number, number))

    both = run(["work"], tmp_path, options, preexec_fn=limit)
    assert len(both.said) <= 2  # a line each for the program and its child
    assert both.recordings or both.said


def test_refused_calls(tmp_path, options):
    """A filter that refuses what a recording needs: no new one, the old one stays."""
    both = run(["refuse"], tmp_path, options)
    assert both.states()[native.STATE_CLOSED] >= 1


@pytest.mark.parametrize("kind", ["kill", "trap"])
def test_forbidden_calls(tmp_path, options, kind):
    """A filter that ends the process at any other call than the program's own."""
    both = run([kind], tmp_path, options)
    assert len(both.recordings) == 1 and both.losses()


def test_strict(tmp_path, options):
    """read, write and exit are all there is."""
    both = run(["strict"], tmp_path, options)
    assert len(both.recordings) == 1 and both.losses()


CLOSED = {
    "no input": "exec {0} <&-",
    "no output": "exec {0} >&-",
    "no messages": "exec {0} 2>&-",
    "nothing at all": "exec {0} <&- >&- 2>&-",
    "full output": "exec {0} >/dev/full",
    "full messages": "exec {0} 2>/dev/full",
}


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("program", ["state", "work"])
def test_standard_streams(tmp_path, options, name, program):
    """A descriptor below 3 that is free is not taken for a recording."""
    binary = native.compile(PROGRAM)
    wrapper = ["/bin/sh", "-c", CLOSED[name].format('"$@"'), "sh"]
    both = native.Both(
        [binary, program],
        tmp_path,
        options,
        wrapper=wrapper,
        normalise=lambda text: text.replace("/kymo", "/bare"),
    )
    assert both.states() == {native.STATE_CLOSED: 1 if program == "state" else 2}


def test_status_of_a_full_device(tmp_path, options):
    wrapper = ["/bin/sh", "-c", 'exec "$@" >/dev/full', "sh"]
    both = native.Both(["/bin/echo", "text"], tmp_path, options, status=1, wrapper=wrapper)
    assert "No space left on device" in both.bare.stderr
    assert [r.header.exit_status for r in both.recordings] == [1]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MiB."""
    if not hostile.is_root_user():
        pytest.skip("mounting takes root")
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "kymo", place])
    if mounted.returncode != 0:
        pytest.skip("mounting is not permitted here")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_disk_becomes_full(tmp_path, small_disk):
    out = small_disk / "out"
    both = run(["work"], tmp_path, native.ALL, env={"KYMO_OUTPUT_PATH": out})
    assert 1 <= len(both.said) <= 2 and "No space left on device" in both.said[0]
    found = [hostile.read(path) for path in support.find_recordings(out)]
    assert found and sum(r.header.refused_chunks for r in found) > 0


def test_disk_is_full(tmp_path, small_disk, options):
    (small_disk / "filler").write_bytes(bytes(240 << 10))
    both = run(["work"], tmp_path, options, env={"KYMO_OUTPUT_PATH": small_disk / "out"})
    assert len(both.said) == 1 and "No space left on device" in both.said[0]
    assert support.find_recordings(small_disk) == []


def test_directory_is_gone(tmp_path, options):
    """The program removes the run's directory while it runs."""
    script = 'rm -rf "$0"; mkdir "$0"; echo done; (exit 3); exit 5'
    out = tmp_path / "out"
    both = native.Both(
        ["/bin/sh", "-c", script, out], tmp_path, options, env={"KYMO_OUTPUT_PATH": out}
    )
    assert len(both.said) <= 3


def test_unwritable(public_place, options):  # noqa: F811
    """As another user, in a place that is not his: one line says that nothing is recorded."""
    if not hostile.is_root_user():
        pytest.skip("another user takes root")
    if not native.can_be_reached(support.KYMO):
        pytest.skip("another user cannot reach the build")
    program = [native.compile(PROGRAM), "work"]
    bare = support.run(program, cwd=public_place)
    under = native.run(program, public_place, options, preexec_fn=lambda: os.setuid(65534))
    assert (under.returncode, under.stdout) == (bare.returncode, bare.stdout)
    (line,) = under.stderr.splitlines()
    assert line.startswith("kymo run: ") and "Permission denied" in line
    assert line.endswith("the program continues unrecorded")
