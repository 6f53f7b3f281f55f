"""The machine, the process and its threads over time: what is read from a machine of our own
making, and from this one; and that the thread which reads is nobody's but Kymo's."""

import json
import time

import commanded
import fake_machine
import lifecycle_runs
import pytest
import support
from commanded import Program
from fake_machine import ZONE, Machine


class Series(dict):
    """{name: values in the order of their times} of a recording."""

    def __init__(self, recording):
        super().__init__()
        rows = recording["series"]
        for series, _, value in sorted(recording["points"], key=lambda each: each[1]):
            self.setdefault(rows[series - 1][0], []).append(value)


def series_of(path):
    import kymo_decoder

    return Series(kymo_decoder.load(path))


def wait_until(program, is_so):
    """What is recorded when is_so says yes to it."""
    import kymo_decoder

    deadline = time.monotonic() + support.TIMEOUT_S
    while time.monotonic() < deadline:
        (path,) = support.find_recordings(program.directory)
        try:
            recording = kymo_decoder.load(path)
            if is_so(recording):
                return recording
        except IndexError:  # the series came after its table was read
            continue
    raise AssertionError("it did not come to that")


def wait_for(program, name):
    """Until the series has a value."""
    wait_until(program, lambda recording: name in Series(recording))


def notes(recording, key):
    return [value for _, found, value in recording["notes"] if found == key]


def started(tmp_path, machine, *options):
    return Program(tmp_path, "-H", "--process-freq", "100", *options, env=machine.settings)


# ---- a machine of our own making --------------------------------------------------------------


def test_levels(tmp_path):
    with started(tmp_path, Machine(tmp_path)) as program:
        wait_for(program, "Temperature coretemp temp3 (S)")
        (recording,) = program.end()
    series = Series(recording)
    expected = {
        "CPU Memory Usage (S)": 4.096,
        "CPU Virtual Memory Usage (S)": 20.48,
        "CPU Peak Memory (S)": 8.192,
        "I/O Read (S)": 3,
        "I/O Write Calls (S)": 20,
        "Storage Written (S)": 8.192,
        "CPU Frequency [0] (S)": 3400,
        "CPU Frequency [7] (S)": 800,
        "Load Average 1 min (S)": 1.25,
        "Load Average 15 min (S)": 0.5,
        "Cgroup Memory Limit (S)": 512,
        "Cgroup Memory (S)": 128,
        "Cgroup CPU Limit (S)": 1.5,
        "Pressure CPU some (S)": 12.5,
        "Pressure Memory full (S)": 3.25,
        "Temperature coretemp Package id 0 (S)": 45.5,
        "Temperature coretemp temp3 (S)": -5,
    }
    for name, value in expected.items():
        # A value that does not change is written once.
        assert series[name] == [pytest.approx(value)], name
    assert not any("thermal_zone" in name for name in series)
    units = {name: unit for name, unit, _ in recording["series"]}
    assert units["CPU Memory Usage (S)"] == "MB" and units["CPU Frequency [7] (S)"] == "MHz"


def test_growth_is_from_the_beginning(tmp_path):
    machine = Machine(tmp_path)
    with started(tmp_path, machine) as program:
        wait_for(program, "Network Sent [wlan0] (S)")
        machine["proc/self/net/dev"] = fake_machine.FILES["proc/self/net/dev"].replace(
            "wlan0:3000000 9 0 0 0 0 0 0 4000000", "wlan0:5000000 9 0 0 0 0 0 0 4500000"
        )
        machine["sys/fs/cgroup/box/cpu.stat"] = (
            "usage_usec 3500000\nnr_periods 60\nnr_throttled 17\nthrottled_usec 750000\n"
        )
        machine["proc/pressure/cpu"] = (
            "some avg10=50.00 avg60=1.00 avg300=0.10 total=6500000\n"
            "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
        )
        machine["proc/stat"] = (
            "cpu  500 0 100 1800 100 0 0 0 0 0\ncpu0 250 0 50 750 0 0 0 0 0 0\n"
            "cpu7 200 0 50 900 0 0 0 0 0 0\nintr 1 2 3\n"
        )
        (recording,) = program.end()
    series = Series(recording)
    expected = {
        "Network Received [wlan0] (S)": [0, 2],
        "Network Sent [wlan0] (S)": [0, 0.5],
        "Network Sent [lo] (S)": [0],
        "Cgroup CPU Time (S)": [0, 2.5],
        "Cgroup CPU Periods (S)": [0, 10],
        "Cgroup Throttled Periods (S)": [0, 7],
        "Cgroup Throttled Time (S)": [0, 0.5],
        "Pressure CPU some (S)": [12.5, 50],
        "Pressure CPU some Time (S)": [0, 1.5],
        # Waiting for I/O is not being busy.
        "CPU Use (S)": [20],
        "CPU Use [0] (S)": [100],
        "CPU Use [7] (S)": [0],
    }
    assert {name: series[name] for name in expected} == expected


def test_energy_counter_begins_anew(tmp_path):
    machine = Machine(tmp_path)
    with started(tmp_path, machine) as program:
        wait_for(program, "Energy package-0 [0] (S)")
        machine[f"{ZONE}/energy_uj"] = "4000000\n"  # one joule to the end, and four
        (recording,) = program.end()
    series = Series(recording)
    assert series["Energy package-0 [0] (S)"] == [0, pytest.approx(5)]
    assert max(series["Power package-0 [0] (S)"]) > 0
    assert min(series["Power package-0 [0] (S)"]) >= 0


def test_what_is_not_there_is_named_once(tmp_path):
    missing = ("powercap", "hwmon", "thermal", "pressure", "net/dev", "self/io")
    files = {
        path: text
        for path, text in fake_machine.FILES.items()
        if not any(part in path for part in missing)
    }
    files["proc/self/status"] = "Name:\tx\n"
    with started(tmp_path, Machine(tmp_path, files)) as program:
        wait_for(program, "Load Average 1 min (S)")
        (recording,) = program.end()
    found = notes(recording, "machine")
    for source in ("energy", "temperatures", "pressure", "network", "I/O", "peak memory"):
        assert sum(f"{source} not recorded: " in text for text in found) == 1, (source, found)
    assert len(found) == 6


def test_file_that_goes_away(tmp_path):
    machine = Machine(tmp_path)
    with started(tmp_path, machine) as program:
        wait_for(program, "Load Average 1 min (S)")
        machine["proc/loadavg"] = "garbage\n"
        machine["proc/stat"] = ""
        machine["proc/pressure/cpu"] = "some avg10="
        (recording,) = program.end()
    assert Series(recording)["Load Average 1 min (S)"] == [1.25]


def test_first_cgroup_version(tmp_path):
    files = {
        path: text
        for path, text in fake_machine.FILES.items()
        if not path.startswith("sys/fs/cgroup")
    }
    machine = Machine(tmp_path, {**files, **fake_machine.FIRST_CGROUP})
    with started(tmp_path, machine) as program:
        wait_for(program, "Cgroup Throttled Time (S)")
        machine["sys/fs/cgroup/cpu/cpu.stat"] = (
            "nr_periods 10\nnr_throttled 5\nthrottled_time 2000000000\n"
        )
        machine["sys/fs/cgroup/cpuacct/job/cpuacct.usage"] = "8000000000\n"
        (recording,) = program.end()
    series = Series(recording)
    assert series["Cgroup Memory Limit (S)"] == [64]
    assert series["Cgroup Memory (S)"] == [32]
    assert series["Cgroup CPU Limit (S)"] == [0.5]
    assert series["Cgroup Throttled Periods (S)"] == [0, 1]
    assert series["Cgroup Throttled Time (S)"] == [0, 1.5]
    assert series["Cgroup CPU Time (S)"] == [0, 1]


def test_no_limit_of_the_group(tmp_path):
    machine = Machine(tmp_path)
    machine["sys/fs/cgroup/box/memory.max"] = "max\n"
    machine["sys/fs/cgroup/box/cpu.max"] = "max 100000\n"
    with started(tmp_path, machine) as program:
        wait_for(program, "Cgroup Memory (S)")
        (recording,) = program.end()
    series = Series(recording)
    assert "Cgroup Memory Limit (S)" not in series and "Cgroup CPU Limit (S)" not in series


def test_chosen_cores(tmp_path):
    machine = Machine(tmp_path)
    machine.remove("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq")
    machine.remove("sys/devices/system/cpu/cpu7/cpufreq/scaling_cur_freq")
    machine["proc/cpuinfo"] = (  # the first number is 7 in 32 bits
        "processor\t: 4294967303\ncpu MHz\t\t: 1.0\n\n" + fake_machine.FILES["proc/cpuinfo"]
    )
    with started(tmp_path, machine, "--cpus", "5-7") as program:
        wait_for(program, "Temperature coretemp temp3 (S)")
        (recording,) = program.end()
    names = [name for name, _, _ in recording["series"]]
    assert "CPU Use [7] (S)" in names and "CPU Use [0] (S)" not in names
    assert Series(recording)["CPU Frequency [7] (S)"] == [2500.25]  # as /proc/cpuinfo has it
    assert "CPU Frequency [0] (S)" not in names


def test_delay_and_duration(tmp_path):
    machine = Machine(tmp_path)
    with started(tmp_path, machine, "--process-wait", "1000") as program:
        (recording,) = program.end()
    assert Series(recording) == {}
    late = tmp_path / "late"
    late.mkdir()
    with started(late, machine, "--process-duration", "0.05") as program:
        wait_until(program, lambda recording: notes(recording, "procstat"))  # it has ended
        machine["proc/loadavg"] = "9.00 9.00 9.00 1/1 1\n"
        (recording,) = program.end()
    assert Series(recording)["Load Average 1 min (S)"] == [1.25]


def test_gate(tmp_path):
    """Nothing is recorded while the program has recording switched off."""
    machine = Machine(tmp_path)
    with started(tmp_path, machine) as program:
        wait_for(program, "Load Average 1 min (S)")
        program("stop", "spin 0.05")  # a reading that had begun is over
        machine["proc/self/statm"] = "9000 2000 1 1 1 1 1\n"
        program("spin 0.05")
        machine["proc/self/statm"] = "9000 3000 1 1 1 1 1\n"
        program("start")
        (recording,) = program.end()
    values = Series(recording)["CPU Memory Usage (S)"]
    assert values == [pytest.approx(4.096), pytest.approx(12.288)]


def test_descriptors_are_its_own(tmp_path):
    """A program that closes all it did not open leaves the files and the recording open."""
    machine = Machine(tmp_path)
    with Program(tmp_path, "-H", "--process-freq", "1000", env=machine.settings) as program:
        wait_for(program, "Temperature coretemp temp3 (S)")
        program("closeall")
        for pages in range(2000, 2100):  # more than the first chunks hold
            machine["proc/self/statm"] = f"9000 {pages} 1 1 1 1 1\n"
            machine["proc/self/io"] = f"rchar: {pages}000000\n"
            program("spin 0.002")
        (recording,) = program.end()
    series = Series(recording)
    assert series["CPU Memory Usage (S)"][-1] == pytest.approx(2099 * 4096e-6)
    assert series["I/O Read (S)"][-1] == 2099
    assert len(recording["points"]) > 200
    assert notes(recording, "machine") == []


def test_without_descriptors_of_its_own(tmp_path):
    """On an older kernel nothing is kept open, and the same is read."""
    library = tmp_path / "old.so"
    source = support.REPOSITORY / "tests" / "fakes" / "fake_old_kernel.c"
    command = ["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, source, "-ldl"]
    assert support.run(command, cwd=tmp_path).returncode == 0
    machine = Machine(tmp_path)
    kymo = support.replaceable_kymo(tmp_path / "kymo")
    env = {**machine.settings, "LD_PRELOAD": library}
    options = ("-H", "--process-freq", "1000", "-C", "perf::PERF_COUNT_SW_PAGE_FAULTS")
    with Program(tmp_path, *options, env=env, kymo=kymo) as program:
        wait_for(program, "Temperature coretemp temp3 (S)")
        machine["proc/self/statm"] = "9000 2000 1 1 1 1 1\n"
        (recording,) = program.end()
    series = Series(recording)
    assert series["CPU Memory Usage (S)"] == [pytest.approx(4.096), pytest.approx(8.192)]
    assert series["Energy package-0 [0] (S)"][0] == 0
    (missing,) = notes(recording, "machine")
    assert "counters over time not recorded: " in missing and "descriptors" in missing


# ---- this machine --------------------------------------------------------------------------------


def test_the_process_itself(tmp_path):
    with Program(tmp_path, "-H", "--process-freq", "200") as program:
        program("burn 0.2", "thread worker", "join")
        (recording,) = program.end()
    times = [ns for _, ns, _ in recording["points"]]
    assert min(times) >= 0 and max(times) <= recording["end_ns"]
    assert max(times) - min(times) >= 0.1e9
    series = Series(recording)
    used = series["CPU User Time (S)"][-1] + series["CPU Kernel Time (S)"][-1]
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
