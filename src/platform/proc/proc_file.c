/* Paths and numbers without stdio, which belongs to the C library, whose code may be what is
 * being changed. */
#include "platform/proc/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "platform/rawcall.h"

#define PATH_BYTES   96u
#define DIGITS	     12u
#define FOLDER_BYTES 4096u
#define CHILD_BYTES  512u
#define FOLDER_LINKS 2 /* not made by threads */

struct entry { /* as in getdents64() */
	uint64_t inode;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

struct path {
	char bytes[PATH_BYTES];
	size_t length;
};

static void proc_put(struct path *path, const char *text)
{
	while (*text && path->length + 1 < sizeof(path->bytes))
		path->bytes[path->length++] = *text++;
	path->bytes[path->length] = '\0';
}

static void proc_put_number(struct path *path, int32_t number)
{
	char digits[DIGITS], *at = digits + DIGITS - 1;

	*at = '\0';
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0 && at > digits);
	proc_put(path, at);
}

long proc_open(int32_t process, int32_t thread, const char *name, int flags)
{
	struct path path;

	path.length = 0;
	proc_put(&path, "/proc/");
	if (process == PROC_SELF)
		proc_put(&path, "self");
	else if (process < 0 || thread < 0)
		return -ENOENT;
	else
		proc_put_number(&path, process);
	if (thread) {
		proc_put(&path, "/task/");
		proc_put_number(&path, thread);
	}
	proc_put(&path, "/");
	proc_put(&path, name);
	return raw_call6(SYS_openat, AT_FDCWD, (long)path.bytes, O_RDONLY | O_CLOEXEC | flags, 0, 0,
			 0);
}

long proc_read(int32_t process, int32_t thread, const char *name, char *bytes, size_t size)
{
	long fd = proc_open(process, thread, name, 0), got = 0;
	size_t used = 0;

	bytes[0] = '\0';
	if (fd < 0)
		return fd;
	while (used + 1 < size) {
		got = raw_call(SYS_read, fd, (long)(bytes + used), (long)(size - 1 - used));
		if (got == -EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	raw_call(SYS_close, fd, 0, 0);
	bytes[used] = '\0';
	return got < 0 ? got : (long)used;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* False: report has returned false. */
static bool proc_report_threads(const char *bytes, long size, proc_thread_fn report, void *context)
{
	for (long at = 0; at < size;) {
		const struct entry *entry = (const struct entry *)(const void *)(bytes + at);
		int32_t thread = 0;

		for (const char *c = entry->name; is_digit(*c); c++)
			thread = thread * 10 + (*c - '0');
		if (thread > 0 && !report(thread, context))
			return false;
		at += entry->size;
	}
	return true;
}

bool proc_threads(int32_t process, proc_thread_fn report, void *context)
{
	_Alignas(8) char bytes[FOLDER_BYTES];
	long fd = proc_open(process, 0, "task", O_DIRECTORY), got;

	if (fd < 0)
		return false;
	do
		got = raw_call(SYS_getdents64, fd, (long)bytes, sizeof(bytes));
	while (got > 0 && proc_report_threads(bytes, got, report, context));
	raw_call(SYS_close, fd, 0, 0);
	return got >= 0;
}

uint64_t proc_thread_count(int32_t process)
{
	long fd = proc_open(process, 0, "task", O_DIRECTORY), error;
	struct stat status;

	if (fd < 0)
		return 0;
	error = raw_call(SYS_fstat, fd, (long)&status, 0);
	raw_call(SYS_close, fd, 0, 0);
	return error < 0 || status.st_nlink < FOLDER_LINKS ? 0 : status.st_nlink - FOLDER_LINKS;
}

/* Numbers followed by a blank each, one of which may continue in the next bytes.  False: report
 * has returned false. */
static bool report_children(const char *bytes, long size, int32_t *child, proc_child_fn report,
			    void *context)
{
	for (long i = 0; i < size; i++) {
		if (is_digit(bytes[i])) {
			*child = *child * 10 + (bytes[i] - '0');
			continue;
		}
		if (*child > 0 && !report(*child, context))
			return false;
		*child = 0;
	}
	return true;
}

bool proc_children(int32_t process, int32_t thread, proc_child_fn report, void *context)
{
	long fd = proc_open(process, thread, "children", 0), got;
	char bytes[CHILD_BYTES];
	int32_t child = 0;

	if (fd < 0)
		return false;
	do
		got = raw_call(SYS_read, fd, (long)bytes, sizeof(bytes));
	while (got == -EINTR || (got > 0 && report_children(bytes, got, &child, report, context)));
	raw_call(SYS_close, fd, 0, 0);
	if (got == 0 && child > 0)
		report(child, context);
	return got >= 0;
}
