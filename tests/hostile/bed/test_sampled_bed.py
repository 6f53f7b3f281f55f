"""Programs under the signals of sampling, fifteen hundred a second and thread: what they print,
write and end with is the same, and what they record can be read."""

import re

import native_support as native
import pytest
import test_bed_tools as bed

pytestmark = pytest.mark.long

OPTIONS = ["--sample", "-f", "1500"]


def run(program, tmp_path, **more):
    more.setdefault("status", 0)
    both = native.Both(program, tmp_path, OPTIONS, **more)
    assert both.said == []
    assert both.recordings
    return both


def run_script(text, tmp_path, shell="/bin/sh", **more):
    script = tmp_path / "script"
    script.write_text(text)
    return run([shell, script], tmp_path, **more)


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash"])
def test_shell(tmp_path, shell):
    run_script(bed.PIPES, tmp_path, shell)


def test_signals_of_a_shell(tmp_path):
    text = """
    exec 2>/dev/null
    trap 'echo usr1' USR1; trap 'echo last' RTMAX
    (sleep 0.2; kill -USR1 $$; sleep 0.2; kill -RTMAX $$) &
    wait; wait; wait
    sh -c 'kill -KILL $$'; echo $?; sh -c 'kill -RTMAX $$'; echo $?
    """
    both = run_script(text, tmp_path, "/bin/bash")
    assert both.bare.stdout == "usr1\nlast\n137\n192\n"


def test_git(tmp_path):
    native.has("git", "git")
    identity = {}
    for who in ("AUTHOR", "COMMITTER"):
        identity[f"GIT_{who}_NAME"], identity[f"GIT_{who}_EMAIL"] = "A. U. Thor", "a@example.org"
        identity[f"GIT_{who}_DATE"] = "2001-02-03T04:05:06Z"
    run_script(bed.GIT, tmp_path, env=identity)


def test_make(tmp_path):
    """The jobs are waited for with pselect() and SIGCHLD."""
    native.has("make", "make")
    for kind in ("bare", "kymo"):
        bed.make_project(tmp_path / kind / "project", 12)
    run(["make", "-j3", "-C", "project"], tmp_path, normalise=bed.place_of(tmp_path))
    first, second = (tmp_path / kind / "project" / "program" for kind in ("bare", "kymo"))
    assert first.read_bytes() == second.read_bytes()


def test_perl(tmp_path):
    native.has("perl", "perl")
    script = tmp_path / "script.pl"
    script.write_text(bed.PERL)
    run(["perl", script], tmp_path, status=4)


PYTHON_SIGNALS = """
import os, select, signal, socket, subprocess, sys, threading, time
received = []
signal.signal(signal.SIGALRM, lambda number, frame: received.append(number))
for call in (signal.pause, lambda: time.sleep(0.3), lambda: select.select([], [], [], 0.3)):
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    begin = time.monotonic(); call()
    print(len(received), call is signal.pause or time.monotonic() - begin >= 0.3)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
os.kill(os.getpid(), signal.SIGUSR1)
print(signal.sigpending(), signal.sigwait({signal.SIGUSR1}))
print(signal.sigtimedwait({signal.SIGUSR1}, 0.05))
print(all(signal.getsignal(n) in (signal.SIG_DFL, signal.SIG_IGN)
          for n in range(signal.SIGRTMIN, signal.SIGRTMAX + 1)))
class Alarm(Exception):
    pass
def leave(number, frame):
    raise Alarm
signal.signal(signal.SIGALRM, leave)
near, far = socket.socketpair()
reader, writer = os.pipe()
for call in (lambda: near.recv(1), lambda: os.read(reader, 1)):
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.2)
    try:
        call()
    except Alarm:
        print("alarm")
signal.setitimer(signal.ITIMER_REAL, 0)
near.settimeout(0.05)
try:
    near.recv(1)
except socket.timeout:
    print("timeout")
print([subprocess.run(["sh", "-c", f"exit {n}"]).returncode for n in range(20)])
try:
    subprocess.run(["sleep", "30"], timeout=0.1)
except subprocess.TimeoutExpired:
    print("expired")
print(threading.Event().wait(0.05))
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGTERM)
"""


def test_signals_of_python(tmp_path):
    native.has("python3", "python3")
    script = tmp_path / "script.py"
    script.write_text(PYTHON_SIGNALS)
    run(["python3", script], tmp_path, status=-15)


def test_node(tmp_path):
    native.has("node", "nodejs")
    script = tmp_path / "script.js"
    script.write_text("""
const { spawnSync } = require("child_process");
process.on("SIGUSR2", () => { console.log("signal"); clearInterval(keep); });
const keep = setInterval(() => {}, 1000);
setTimeout(() => process.kill(process.pid, "SIGUSR2"), 100);
for (let i = 0; i < 5; i++) console.log(spawnSync("sh", ["-c", `exit ${i}`]).status);
let sum = 0; for (let i = 0; i < 1e7; i++) sum += i % 7; console.log(sum);
""")
    run(["node", script], tmp_path)


def test_archives(tmp_path):
    native.has("xz", "xz-utils")
    text = """
    seq 1 300000 >numbers
    xz -T2 -k --block-size=100KiB numbers && xz -dc numbers.xz | cmp - numbers
    md5sum numbers numbers.xz
    tar -cf - numbers | gzip -c | tar -xzOf - | md5sum
    """
    run_script(text, tmp_path)


def test_ssh_keygen(tmp_path):
    native.has("ssh-keygen", "openssh-client")
    text = "ssh-keygen -q -t rsa -b 2048 -N '' -f key && ssh-keygen -lf key | cut -d' ' -f1,4"
    run_script(text, tmp_path)


OPENMP = """
#include <stdio.h>
int main(void)
{
	long sum = 0;
	for (int round = 0; round < 200; round++)
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 100000; i++)
			sum += i % (round + 1);
	printf("%ld\\n", sum);
	return 0;
}
"""
FORTRAN = """
program main
  real(8) :: a(200, 200), b(200, 200), c(200, 200)
  integer :: i
  a = 1; b = 2
  do i = 1, 20
     c = matmul(a, b); a = c / 400
  end do
  call sleep(0)
  print '(F10.3)', c(7, 7)
  call exit(3)
end program
"""


@pytest.mark.parametrize(
    "compiler, flag, suffix, text, status",
    [("gcc", "-fopenmp", "c", OPENMP, 0), ("gfortran", "-O1", "f90", FORTRAN, 3)],
    ids=["openmp", "fortran"],
)
def test_compiled(compiler, flag, suffix, text, status, tmp_path):
    native.has(compiler, compiler)
    source = tmp_path / f"source.{suffix}"
    source.write_text(text)
    native.run_bare([compiler, flag, "-o", tmp_path / "program", source], tmp_path)
    run([tmp_path / "program"], tmp_path, status=status, env={"OMP_NUM_THREADS": "3"})


@pytest.mark.parametrize(
    "source, kind, status",
    [
        ("hostile_processes.c", "in_thread", 5),
        ("hostile_processes.c", "storm", 5),
        ("hostile_processes.c", "vforks", 5),
        ("hostile_processes.c", "spawns", 5),
        ("hostile_threads.c", "cancelled", 5),
        ("hostile_threads.c", "forced", 5),
        ("hostile_threads.c", "small", 5),
        ("hostile_threads.c", "keys", 5),
        ("hostile_signals.c", "interrupted", 5),
        ("hostile_signals.c", "under_fire", 5),
        ("hostile_signals.c", "jumps", 5),
        ("hostile_signals.c", "faults", 5),
        ("hostile_signals.c", "overflows", 5),
        ("hostile_signals.c", "timeouts", 5),
        ("hostile_surroundings.c", "kill", 5),
        ("hostile_surroundings.c", "trap", 5),
        ("hostile_surroundings.c", "close_all", 5),
        ("hostile_surroundings.c", "replace_all", 5),
    ],
)
def test_hostile(source, kind, status, tmp_path):
    """Forks in threads, cancellation, the smallest stacks, jumps out of handlers, forbidden
    system calls, descriptors that are taken away."""
    run([native.compile(source), kind], tmp_path, status=status)


@pytest.mark.parametrize("kind", ["limits", "handlers", "wakes"])
def test_waits(kind, tmp_path):
    """As in a storm of signals: see tests/e2e/lifecycle/test_signal_hiding.py."""
    run([native.compile("hiding_waits.c"), kind], tmp_path, status=5)


@pytest.mark.parametrize("kind", ["masks", "waits", "actions", "timers", "queue", "children"])
def test_signals(kind, tmp_path):
    run([native.compile("hiding_masks.c"), kind], tmp_path, status=5)


def test_a_signal_that_the_program_uses_too(tmp_path):
    both = run([native.compile("hiding_masks.c"), "wanted"], tmp_path, status=-64)
    assert re.search("handled 10, by kill 1", both.bare.stdout)


def test_transfers(tmp_path):
    run([native.compile("hiding_transfers.c")], tmp_path, status=5)


def test_stacks(tmp_path):
    """Tiny alternate stacks, jumps out of handlers, coroutines, exceptions by the thousand."""
    native.has("g++", "g++")
    both = run([native.compile("hiding_stacks.cc", compiler="g++")], tmp_path, status=5)
    assert "exceptions: 15000" in both.bare.stdout


def test_smallest_stacks(tmp_path):
    """What the system says is enough for a signal's handler is enough for sampling's."""
    both = run([native.compile("hiding_smallest_stacks.c")], tmp_path, status=5)
    assert both.bare.stdout == "threads: well\nalternate stacks: well\n"
