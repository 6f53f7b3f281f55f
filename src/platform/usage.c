/* Reading /proc without stdio or allocation. */
#include "platform/usage.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_stat.h"

#define FILE_BYTES 512

static uint64_t usage_parse_number(const char *text)
{
	uint64_t value = 0;

	while (*text == ' ')
		text++;
	while (*text >= '0' && *text <= '9')
		value = value * 10 + (uint64_t)(*text++ - '0');
	return value;
}

uint64_t usage_memory_bytes(enum usage_memory which)
{
	char text[FILE_BYTES];
	const char *field = text;

	proc_read(PROC_SELF, 0, "statm", text, sizeof(text));
	if (which == USAGE_RESIDENT_BYTES) {
		field = strchr(text, ' ');
		if (!field)
			return 0;
	}
	return usage_parse_number(field) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t usage_io_bytes(enum usage_io which)
{
	static const char *const keys[] = {"rchar:", "wchar:", "\nread_bytes:", "\nwrite_bytes:"};
	char text[FILE_BYTES];
	const char *field;

	proc_read(PROC_SELF, 0, "io", text, sizeof(text));
	field = strstr(text, keys[which]);
	return field ? usage_parse_number(field + strlen(keys[which])) : 0;
}

uint64_t usage_waited_ns(uint64_t thread)
{
	char text[FILE_BYTES];
	const char *field;

	proc_read(PROC_SELF, (int32_t)thread, "schedstat", text, sizeof(text));
	field = strchr(text, ' ');
	return field ? usage_parse_number(field) : 0;
}

static uint64_t usage_timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

uint64_t usage_own_ns(void)
{
	KEEP_ERRNO();
	struct rusage children;

	if (getrusage(RUSAGE_CHILDREN, &children) < 0)
		memset(&children, 0, sizeof(children));
	return usage_clock_ns(CLOCK_THREAD_CPUTIME_ID) + usage_timeval_ns(&children.ru_utime) +
	       usage_timeval_ns(&children.ru_stime);
}

uint64_t usage_process_age_ns(void)
{
	long ticks_a_second = sysconf(_SC_CLK_TCK);
	uint64_t fields[PROC_STAT_FIELDS], began_ns;

	if (ticks_a_second <= 0 || !proc_stat_read(PROC_SELF, 0, fields))
		return 0;
	began_ns = fields[PROC_STAT_START] * (1000000000u / (uint64_t)ticks_a_second);
	return usage_clock_ns(CLOCK_BOOTTIME) - began_ns;
}
