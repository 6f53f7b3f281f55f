/* Chunks of recordings being made. A chunk gets its offset in the file when it is begun, so that
 * references into it are known at once, and is written when it is full.  The first of a kind is a
 * page, each further one is twice as large: small recordings stay small and large ones are written
 * in large pieces. */
#include "writer/recording_writer_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void recording_writer_file_fail(struct recording_writer_file *file, enum kymo_status status,
				const char *format, ...)
{
	va_list arguments;

	if (file->status != KYMO_OK)
		return;
	file->status = status;
	va_start(arguments, format);
	if (vsnprintf(file->problem.text, sizeof(file->problem.text), format, arguments) < 0)
		file->problem.text[0] = '\0';
	va_end(arguments);
}

static void file_no_memory(struct recording_writer_file *file)
{
	recording_writer_file_fail(file, KYMO_MEMORY, "no memory to write '%s'", file->out.path);
}

/* pwrite() all of it. */
static void file_put(struct recording_writer_file *file, const void *bytes, uint64_t size,
		     uint64_t at)
{
	const unsigned char *from = bytes;

	while (size > 0 && file->status == KYMO_OK) {
		ssize_t written = pwrite(file->out.fd, from, size, (off_t)at);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			recording_writer_file_fail(file, KYMO_SYSTEM, "cannot write '%s': %s",
						   file->out.path,
						   strerror(written < 0 ? errno : ENOSPC));
			return;
		}
		from += written;
		at += (uint64_t)written;
		size -= (uint64_t)written;
	}
}

enum kymo_status recording_writer_file_open(struct recording_writer_file *file, const char *path,
					    struct problem *problem)
{
	struct outfile out;
	enum kymo_status status;

	if (strcmp(path, "-") == 0)
		return problem_set(problem, KYMO_USAGE,
				   "a recording cannot be written to standard output: name a file");
	status = outfile_open(&out, path, problem);
	if (status < 0)
		return status;
	if (!out.temporary) {
		outfile_discard(&out);
		return problem_set(problem, KYMO_USAGE,
				   "a recording cannot be written to '%s', which is no file", path);
	}
	*file = (struct recording_writer_file){.out = out, .end = KYMO_HEADER_SIZE};
	return KYMO_OK;
}

enum kymo_status recording_writer_file_commit(struct recording_writer_file *file,
					      const struct kymo_header *header,
					      struct problem *problem)
{
	unsigned char page[KYMO_HEADER_SIZE] = {0};

	memcpy(page, header, sizeof(*header));
	file_put(file, page, sizeof(page), 0);
	if (file->status == KYMO_OK && ftruncate(file->out.fd, (off_t)file->end) < 0)
		recording_writer_file_fail(file, KYMO_SYSTEM, "cannot write '%s': %s",
					   file->out.path, strerror(errno));
	if (file->status == KYMO_OK)
		return outfile_commit(&file->out, problem);
	problem_set(problem, file->status, "%s", file->problem.text);
	outfile_discard(&file->out);
	return file->status;
}

void recording_writer_file_discard(struct recording_writer_file *file)
{
	outfile_discard(&file->out);
}

void recording_writer_section_init(struct recording_writer_section *section,
				   enum kymo_chunk_type type, uint32_t thread, uint32_t record_size)
{
	*section = (struct recording_writer_section){
		.type = (uint16_t)type,
		.thread = thread,
		.record_size = record_size,
		.limit = MADE_CHUNK_MAX,
	};
}

static void chunk_write(struct recording_writer_file *file,
			struct recording_writer_section *section)
{
	struct kymo_chunk chunk = {
		.magic = KYMO_CHUNK_MAGIC,
		.type = section->type,
		.size = section->size,
		.used = section->used - sizeof(chunk),
		.thread = section->thread,
		.record_size = section->record_size,
		.base = section->base,
		.sequence = ++file->sequence,
	};

	if (section->type == KYMO_CHUNK_EVENTS)
		chunk.used = 0; /* a zero ends them */
	memcpy(section->bytes, &chunk, sizeof(chunk));
	file_put(file, section->bytes, section->used, section->offset);
}

static uint64_t page_up(uint64_t size)
{
	return (size + KYMO_CHUNK_ALIGN - 1) / KYMO_CHUNK_ALIGN * KYMO_CHUNK_ALIGN;
}

/* Begin a chunk with space for size bytes; memory of the same size is reused. */
static bool file_chunk_begin(struct recording_writer_file *file,
			     struct recording_writer_section *section, uint64_t size)
{
	uint64_t wanted = section->size ? section->size * 2 : KYMO_CHUNK_ALIGN;

	if (section->bytes)
		chunk_write(file, section);
	if (wanted > section->limit)
		wanted = section->limit;
	if (wanted < page_up(size + sizeof(struct kymo_chunk)))
		wanted = page_up(size + sizeof(struct kymo_chunk));
	if (!section->bytes || wanted != section->size) {
		free(section->bytes);
		section->bytes = calloc(1, wanted);
		section->size = section->bytes ? wanted : 0;
		section->used = section->size;
	} else {
		memset(section->bytes, 0, section->used);
	}
	if (!section->bytes) {
		file_no_memory(file);
		return false;
	}
	section->used = sizeof(struct kymo_chunk);
	section->offset = file->end;
	section->base = section->next_base;
	file->end += section->size;
	return true;
}

void *recording_writer_section_reserve(struct recording_writer_file *file,
				       struct recording_writer_section *section, uint64_t size,
				       uint64_t *at_out, bool *is_new_out)
{
	bool is_new = recording_writer_section_available(section) < size;
	void *reserved;

	if (file->status != KYMO_OK || (is_new && !file_chunk_begin(file, section, size)))
		return NULL;
	reserved = section->bytes + section->used;
	if (at_out)
		*at_out = section->offset + section->used;
	if (is_new_out)
		*is_new_out = is_new;
	section->used += size;
	return reserved;
}

void recording_writer_section_patch(struct recording_writer_file *file,
				    struct recording_writer_section *section, uint64_t at,
				    const void *bytes, uint64_t size)
{
	if (file->status != KYMO_OK)
		return;
	if (at >= section->offset)
		memcpy(section->bytes + (at - section->offset), bytes, size);
	else
		file_put(file, bytes, size, at);
}

void recording_writer_section_finish(struct recording_writer_file *file,
				     struct recording_writer_section *section)
{
	if (section->bytes && file->status == KYMO_OK)
		chunk_write(file, section);
	free(section->bytes);
	section->bytes = NULL;
	section->size = section->used = 0;
}
