/* Files of /proc and /sys: opened once, read repeatedly from their beginning.
 *
 * They are opened relative to two directories that are kept open, so that they stay readable if
 * the program changes its root.  If descriptors would be the program's, none is kept. */
#include "collectors/procstat/procstat_file.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/keeperrno.h"

#define TEXT_BYTES (64u << 10) /* /proc/stat of a machine with many cores */

struct entry { /* of SYS_getdents64 */
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

static char root_path[PROCSTAT_PATH];
static int root_fd = -1;
static bool is_kept;
static uint64_t own_bytes, own_calls;
static char text[TEXT_BYTES];

void procstat_files_begin(const char *root, bool is_kept_open)
{
	is_kept = is_kept_open;
	own_bytes = own_calls = 0;
	procstat_format(root_path, sizeof(root_path), "%s/", root);
	root_fd = is_kept ? open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
}

void procstat_format(char *out, size_t size, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(out, size, format, list);
	va_end(list);
}

bool procstat_files_are_kept(void)
{
	return is_kept;
}

/* path is below the root, without a leading slash. */
static int open_below(const char *path, int flags)
{
	char whole[2 * PROCSTAT_PATH];

	if (root_fd >= 0)
		return openat(root_fd, path, flags | O_CLOEXEC);
	procstat_format(whole, sizeof(whole), "%s%s", root_path, path);
	return open(whole, flags | O_CLOEXEC);
}

/* Open it if it is closed; the descriptor or -1. */
static int descriptor_of(struct procstat_file *file)
{
	if (file->fd < 0)
		file->fd = open_below(file->path, O_RDONLY);
	return file->fd;
}

static void file_release(struct procstat_file *file)
{
	if (!is_kept)
		procstat_file_close(file);
}

void procstat_file_close(struct procstat_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

bool procstat_file_open(struct procstat_file *file, const char *format, ...)
{
	va_list list;

	file->fd = -1;
	va_start(list, format);
	vsnprintf(file->path, sizeof(file->path), format, list);
	va_end(list);
	if (procstat_file_read(file).at)
		return true;
	procstat_file_close(file);
	return false;
}

struct scan procstat_file_read(struct procstat_file *file)
{
	KEEP_ERRNO();
	int fd = descriptor_of(file);
	ssize_t length = fd < 0 ? -1 : pread(fd, text, sizeof(text), 0);

	own_calls++;
	own_bytes += length > 0 ? (uint64_t)length : 0;
	file_release(file);
	return length < 0 ? (struct scan){0} : scan_of(text, (size_t)length);
}

/* What is read from the files of another root was not counted here. */
void procstat_files_own(uint64_t *bytes_out, uint64_t *calls_out)
{
	bool is_here = root_path[1] == '\0';

	*bytes_out = is_here ? own_bytes : 0;
	*calls_out = is_here ? own_calls : 0;
}

bool procstat_file_number(struct procstat_file *file, uint64_t *value_out)
{
	struct scan scan = procstat_file_read(file);

	return scan_number(&scan, value_out);
}

bool procstat_file_line(struct procstat_file *file, char *line_out, size_t size)
{
	struct scan scan = procstat_file_read(file);
	const char *end =
		scan_is_done(&scan) ? NULL : memchr(scan.at, '\n', (size_t)(scan.end - scan.at));
	size_t length = (size_t)((end ? end : scan.end) - scan.at);

	if (length == 0 || length >= size)
		return false;
	memcpy(line_out, scan.at, length);
	line_out[length] = '\0';
	return true;
}

/* The names in one part of a directory's listing; false to end. */
static bool walk_portion(const char *bytes, size_t length,
			 bool (*found)(const char *name, void *context), void *context)
{
	for (size_t at = 0; at + offsetof(struct entry, name) < length;) {
		const struct entry *entry = (const struct entry *)(const void *)(bytes + at);

		if (entry->name[0] != '.' && !found(entry->name, context))
			return false;
		at += entry->length;
	}
	return true;
}

bool procstat_folder_walk(const char *path, bool (*found)(const char *name, void *context),
			  void *context)
{
	_Alignas(struct entry) char portion[4096];
	int fd = open_below(path, O_RDONLY | O_DIRECTORY);
	long length;

	if (fd < 0)
		return false;
	do {
		length = syscall(SYS_getdents64, fd, portion, sizeof(portion));
	} while (length > 0 && walk_portion(portion, (size_t)length, found, context));
	close(fd);
	return true;
}

static bool count_name(const char *name, void *context)
{
	(void)name;
	++*(uint64_t *)context;
	return true;
}

/* Since Linux 6.2 the size of a directory of descriptors is their number. */
void procstat_folder_counts(const char *path, uint64_t *entries_out, uint64_t *links_out)
{
	int fd = open_below(path, O_PATH | O_DIRECTORY);
	struct stat status;

	*entries_out = *links_out = 0;
	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0) {
		*entries_out = (uint64_t)status.st_size;
		*links_out = (uint64_t)status.st_nlink;
	}
	close(fd);
	if (*entries_out == 0)
		procstat_folder_walk(path, count_name, entries_out);
}
