"""What the tables of samples show of a program that is known."""

import os
import platform
import re
import shutil
import subprocess
import sys

import pytest
import sampler_runs
import support

KYMO = support.KYMO
SLEEP = shutil.which("sleep")


def sampled(folder, *program, options=()):
    subprocess.run(
        [KYMO, "sample", "-f", "200", "-o", folder, *options, "--", *program],
        capture_output=True,
        check=True,
        timeout=60,
    )
    return folder


def report(folder, *options):
    done = subprocess.run(
        [KYMO, "report", folder, *options], stdout=subprocess.PIPE, check=True, timeout=60
    )
    return done.stdout.decode()


def rows(folder, *options):
    """[(depth, region and module)] of the main thread's tree, the costliest first."""
    lines = report(folder, "--tree", "--top", "0", *options).split("REGION\n", 1)[1].splitlines()
    cells = [
        row[re.match(r"\s*(\S+\s+\S+ \S+\s+\S+ \S+\s+[\d,]+)  ", row).end() :] for row in lines
    ]
    return [(len(cell) - len(cell.lstrip()), cell.strip()) for cell in cells]


def callers(shown, index):
    """The regions that lead to the row of that index, the innermost first."""
    depth, found = shown[index][0], []
    for above, region in reversed(shown[:index]):
        if above < depth:
            found.append(region)
            depth = above
    return found


@pytest.mark.skipif(not SLEEP, reason="there is no sleep command")
def test_a_sleep_that_went_on_elsewhere_is_a_sleep(tmp_path):
    """Sampling ends sleeps, which go on as another call inside of Kymo.

    A sample may meet Kymo's own start: only what leads to the sleep is the sleep's.
    """
    shown = rows(sampled(tmp_path / "run", SLEEP, "0.6"))
    assert not any("poll" in region for _, region in shown)
    (asleep,) = (at for at, (_, region) in enumerate(shown) if "nanosleep (kernel)" in region)
    assert not any("libkymo" in region for region in callers(shown, asleep))
    assert not shown[asleep + 1 :] or shown[asleep + 1][0] <= shown[asleep][0]


CALLS = {
    "in_poll": "poll",
    "in_ppoll": "ppoll",
    "in_select": "pselect6",
    "in_epoll": "epoll_wait",
    "in_nanosleep": "clock_nanosleep",
    "in_semaphore": "futex",
    "in_condition": "futex",
    "in_syscall": "clock_nanosleep",
    "in_pause": "pause",
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="calls are named on x86-64 alone")
def test_calls_are_those_that_the_program_made(tmp_path):
    """Also when sampling has ended them, and they go on as others."""
    folder = sampled(
        tmp_path / "run",
        sampler_runs.compile("sampled_calls.c", "-pthread"),
        options=("-f", "500"),
    )
    done = subprocess.run(
        [KYMO, "export", "--samples", "--format", "collapsed", "-o", "-", folder],
        stdout=subprocess.PIPE,
        check=True,
        timeout=60,
    )
    found, functions = {}, {}
    for line in done.stdout.decode().splitlines():
        frames = [frame.split(" (")[0] for frame in line.rpartition(" ")[0].split(";")]
        for function in CALLS.keys() & set(frames):
            if "(kernel)" in line:
                found.setdefault(function, set()).add(frames[-1])
                below = frames[frames.index(function) + 1 : -1]
                functions.setdefault(function, set()).update(below)
    assert found.keys() == CALLS.keys()
    # Each begins and ends with other calls of the C library's, which a sample may meet.
    strange = {"ppoll", "pselect6", "epoll_pwait2", "rt_sigsuspend"} | set(CALLS.values())
    assert {each: found[each] & strange for each in found} == {
        each: {call} for each, call in CALLS.items()
    }
    others = {"ppoll", "pselect", "epoll_pwait", "epoll_pwait2", "sigsuspend", "sigtimedwait"}
    own = {"in_ppoll": {"ppoll"}, "in_select": {"pselect"}, "in_pause": {"sigsuspend"}}
    for each, names in functions.items():
        assert not names & (others - own.get(each, set())), (each, names)


SPINNING = """
#ifndef SECONDS
#define SECONDS 0.4
#endif
#include <time.h>
static volatile unsigned long sum;
static double now(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}
__attribute__((noinline)) void work(double seconds)
{
	double end = now(CLOCK_THREAD_CPUTIME_ID) + seconds;
	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 1000000; i++)
			sum += i;
	sum++;
}
__attribute__((noinline)) void thread_start(double seconds)
{
	work(seconds);
	sum++;
}
int main(void)
{
	thread_start(SECONDS);
	return (int)(sum & 0);
}
"""


def test_who_gets_no_processor_does_not_wait(tmp_path):
    """A thread that works is asked as often as ever where many others want its processor."""
    program = compiled(tmp_path, "-DSECONDS=0.1")
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(9)]
    try:
        result, (found,) = sampler_runs.run([program], tmp_path, SAMPLING_FREQ=1000)
    finally:
        for other in others:
            other.kill()
            other.wait()
        os.sched_setaffinity(0, processors)
    assert result.returncode == 0, result.stderr
    working = [each for each in found.samples if "work" in each.stack]
    # It works for a tenth of a second, and is asked a thousand times in one.
    assert len(working) > 50


def compiled(folder, *options):
    source, binary = folder / "spinning.c", folder / "spinning"
    source.write_text(SPINNING, encoding="utf-8")
    flags = ["-O1", "-fno-optimize-sibling-calls", "-fno-inline"]
    subprocess.run(["cc", *flags, *options, "-o", binary, source], check=True, timeout=60)
    return binary


def paths(folder, *options):
    """[(depth, name)] of the main thread's tree, the costliest first."""
    return [(depth, region.split()[0]) for depth, region in rows(folder, *options)]


def test_a_program_begins_with_main(tmp_path):
    """A function of the program's own that has the name of a start-up function is shown."""
    shown = paths(sampled(tmp_path / "run", compiled(tmp_path)))
    assert shown[:3] == [(0, "main"), (2, "thread_start"), (4, "work")]


def test_start_up_without_names_is_left_out(tmp_path):
    shown = paths(sampled(tmp_path / "run", compiled(tmp_path, "-s")))
    assert [depth for depth, _ in shown[:3]] == [0, 2, 4]
    assert all(re.fullmatch(r"spinning\+0x[0-9a-f]+", name) for _, name in shown[:3])
    internal = paths(tmp_path / "run", "--internal")
    assert len(internal) > len(shown)
    assert any(name.startswith("__libc_start") for _, name in internal)
