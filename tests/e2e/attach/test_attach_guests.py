"""Functions of processes that cannot use what belongs to who instruments them: root, here."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import support
from attached_runs import wait_for_more_cpu
from other_user import NOBODY, only_root, reachable

pytestmark = only_root

PROGRAM = """
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
volatile double sum;
__attribute__((noinline)) void leaf(int n) { while (n--) sum += n; }
__attribute__((noinline)) void work(void) { for (int i = 0; i < 100; i++) leaf(100); }
__attribute__((noinline)) void childs_work(void) { leaf(100); }
static void fork_one(void)
{
	pid_t child = fork();

	if (child == 0) {
		childs_work();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}
int main(int argc, char **argv)
{
	(void)argv;
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < 60000; i++) {
		work();
		if (argc > 1 && i % 50 == 0)
			fork_one();
		usleep(1000);
	}
	return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guests")
    (folder / "guest.c").write_text(PROGRAM)
    subprocess.run(["cc", "-O1", "-g", "-o", "guest", "guest.c"], cwd=folder, check=True)
    return reachable(folder) / "guest"


class Guest:
    def __init__(self, command, **options):
        self.process = subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.PIPE, **options
        )
        assert self.process.stdout.readline() == b"ready\n"
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def as_nobody(command):
    return Guest(
        command, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", env={"HOME": "/nonexistent"}
    )


def attach(guest, folder, name="run", seconds="0.5"):
    """The recording goes into a folder that is closed to everybody else."""
    closed = folder / "closed"
    closed.mkdir(mode=0o700, exist_ok=True)
    result = support.run_kymo(
        ["attach", "--functions", "-d", seconds, "-o", closed / name, str(guest.pid)],
        cwd=closed,
        env={"KYMO_TIME_OUTPUT": "OFF"},
    )
    assert result.returncode == 0, result.stderr
    return closed / name


def left_behind(root="/"):
    """Folders of nobody's, or open to nobody, in which a guest would record."""
    found = Path(root, "tmp").glob("kymo-??????")
    return [path for path in found if path.stat().st_uid == NOBODY]


def assert_counted(run):
    calls = support.region_calls(run)
    assert calls["work"] > 0
    assert abs(calls["leaf"] - 100 * calls["work"]) <= 200
    for path in run.iterdir():
        assert path.stat().st_uid == 0, path
        # What another user's process has written is not taken for one's own.
        assert path.stat().st_mode & 0o777 == (0o620 if path.suffix == ".kymo" else 0o600), path


def test_process_of_another_user(program, tmp_path):
    before = left_behind()
    with as_nobody([program]) as guest:
        for name in ("first", "again"):
            assert_counted(attach(guest, tmp_path, name))
        assert guest.process.poll() is None
    assert left_behind() == before


def test_its_forked_children_have_recordings(program, tmp_path):
    before = left_behind()
    with as_nobody([program, "forking"]) as guest:
        run = attach(guest, tmp_path)
        assert guest.process.poll() is None
    children = len(list(run.glob("*.kymo"))) - 1
    assert children > 0
    assert 0 < support.region_calls(run)["childs_work"] <= children
    assert left_behind() == before


def test_process_that_is_killed_meanwhile(program, tmp_path):
    before = left_behind()
    with as_nobody([program]) as guest:
        command = [support.BUILD / "bin" / "kymo", "attach", "--functions", "-d", "30"]
        recorder = subprocess.Popen(
            [*command, "-o", tmp_path / "run", str(guest.pid)],
            env=support.clean_environment(tmp_path, {"KYMO_TIME_OUTPUT": "OFF"}),
            stderr=subprocess.PIPE,
            text=True,
        )
        while "instrumented" not in recorder.stderr.readline():
            assert recorder.poll() is None
        wait_for_more_cpu(guest.pid, 0.1)
        guest.process.kill()
        recorder.communicate(timeout=support.TIMEOUT_S)
    assert recorder.returncode == 0
    assert support.region_calls(tmp_path / "run")["work"] > 0
    assert left_behind() == before


@pytest.fixture
def root_folder(program, tmp_path):
    """A root folder of its own, with the program, its libraries and /proc."""
    root = tmp_path / "root"
    listing = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    for word in [str(program), *(word for word in listing.split() if word.startswith("/"))]:
        to = root / ("guest" if word == str(program) else word[1:])
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(word, to)
    for folder in ("tmp", "proc"):
        (root / folder).mkdir()
    (root / "tmp").chmod(0o1777)
    reachable(root)
    yield root


def in_root(root):
    def enter():
        os.chroot(root)
        os.chdir("/")
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)

    return Guest(["/guest"], preexec_fn=enter, env={})


def test_process_in_another_root_folder(root_folder, tmp_path):
    mount = ["mount", "-t", "proc", "proc", root_folder / "proc"]
    if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode != 0:
        pytest.skip("nothing can be mounted here")
    try:
        with in_root(root_folder) as guest:
            run = attach(guest, tmp_path)
            assert guest.process.poll() is None
    finally:
        subprocess.run(["umount", "-l", root_folder / "proc"], check=True)
    counts = sorted(support.region_calls(run).values())
    assert counts[-1] >= 99 * counts[-2] > 0
    assert left_behind(root_folder) == []


def test_root_folder_without_proc(root_folder, tmp_path):
    with in_root(root_folder) as guest:
        result = support.run_kymo(
            ["attach", "--functions", "-d", "1", "-o", "run", str(guest.pid)], cwd=tmp_path
        )
        assert result.returncode != 0
        assert f"process {guest.pid} has no /proc, by which its functions are found" in (
            result.stderr
        )
        assert guest.process.poll() is None
    assert left_behind(root_folder) == []


def test_samples_of_another_user(program, tmp_path):
    with as_nobody([program]) as guest:
        for command in ("attach",), ("sample", "-p"), ("sample", "--native", "-p"):
            name = "-".join(command)
            arguments = [*command, str(guest.pid), "-d", "0.3", "-o", name]
            result = support.run_kymo(arguments, cwd=tmp_path, env={"KYMO_TIME_OUTPUT": "OFF"})
            assert result.returncode == 0, result.stderr
            assert support.find_recordings(tmp_path / name)
