/* The buffered sink of the exporters: temporary file, rename when complete, first error
 * kept.  A path that names a pipe or a device is written in place: renaming over it would
 * replace the device by a file. */
#include "export/export_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)1 << 18)

static const char *sink_name(const struct export_sink *sink)
{
	return sink->path ? sink->path : "standard output";
}

static void sink_free(struct export_sink *sink)
{
	free(sink->path);
	free(sink->temporary);
	free(sink->buffer);
	free(sink);
}

/* Name the file and open the temporary one beside it, following links so that a link to
 * the wanted file stays one. */
static int sink_open_file(struct export_sink *sink, const char *path)
{
	struct stat info;
	bool exists = stat(path, &info) == 0;

	if (exists && S_ISDIR(info.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	sink->path = exists ? realpath(path, NULL) : strdup(path);
	if (!sink->path)
		return -1;
	if (exists && !S_ISREG(info.st_mode)) {
		sink->fd = open(path, O_WRONLY | O_CLOEXEC);
		return sink->fd;
	}
	if (asprintf(&sink->temporary, "%s.%ld.partial", sink->path, (long)getpid()) < 0) {
		sink->temporary = NULL;
		return -1;
	}
	sink->fd =
		open(sink->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	return sink->fd;
}

enum kymo_status sink_open(const char *path, bool is_binary, struct export_sink **out,
			   struct problem *problem)
{
	bool is_stdout = !path || strcmp(path, "-") == 0;
	struct export_sink *sink = calloc(1, sizeof(*sink));

	if (!sink || !(sink->buffer = malloc(BUFFER_SIZE))) {
		free(sink);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	sink->next = sink->buffer;
	sink->limit = sink->buffer + BUFFER_SIZE;
	sink->fd = STDOUT_FILENO;
	if (is_stdout && is_binary && isatty(STDOUT_FILENO)) {
		sink_free(sink);
		return problem_set(problem, KYMO_USAGE,
				   "this format is binary and standard output is a terminal; "
				   "name a file with -o FILE");
	}
	if (!is_stdout && sink_open_file(sink, path) < 0) {
		enum kymo_status status = problem_set(problem, KYMO_SYSTEM, "cannot write '%s': %s",
						      path, strerror(errno));
		sink_free(sink);
		return status;
	}
	*out = sink;
	return KYMO_OK;
}

/* Hand bytes to the descriptor, all of them or until the first error. */
static void sink_send(struct export_sink *sink, const unsigned char *data, size_t size)
{
	sink->flushed += size;
	while (size > 0 && !sink->error) {
		ssize_t written = write(sink->fd, data, size);

		if (written < 0 && errno != EINTR)
			sink->error = errno;
		if (written > 0) {
			data += written;
			size -= (size_t)written;
		}
	}
}

void sink_flush(struct export_sink *sink)
{
	sink_send(sink, sink->buffer, (size_t)(sink->next - sink->buffer));
	sink->next = sink->buffer;
}

void sink_write(struct export_sink *sink, const void *data, size_t size)
{
	if (size > SINK_ROOM_MAX) {
		sink_flush(sink);
		sink_send(sink, data, size);
		return;
	}
	memcpy(sink_room(sink, size), data, size);
	sink->next += size;
}

void sink_format(struct export_sink *sink, const char *format, ...)
{
	char *room = (char *)sink_room(sink, SINK_ROOM_MAX);
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(room, SINK_ROOM_MAX, format, arguments);
	va_end(arguments);
	if (length > 0)
		sink->next += (size_t)length < SINK_ROOM_MAX ? (size_t)length : SINK_ROOM_MAX - 1;
}

enum kymo_status sink_close(struct export_sink *sink, uint64_t *bytes_out, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	uint64_t bytes = sink_bytes(sink);

	sink_flush(sink);
	/* close() reports what a network file system found out late. */
	if (sink->path && close(sink->fd) < 0 && !sink->error)
		sink->error = errno;
	if (!sink->error && sink->temporary && rename(sink->temporary, sink->path) < 0)
		sink->error = errno;
	if (sink->error) {
		if (sink->temporary)
			unlink(sink->temporary);
		status = problem_set(problem, KYMO_SYSTEM, "cannot write '%s': %s", sink_name(sink),
				     strerror(sink->error));
	} else if (bytes_out) {
		*bytes_out = bytes;
	}
	sink_free(sink);
	return status;
}

void sink_abandon(struct export_sink *sink)
{
	if (sink->path)
		close(sink->fd);
	if (sink->temporary)
		unlink(sink->temporary);
	sink_free(sink);
}
