"""What the tables of samples show of a program that is known."""

import re
import shutil
import subprocess

import pytest
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


SPINNING = """
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
	thread_start(0.4);
	return (int)(sum & 0);
}
"""


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
