/* Reading /proc without stdio or allocation. */
#include "platform/usage.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "platform/files/nocancel_io.h"

#define FILE_BYTES 512

/* The file's text, NUL-terminated; "" when it cannot be read. */
static void usage_read_file(const char *path, char *text)
{
	KEEP_ERRNO();
	int fd = plain_open(path, O_RDONLY | O_CLOEXEC, 0);
	ssize_t length = fd < 0 ? -1 : plain_read(fd, text, FILE_BYTES - 1);

	if (fd >= 0)
		plain_close(fd);
	text[length > 0 ? length : 0] = '\0';
}

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

	usage_read_file("/proc/self/statm", text);
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

	usage_read_file("/proc/self/io", text);
	field = strstr(text, keys[which]);
	return field ? usage_parse_number(field + strlen(keys[which])) : 0;
}

uint64_t usage_waited_ns(uint64_t thread)
{
	char text[FILE_BYTES], path[64];
	const char *field;

	snprintf(path, sizeof(path), "/proc/self/task/%llu/schedstat", (unsigned long long)thread);
	usage_read_file(path, text);
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

/* Field 22 of /proc/self/stat; the second one is a name in parentheses that may hold any
 * character. */
uint64_t usage_process_age_ns(void)
{
	long ticks_a_second = sysconf(_SC_CLK_TCK);
	char text[FILE_BYTES], *field;
	uint64_t began_ns;

	usage_read_file("/proc/self/stat", text);
	field = strrchr(text, ')');
	for (int i = 2; field && i < 22; i++)
		field = strchr(field + 1, ' ');
	if (!field || ticks_a_second <= 0)
		return 0;
	began_ns = usage_parse_number(field) * (1000000000u / (uint64_t)ticks_a_second);
	return usage_clock_ns(CLOCK_BOOTTIME) - began_ns;
}
