"""This machine, the process and its threads over time: what is told of them, and that the thread
which reads is nobody's but Kymo's."""

import json

import commanded
import lifecycle_runs
import pytest
import support
from commanded import Program
from fake_machine import Machine
from procstat_runs import Series, notes, series_of, started, wait_for


def test_the_process_itself(tmp_path):
    with Program(tmp_path, "-H", "--process-freq", "200") as program:
        program("burn 0.2", "thread worker", "join")
        (recording,) = program.end()
    times = [ns for _, ns, _ in recording["points"]]
    assert min(times) >= 0 and max(times) <= recording["end_ns"]
    assert max(times) - min(times) >= 0.1e9
    series = Series(recording)
    used = series["CPU User Time (S)"][-1] + series["CPU Kernel Time (S)"][-1]
    # What the thread that reads uses is none of it, however long the rest took.
    assert used >= 0.19
    assert series["Thread CPU time [0] (S)"][-1] == pytest.approx(used, abs=0.1)
    assert series["CPU Memory Usage (S)"][-1] > 0.5
    assert series["CPU Peak Memory (S)"][-1] >= max(series["CPU Memory Usage (S)"]) * 0.9
    assert series["CPU Virtual Memory Usage (S)"][-1] > series["CPU Memory Usage (S)"][-1]
    # stdin, stdout, stderr, the recording and where the summary goes; our own thread is no other.
    assert series["Open Files (S)"][-1] == 5
    assert series["Threads (S)"][0] == 1
    threads = {name: thread for name, _, thread in recording["series"] if "Thread CPU" in name}
    assert threads["Thread CPU time [0] (S)"] == 0
    assert {each["number"] for each in recording["threads"]} <= {0, 1}


def test_reading_is_not_the_programs(tmp_path):
    """What the thread that reads uses is taken off."""
    with Program(tmp_path, "-H", "--process-freq", "1000") as program:
        program("burn 0.2")
        (recording,) = program.end()
    series = Series(recording)
    readings = int(notes(recording, "procstat")[0].split()[0])
    assert readings > 20
    # Each reading waits once and reads several files.
    assert series["CPU Voluntary Context Switches (S)"][-1] < readings / 2
    assert series["I/O Read Calls (S)"][-1] < readings / 2
    assert [name for name, values in series.items() if min(values) < 0] == []


def test_children_record_themselves(tmp_path):
    with Program(tmp_path, "-H", "--process-freq", "100") as program:
        program("fork busy 1000")
        recordings = program.end()
    first, child = recordings
    assert "Load Average 1 min (S)" in Series(first)
    assert "CPU User Time (S)" in Series(child)
    # The machine is the same for both: it is recorded once.
    assert "Load Average 1 min (S)" not in Series(child)
    assert "Children User Time (S)" in Series(first)


def test_exec_goes_on(tmp_path):
    with Program(tmp_path, "-H", "--process-freq", "100") as program:
        program.tell("exec")
        program("spin 0")
        recordings = program.end()
    assert len(recordings) == 2
    for recording in recordings:
        assert "CPU Memory Usage (S)" in Series(recording)
        assert "Load Average 1 min (S)" in Series(recording)


@pytest.mark.parametrize("name", ["exit", "pthread_exit", "_exit", "quick_exit", "abort"])
def test_endings_stay_as_they_are(tmp_path, name):
    """Output, status, and that a program ends with the last of its own threads."""
    source = tmp_path / "ends.c"
    source.write_text(ENDINGS)
    binary = tmp_path / "ends"
    assert support.run(["cc", "-o", binary, source, "-pthread"], cwd=tmp_path).returncode == 0
    settings = {"KYMO_PROCESS_SAMPLING": "ON", "KYMO_PROCESS_SAMPLING_FREQ": "1000"}
    _, recordings = lifecycle_runs.run_both([binary, name], tmp_path, env=settings)
    assert recordings


ENDINGS = r"""
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void bye(void) { printf("bye\n"); }
static void *work(void *end)
{
	pthread_join(*(pthread_t *)end, NULL); /* the main thread, which is gone */
	printf("last\n");
	return NULL;
}
int main(int argc, char **argv)
{
	static pthread_t self;
	pthread_t thread;
	int pipes[2];
	char byte;
	(void)argc;
	atexit(bye);
	at_quick_exit(bye);
	if (pipe(pipes) != 0)
		return 9;
	printf("descriptors %d %d\n", pipes[0], pipes[1]);
	close(pipes[1]);
	/* Nobody holds a copy of the end that was closed. */
	printf("end of file %d\n", (int)read(pipes[0], &byte, 1));
	fflush(stdout);
	if (!strcmp(argv[1], "pthread_exit")) {
		self = pthread_self();
		pthread_create(&thread, NULL, work, &self);
		pthread_exit(NULL);
	}
	if (!strcmp(argv[1], "_exit"))
		_exit(5);
	if (!strcmp(argv[1], "quick_exit"))
		quick_exit(6);
	if (!strcmp(argv[1], "abort"))
		abort();
	return 3;
}
"""


def test_signals_go_to_the_program(tmp_path):
    """A signal for the process is never taken by the thread that reads."""
    source = tmp_path / "signals.c"
    source.write_text(SIGNALS)
    binary = tmp_path / "signals"
    assert support.run(["cc", "-o", binary, source], cwd=tmp_path).returncode == 0
    settings = {"KYMO_PROCESS_SAMPLING": "ON", "KYMO_PROCESS_SAMPLING_FREQ": "1000"}
    lifecycle_runs.run_both([binary], tmp_path, env=settings)


SIGNALS = r"""
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
#include <pthread.h>
static pthread_t self;
static volatile sig_atomic_t count, foreign;
static void on_signal(int number)
{
	(void)number;
	count++;
	foreign += !pthread_equal(self, pthread_self());
}
int main(void)
{
	sigset_t set, before;
	self = pthread_self();
	signal(SIGUSR1, on_signal);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (int i = 0; i < 200; i++) {
		sigprocmask(SIG_BLOCK, &set, &before);
		kill(getpid(), SIGUSR1);
		if (count != i)
			printf("taken by another\n");
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	printf("%d %d\n", (int)count, (int)foreign);
	return 0;
}
"""


def report(program, *options):
    result = support.run_kymo(
        ["report", "--series", "--format", "json", *options, program.directory],
        cwd=program.directory,
    )
    assert result.returncode == 0, result.stderr
    return {row["name"]: row for row in json.loads(result.stdout)["series"]}


def test_report(tmp_path):
    machine = Machine(tmp_path)
    with started(tmp_path, machine) as program:
        wait_for(program, "Temperature coretemp temp3 (S)")
        machine["proc/self/statm"] = "9000 500 1 1 1 1 1\n"
        program.end()
        rows = report(program)
        row = rows["CPU Memory Usage (S)"]
        assert (row["points"], row["min"], row["max"]) == (2, 2.048, 4.096)
        # By time: it had the first value nearly all the time.
        assert row["last"] == 2.048 < row["mean"] < 4.096
        assert row["unit"] == "MB" and row["pid"] == program.pid and row["thread"] is None
        assert rows["Thread CPU time [0] (S)"]["thread"] == 0
        assert set(report(program, "--filter", "^Load")) == {
            f"Load Average {minutes} min (S)" for minutes in (1, 5, 15)
        }
        assert all(row["thread"] == 0 for row in report(program, "--thread", "0").values())


def test_nothing_was_recorded_over_time(tmp_path):
    with Program(tmp_path) as program:
        program.end()
        result = support.run_kymo(["report", "--series", program.directory], cwd=tmp_path)
    assert result.returncode == 0
    assert "kymo run --host" in result.stdout and "machine  " not in result.stdout


def test_summary_has_a_line(tmp_path):
    settings = {"KYMO_OUTPUT_PATH": tmp_path / "out", "KYMO_TIME_OUTPUT": "OFF"}
    bare = support.run_kymo(["run", "--", "true"], cwd=tmp_path, env=settings)
    settings["KYMO_OUTPUT_PATH"] = tmp_path / "host"
    host = support.run_kymo(["run", "-H", "--", "true"], cwd=tmp_path, env=settings)
    assert host.stderr.count("machine  ") == 1 and "machine  " not in bare.stderr


def test_says_what_it_cost(tmp_path):
    with Program(tmp_path, "-H", "--process-freq", "100") as program:
        program("spin 0.1")
        (recording,) = program.end()
    (cost,) = notes(recording, "procstat")
    readings, left_out = (int(part.split()[0]) for part in cost.split(",")[:2])
    assert readings >= 2 and left_out >= 0 and cost.endswith("one every 10000 us")


def test_perfetto_shows_threads_with_their_threads(tmp_path):
    with Program(tmp_path, "-H", "-T") as program:
        program("burn 0.05")
        program.end()
    out = tmp_path / "trace.json"
    result = support.run_kymo(
        ["export", program.directory, "--format", "chrome", "-o", out], cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    events = json.loads(out.read_text())["traceEvents"]
    assert {"CPU Memory Usage (S)", "Thread CPU time [0] (S)"} <= {
        each["name"] for each in events if each["ph"] == "C"
    }


FORKS_AND_SPINS = r"""
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	if (fork() == 0)
		while (clock() < CLOCKS_PER_SEC / 5)
			continue;
	else
		wait(NULL);
	return 0;
}
"""


def test_child_whose_recording_a_sample_made(tmp_path):
    """No thread can be made in a signal handler: what it used is read at its end."""
    source = tmp_path / "forks.c"
    source.write_text(FORKS_AND_SPINS)
    binary = tmp_path / "forks"
    assert support.run(["cc", "-o", binary, source], cwd=tmp_path).returncode == 0
    settings = {
        "KYMO_OUTPUT_PATH": tmp_path / "out",
        "KYMO_TIME_OUTPUT": "OFF",
        "KYMO_FINISH": "OFF",
    }
    result = support.run_kymo(["sample", "-H", "--", binary], cwd=tmp_path, env=settings)
    assert result.returncode == 0, result.stderr
    found = [Series(commanded.decoded(path)) for path in support.find_recordings(tmp_path / "out")]
    assert len(found) == 2
    names = ("CPU User Time (S)", "CPU Kernel Time (S)")
    times = [sum(series[name][-1] for name in names) for series in found]
    assert max(times) >= 0.15 > min(times)


GIVES_UP = r"""
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	/* Whichever thread reads a file at a place ends the process. */
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pread64, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {4, filter};
	clock_t end = clock() + CLOCKS_PER_SEC / 10;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
		return 9;
	while (clock() < end)
		continue;
	puts("alive");
	return 0;
}
"""


def test_stops_where_calls_are_given_up(tmp_path):
    source = tmp_path / "gives_up.c"
    source.write_text(GIVES_UP)
    binary = tmp_path / "gives_up"
    assert support.run(["cc", "-o", binary, source], cwd=tmp_path).returncode == 0
    settings = {"KYMO_PROCESS_SAMPLING": "ON", "KYMO_PROCESS_SAMPLING_FREQ": "1000"}
    bare, _ = lifecycle_runs.run_both([binary], tmp_path, env=settings)
    assert (bare.returncode, bare.stdout) == (0, "alive\n")
    (path,) = support.find_recordings(tmp_path / "out")
    assert "CPU Memory Usage (S)" in series_of(path)
