/* "7f0-7f8 r-xp 00001000 08:01 1234      /path", parsed byte by byte: a line need not fit into
 * the read buffer. */
#include "platform/proc/proc_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "platform/proc/proc_file.h"
#include "platform/rawcall.h"

#define READ_BYTES 2048u

enum field { START, END, PERMISSIONS, OFFSET, MAJOR, MINOR, INODE, BLANKS, PATH };

struct line { /* the current one */
	struct proc_map map;
	enum field field;
	char *path;
	size_t length, size;
};

static void maps_line_clear(struct line *line)
{
	static const struct proc_map none;

	line->map = none;
	line->field = START;
	line->length = 0;
	if (line->size)
		line->path[0] = '\0';
}

static uint64_t maps_with_digit(uint64_t number, char c)
{
	return number << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void maps_take_permission(struct proc_map *map, char c)
{
	if (c == 'r')
		map->protection |= PROT_READ;
	else if (c == 'w')
		map->protection |= PROT_WRITE;
	else if (c == 'x')
		map->protection |= PROT_EXEC;
	else if (c == 's')
		map->is_shared = true;
}

static void maps_take_path(struct line *line, char c)
{
	if (line->length + 1 >= line->size)
		return;
	line->path[line->length++] = c;
	line->path[line->length] = '\0';
}

static void maps_take_digit(struct line *line, char c)
{
	struct proc_map *map = &line->map;

	if (line->field == START)
		map->start = maps_with_digit(map->start, c);
	else if (line->field == END)
		map->end = maps_with_digit(map->end, c);
	else if (line->field == OFFSET)
		map->offset = maps_with_digit(map->offset, c);
	else if (line->field == MAJOR)
		map->device_major = (uint32_t)maps_with_digit(map->device_major, c);
	else if (line->field == MINOR)
		map->device_minor = (uint32_t)maps_with_digit(map->device_minor, c);
	else
		map->inode = map->inode * 10 + (uint64_t)(c - '0');
}

/* A byte that does not end the line. */
static void maps_take(struct line *line, char c)
{
	static const char ends[] = {
		[START] = '-', [END] = ' ',   [PERMISSIONS] = ' ', [OFFSET] = ' ',
		[MAJOR] = ':', [MINOR] = ' ', [INODE] = ' '};

	if (line->field == BLANKS && c != ' ')
		line->field = PATH;
	if (line->field == PATH)
		maps_take_path(line, c);
	else if (line->field == BLANKS)
		return;
	else if (c == ends[line->field])
		line->field++;
	else if (line->field == PERMISSIONS)
		maps_take_permission(&line->map, c);
	else
		maps_take_digit(line, c);
}

/* False: report has returned false. */
static bool maps_take_all(struct line *line, const char *bytes, long size, proc_maps_fn report,
			  void *context)
{
	for (long i = 0; i < size; i++) {
		if (bytes[i] != '\n') {
			maps_take(line, bytes[i]);
			continue;
		}
		if (!report(&line->map, line->size ? line->path : "", context))
			return false;
		maps_line_clear(line);
	}
	return true;
}

/* The file of a process is its main thread's: if that has ended it is empty, and the calling
 * thread's file is read, which emulators do not support. */
static long maps_open(int32_t process)
{
	static const char thread[] = "/proc/thread-self/maps";
	long fd = proc_open(process, 0, "maps", 0);
	char first;

	if (process != PROC_SELF ||
	    (fd >= 0 && raw_call6(SYS_pread64, fd, (long)&first, 1, 0, 0, 0) == 1))
		return fd;
	if (fd >= 0)
		raw_call(SYS_close, fd, 0, 0);
	return raw_call6(SYS_openat, AT_FDCWD, (long)thread, O_RDONLY | O_CLOEXEC, 0, 0, 0);
}

int proc_maps_each(int32_t process, char *path, size_t size, proc_maps_fn report, void *context)
{
	long fd = maps_open(process), got;
	char bytes[READ_BYTES];
	struct line line;

	if (fd < 0)
		return (int)-fd;
	line.path = path;
	line.size = size;
	maps_line_clear(&line);
	do
		got = raw_call(SYS_read, fd, (long)bytes, sizeof(bytes));
	while (got == -EINTR || (got > 0 && maps_take_all(&line, bytes, got, report, context)));
	raw_call(SYS_close, fd, 0, 0);
	return got < 0 ? (int)-got : 0;
}

size_t proc_maps_deleted(const char *path)
{
	static const char deleted[] = PROC_MAPS_DELETED;
	const size_t tail = sizeof(deleted) - 1;
	size_t length = 0, same = 0;

	while (path[length])
		length++;
	while (length > tail && same < tail && path[length - tail + same] == deleted[same])
		same++;
	return same == tail ? length - tail : SIZE_MAX;
}
