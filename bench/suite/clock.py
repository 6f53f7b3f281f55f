"""What two readings of the clock cost here: the floor of any exact timing of a call."""

import os
import subprocess
import tempfile

_PROGRAM = r"""
#include <stdio.h>
#include <time.h>
static unsigned long counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	unsigned long ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}
int main(void)
{
	struct timespec from, to;
	unsigned long sum = 0;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (int i = 0; i < 4000000; i++)
		sum += counter();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	printf("%.2f\n", ((to.tv_sec - from.tv_sec) * 1e9 + to.tv_nsec - from.tv_nsec) / 4e6);
	return sum == 1;
}
"""


def pair_ns():
    """Nanoseconds of two readings, or None without a compiler."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "clock.c"), os.path.join(folder, "clock")
        with open(source, "w") as file:
            file.write(_PROGRAM)
        try:
            subprocess.run(["cc", "-O2", source, "-o", binary], check=True, capture_output=True)
            readings = [
                float(subprocess.run([binary], check=True, capture_output=True).stdout)
                for _ in range(5)
            ]
        except (OSError, subprocess.CalledProcessError):
            return None
    return 2 * sorted(readings)[2]
