"""One small run of every kind, for tests of code that must read all of them.

make(kind, folder) records it below the folder and returns its path; KINDS has the names.
"""

import json
import os
import select
import subprocess

import support

PYTHON = """
import sys, threading, time
def leaf(n):
    return sum(range(n))
def branch(n):
    for i in range(n):
        leaf(i)
    return branch(n - 1) if n > 3 else None
def work(end):
    while time.process_time() < end:
        branch(12)
    time.sleep(0.01)
def main(seconds):
    thread = threading.Thread(target=work, args=(seconds,), name="worker")
    thread.start()
    work(seconds)
    thread.join()
main(float(sys.argv[1]))
"""

# The same with few calls in the time that samples need: exports of a trace have every call.
FEW_CALLS = PYTHON.replace("range(n))", "range(100 * n))")

# Prints a line when it has started, and runs until its input ends.
ENDLESS = """
import os, select, sys
def step():
    return sum(range(500))
def forever():
    for i in range(500):
        step()
    os.write(1, b"x")
    while not select.select([0], [], [], 0)[0]:
        step()
forever()
"""

# Threads that wait for a lock, and fork.
NATIVE = r"""
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
	pid_t child;

	pthread_mutex_lock(&lock);
	usleep(3000);
	child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
"""

SPEEDSCOPE = {
    "$schema": "https://www.speedscope.app/file-format-schema.json",
    "shared": {"frames": [{"name": "main", "file": "a.py", "line": 1}, {"name": "leaf"}]},
    "profiles": [
        {
            "type": "evented",
            "name": "one",
            "unit": "milliseconds",
            "startValue": 0,
            "endValue": 20,
            "events": [
                {"type": "O", "frame": 0, "at": 0},
                {"type": "O", "frame": 1, "at": 2},
                {"type": "C", "frame": 1, "at": 12},
                {"type": "C", "frame": 0, "at": 20},
            ],
        }
    ],
}
CHROME = [
    {"name": "main", "ph": "X", "ts": 0, "dur": 9000, "pid": 1, "tid": 1},
    {"name": "leaf", "ph": "X", "ts": 10, "dur": 500, "pid": 1, "tid": 1},
    {"name": "memory", "ph": "C", "ts": 20, "pid": 1, "args": {"bytes": 7}},
    {"name": "main", "ph": "X", "ts": 5, "dur": 100, "pid": 2, "tid": 3},
]


def _program(folder, text=PYTHON):
    program = folder / "program.py"
    program.write_text(text, encoding="utf-8")
    return program


def _checked(result):
    assert result.returncode == 0, result.stderr
    return result


def _python(folder, *options, seconds="0.05", name="out", **settings):
    """The program under kymo-python."""
    target = folder / name
    _checked(
        support.run_kymo_python(
            support.interpreters()[-1],
            ["-q", *options, "--", _program(folder), seconds],
            cwd=folder,
            env={"KYMO_OUTPUT_PATH": target, **settings},
        )
    )
    return target


def _kymo(folder, *arguments, **options):
    """A kymo command that writes folder/out."""
    environment = {
        "KYMO_OUTPUT_PATH": folder / "out",
        "KYMO_TIME_OUTPUT": "OFF",
        "KYMO_QUIET": "ON",
    }
    _checked(support.run_kymo(arguments, cwd=folder, env=environment, **options))
    return folder / "out"


def _compiled(folder, source):
    binary = folder / source.stem
    command = ["cc", "-O1", "-g", "-o", binary, source, "-pthread"]
    _checked(support.run(command, cwd=folder))
    return binary


class Going:
    """A run of the endless program, which has started; end() ends it."""

    def __init__(self, folder, *command):
        environment = {
            "PYTHONPATH": support.PACKAGE_DIR,
            "KYMO_OUTPUT_PATH": folder / "out",
            "KYMO_TIME_OUTPUT": "OFF",
            "KYMO_QUIET": "ON",
        }
        self.run = folder / "out"
        self.process = subprocess.Popen(
            [*map(str, command), str(_program(folder, ENDLESS))],
            cwd=folder,
            env=support.clean_environment(folder, environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        ready, _, _ = select.select([self.process.stdout], [], [], support.TIMEOUT_S)
        assert ready and os.read(self.process.stdout.fileno(), 1) == b"x"

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=support.TIMEOUT_S)
        self.process.stdout.close()
        return status

    def kill(self):
        self.process.kill()
        self.end()


def going(folder):
    """A run of calls that continues until its end() is called."""
    return Going(folder, support.interpreters()[-1].executable, "-m", "kymo", "-T", "--")


def _calls(folder):
    return _python(folder, "--keep-sources", KYMO_COMPONENTS="wall_clock,trip_count,peak_rss")


def _traced(folder):
    return _python(folder, "-T")


def _no_calls(folder):
    return _python(folder, "-b")


def _killed(folder):
    run = going(folder)
    run.kill()
    return run.run


def _sampled(folder):
    python = support.interpreters()[-1].executable
    return _kymo(folder, "sample", "--", python, _program(folder), "0.2")


def _calls_and_samples(folder):
    python = support.interpreters()[-1].executable
    program = _program(folder, FEW_CALLS)
    return _kymo(folder, "run", "-P", "-S", "-T", "--", python, program, "0.2")


def _attached(folder):
    """Of a program that ran before, and continues afterwards."""
    python = support.interpreters()[-1].executable
    process = subprocess.Popen(
        [python, str(_program(folder, ENDLESS))],
        cwd=folder,
        env=support.clean_environment(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout.read(1) == b"x"
        return _kymo(folder, "sample", "-p", str(process.pid), "-d", "0.3")
    finally:
        process.communicate()


def _native(folder):
    """Threads that fork."""
    source = folder / "threads.c"
    source.write_text(NATIVE)
    binary = _compiled(folder, source)
    return _kymo(folder, "run", "--locks=all", "-T", "--", binary)


def _forks(folder):
    return _kymo(folder, "run", "--", "sh", "-c", "for i in 1 2 3; do sh -c 'echo $$'; done; exit")


def _native_sampled(folder):
    binary = _compiled(folder, support.program("truth.c"))
    return _kymo(folder, "sample", "--", binary, "two", "0.3")


def _merged(folder):
    parts = [_forks(folder).rename(folder / "first"), _python(folder, name="second")]
    return _kymo(folder, "merge", "-o", "out", *parts)


def _repeats(folder):
    parts = [_python(folder, name=f"run{i}", seconds="0.02") for i in range(3)]
    return _kymo(folder, "merge", "-o", "out", *parts)


def _merged_samples(folder):
    parts = []
    for name in ("first", "second"):
        parts.append(_sampled(folder).rename(folder / name))
    return _kymo(folder, "merge", "-o", "out", *parts)


def _imported(folder, text, *options):
    path = folder / "file"
    path.write_text(text, encoding="utf-8")
    return _kymo(folder, "import", "-o", "out", *options, path)


def _cprofile(folder):
    python = support.interpreters()[-1].executable
    command = [python, "-m", "cProfile", "-o", "x.prof", _program(folder), "0.02"]
    _checked(support.run(command, cwd=folder))
    return _kymo(folder, "import", "-o", "out", "x.prof")


def _collapsed(folder):
    return _imported(folder, "main;work;leaf 70\nmain;work 20\nmain 10\n")


def _speedscope(folder):
    return _imported(folder, json.dumps(SPEEDSCOPE))


def _chrome(folder):
    return _imported(folder, json.dumps(CHROME))


def _merged_imports(folder):
    parts = [_collapsed(folder).rename(folder / "a"), _speedscope(folder).rename(folder / "b")]
    return _kymo(folder, "merge", "-o", "out", *parts)


def _extracted(folder):
    whole = _python(folder, "-T", name="whole")
    return _kymo(folder, "extract", "--region", "work", "-o", "out", whole)


def _damaged(folder):
    return support.REPOSITORY / "tests" / "golden" / "v1-damaged.kymo"


MAKERS = {
    "calls": _calls,
    "traced": _traced,
    "no calls": _no_calls,
    "killed": _killed,
    "sampled": _sampled,
    "calls and samples": _calls_and_samples,
    "attached": _attached,
    "native threads": _native,
    "forks": _forks,
    "native samples": _native_sampled,
    "merged": _merged,
    "repeats": _repeats,
    "merged samples": _merged_samples,
    "imported from cProfile": _cprofile,
    "imported stacks": _collapsed,
    "imported events": _speedscope,
    "imported trace": _chrome,
    "merged imports": _merged_imports,
    "extracted": _extracted,
    "damaged": _damaged,
}
KINDS = tuple(MAKERS)


def make(kind, folder):
    """A run of that kind; its path."""
    return MAKERS[kind](folder)
