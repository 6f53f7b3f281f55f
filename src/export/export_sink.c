/* The buffered sink of the exporters.  It writes to the descriptor directly instead of through
 * stdio: exporters fill the buffer in place, and the cause of a failed write is known where it
 * happens. */
#include "export/export_sink.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text/jsontext.h"

#define BUFFER_SIZE ((size_t)1 << 18)

static void sink_free(struct export_sink *sink)
{
	free(sink->buffer);
	free(sink);
}

static struct export_sink *sink_new(void)
{
	struct export_sink *sink = calloc(1, sizeof(*sink));

	if (!sink)
		return NULL;
	sink->buffer = malloc(BUFFER_SIZE);
	if (!sink->buffer) {
		free(sink);
		return NULL;
	}
	sink->next = sink->buffer;
	sink->limit = sink->buffer + BUFFER_SIZE;
	return sink;
}

enum kymo_status sink_open(const char *path, bool is_binary, struct export_sink **out,
			   struct problem *problem)
{
	bool is_stdout = !path || strcmp(path, "-") == 0;
	struct export_sink *sink;
	enum kymo_status status;

	if (is_stdout && is_binary && isatty(STDOUT_FILENO))
		return problem_set(problem, KYMO_USAGE,
				   "this format is binary and standard output is a terminal; "
				   "name a file with -o FILE");
	sink = sink_new();
	if (!sink)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	status = outfile_open(&sink->file, is_stdout ? "-" : path, problem);
	if (status < 0) {
		sink_free(sink);
		return status;
	}
	sink->most_bytes = UINT64_MAX;
	sink->fd = is_stdout ? STDOUT_FILENO : sink->file.fd;
	*out = sink;
	return KYMO_OK;
}

void sink_bound(struct export_sink *sink, uint64_t most_bytes)
{
	if (sink->file.temporary)
		sink->most_bytes = most_bytes;
}

/* Write bytes to the descriptor, all of them or until the first error. */
static void sink_send(struct export_sink *sink, const unsigned char *data, size_t size)
{
	sink->flushed += size;
	if (sink->flushed > sink->most_bytes && !sink->error) {
		sink->is_over = true;
		sink->error = EFBIG;
	}
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
	if (size > SINK_RESERVE_MAX) {
		sink_flush(sink);
		sink_send(sink, data, size);
		return;
	}
	memcpy(sink_reserve(sink, size), data, size);
	sink->next += size;
}

void sink_format(struct export_sink *sink, const char *format, ...)
{
	char *buffer = (char *)sink_reserve(sink, SINK_RESERVE_MAX);
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(buffer, SINK_RESERVE_MAX, format, arguments);
	va_end(arguments);
	if (length > 0)
		sink->next +=
			(size_t)length < SINK_RESERVE_MAX ? (size_t)length : SINK_RESERVE_MAX - 1;
}

void sink_json(struct export_sink *sink, const char *text)
{
	char *buffer = (char *)sink_reserve(sink, SINK_RESERVE_MAX);
	size_t size = SINK_RESERVE_MAX - 2, length;

	length = json_escape(text, buffer + 1, size);
	if (length >= size)
		length = strlen(buffer + 1);
	buffer[0] = '"';
	buffer[1 + length] = '"';
	sink->next += length + 2;
}

enum kymo_status sink_close(struct export_sink *sink, uint64_t *bytes_out, struct problem *problem)
{
	enum kymo_status status;

	sink_flush(sink);
	if (sink->error == EPIPE && !sink->file.path)
		sink->error = 0;
	if (sink->error) {
		status = problem_set(problem, sink->is_over ? KYMO_LIMIT : KYMO_SYSTEM,
				     "cannot write %s%s%s: %s", sink->file.path ? "'" : "",
				     sink->file.path ? sink->file.path : "standard output",
				     sink->file.path ? "'" : "", strerror(sink->error));
		outfile_discard(&sink->file);
	} else {
		status = outfile_commit(&sink->file, problem);
	}
	if (status == KYMO_OK && bytes_out)
		*bytes_out = sink->flushed;
	sink_free(sink);
	return status;
}

void sink_abandon(struct export_sink *sink)
{
	outfile_discard(&sink->file);
	sink_free(sink);
}
