/* Paths and numbers by hand: stdio belongs to the C library, which may be what is changed. */
#include "platform/threads/procthread.h"

#include <errno.h>
#include <fcntl.h>

#include "platform/rawcall.h"

#define PATH_BYTES   96u
#define DIGITS	     12u
#define FOLDER_BYTES 4096u

struct entry { /* as getdents64() has it */
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

static long proc_open_file(struct path *path, int32_t process, int32_t thread, const char *name,
			   int flags)
{
	path->length = 0;
	proc_put(path, "/proc/");
	proc_put_number(path, process);
	if (thread) {
		proc_put(path, "/task/");
		proc_put_number(path, thread);
	}
	proc_put(path, "/");
	proc_put(path, name);
	return raw_call6(SYS_openat, AT_FDCWD, (long)path->bytes, O_RDONLY | O_CLOEXEC | flags, 0,
			 0, 0);
}

long proc_read(int32_t process, int32_t thread, const char *name, char *bytes, size_t size)
{
	struct path path;
	long fd = proc_open_file(&path, process, thread, name, 0), got = 0;
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

static int proc_digit(char c, unsigned base)
{
	unsigned value = 99;

	if (c >= '0' && c <= '9')
		value = (unsigned)(c - '0');
	else if (c >= 'a' && c <= 'f')
		value = (unsigned)(c - 'a') + 10;
	return value < base ? (int)value : -1;
}

static bool proc_begins_with(const char *text, const char *start)
{
	while (*start)
		if (*text++ != *start++)
			return false;
	return true;
}

int64_t proc_number(const char *status, const char *key, unsigned base)
{
	int64_t number = 0;

	while (!proc_begins_with(status, key)) {
		while (*status && *status != '\n')
			status++;
		if (!*status++)
			return -1;
	}
	while (*status && *status != ':')
		status++;
	while (*status == ':' || *status == '\t' || *status == ' ')
		status++;
	if (proc_digit(*status, base) < 0)
		return -1;
	for (; proc_digit(*status, base) >= 0; status++)
		number = (int64_t)((uint64_t)number * base + (uint64_t)proc_digit(*status, base));
	return number;
}

/* False: tell has had enough. */
static bool tell_all(const char *bytes, long size, proc_thread_fn tell, void *context)
{
	for (long at = 0; at < size;) {
		const struct entry *entry = (const struct entry *)(const void *)(bytes + at);
		int32_t thread = 0;

		for (const char *c = entry->name; proc_digit(*c, 10) >= 0; c++)
			thread = thread * 10 + proc_digit(*c, 10);
		if (thread > 0 && !tell(thread, context))
			return false;
		at += entry->size;
	}
	return true;
}

bool proc_threads(int32_t process, proc_thread_fn tell, void *context)
{
	_Alignas(8) char bytes[FOLDER_BYTES];
	struct path path;
	long fd = proc_open_file(&path, process, 0, "task", O_DIRECTORY), got;

	if (fd < 0)
		return false;
	do
		got = raw_call(SYS_getdents64, fd, (long)bytes, sizeof(bytes));
	while (got > 0 && tell_all(bytes, got, tell, context));
	raw_call(SYS_close, fd, 0, 0);
	return got >= 0;
}
