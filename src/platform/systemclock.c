/* The kernel's function is resolved once.  If a process may make no more system calls, a clock
 * that the kernel's function cannot read (CPU time, or a machine without a constant-rate
 * counter) still makes one. */
#include "platform/systemclock.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/types.h>

#include "platform/kernelcode.h"
#include "platform/processor.h"
#include "platform/rawcall.h"

#define SOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

typedef int (*reader_fn)(clockid_t clock, struct timespec *now);

static int read_by_call(clockid_t clock, struct timespec *now)
{
	return (int)raw_call(SYS_clock_gettime, clock, (long)now, 0);
}

static int read_first(clockid_t clock, struct timespec *now);

/* Atomic: concurrent first readers find the same. */
static reader_fn reader = read_first;

static int read_first(clockid_t clock, struct timespec *now)
{
	void *found =
		kernelcode_find((const void *)getauxval(AT_SYSINFO_EHDR), PROCESSOR_CLOCK_READER);
	reader_fn chosen = found ? (reader_fn)found : read_by_call;

	__atomic_store_n(&reader, chosen, __ATOMIC_RELAXED);
	return chosen(clock, now);
}

bool systemclock_read(clockid_t clock, struct timespec *now)
{
	if (__atomic_load_n(&reader, __ATOMIC_RELAXED)(clock, now) == 0)
		return true;
	*now = (struct timespec){0, 0};
	return false;
}

bool systemclock_source_is_free(const char *source)
{
	static const char *const free_ones[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
						"arch_sys_counter"};
	size_t length = strcspn(source, "\n");

	for (size_t i = 0; i < sizeof(free_ones) / sizeof(*free_ones); i++)
		if (strlen(free_ones[i]) == length && !strncmp(source, free_ones[i], length))
			return true;
	return false;
}

bool systemclock_is_free(void)
{
	char source[64];
	ssize_t length;
	int fd;

	(void)systemclock_seconds(); /* this selects the reader */
	if (__atomic_load_n(&reader, __ATOMIC_RELAXED) == read_by_call)
		return false;
	fd = (int)raw_call6(SYS_openat, AT_FDCWD, (long)SOURCE_FILE, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return false;
	length = raw_call(SYS_read, fd, (long)source, sizeof(source) - 1);
	raw_call(SYS_close, fd, 0, 0);
	source[length > 0 ? length : 0] = '\0';
	return systemclock_source_is_free(source);
}

uint64_t systemclock_ns(clockid_t clock)
{
	struct timespec now;

	systemclock_read(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

time_t systemclock_seconds(void)
{
	struct timespec now;

	systemclock_read(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

void systemclock_sleep(const struct timespec *length)
{
	raw_call(SYS_nanosleep, (long)length, 0, 0);
}

void systemclock_sleep_until(clockid_t clock, const struct timespec *when)
{
	raw_call6(SYS_clock_nanosleep, clock, TIMER_ABSTIME, (long)when, 0, 0, 0);
}

uint64_t systemclock_step_ns(clockid_t clock)
{
	struct timespec step = {0, 0};

	if (raw_call(SYS_clock_getres, clock, (long)&step, 0) != 0)
		return 0;
	return (uint64_t)step.tv_sec * 1000000000u + (uint64_t)step.tv_nsec;
}
