/* Opening a recording.
 * The header is copied and made consistent first, then the chunks are found, then the
 * tables are read: each step relies only on what the one before has checked. */
#include "model/recording/recording_open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/basename.h"
#include "base/text/commandname.h"
#include "base/owner.h"
#include "format/decode.h"
#include "format/sample_encode.h"
#include "model/functions/function_events.h"
#include "model/recording/chunks.h"
#include "model/recording/clock_map.h"
#include "model/recording/recording.h"
#include "model/recording/recording_tables.h"
#include "platform/files/filehole.h"

#define ARGUMENTS_MAX 64 /* of a command line, to determine what it runs */

/* Errors in a header that cannot be repaired. */
static enum kymo_status header_check(const struct recording *recording, struct problem *problem)
{
	const struct kymo_header *header = &recording->header;
	const char *path = recording->path;

	if (!kymo_format_is_known(header))
		return problem_set(problem, KYMO_FORMAT,
				   "'%s' has format version %u, this kymo reads version %u: "
				   "use the kymo that recorded it",
				   path, header->version, KYMO_FORMAT_VERSION_POSITIONS);
	if (header->header_size < KYMO_HEADER_SIZE || header->header_size % KYMO_CHUNK_ALIGN != 0)
		return problem_set(problem, KYMO_FORMAT,
				   "'%s' is damaged: its header claims %u bytes", path,
				   header->header_size);
	return KYMO_OK;
}

static void header_mend(struct recording *recording)
{
	struct kymo_header *header = &recording->header;
	const char *clock_problem;

	if (header->end < header->header_size) {
		recording_add_problem(recording, "the header's end is not possible; reading all");
		header->end = recording->size;
	}
	if (header->end > recording->size)
		recording_add_problem(recording,
				      "cut off: %" PRIu64 " bytes of %" PRIu64 " are there",
				      recording->size, header->end);
	if (header->metric_count > KYMO_METRICS_MAX) {
		recording_add_problem(recording, "%u metrics are not possible; left out",
				      header->metric_count);
		header->metric_count = 0;
	}
	clock_problem = clock_map_prepare(header);
	if (clock_problem)
		recording_add_problem(recording, "%s", clock_problem);
}

static enum kymo_status header_read(struct recording *recording, struct problem *problem)
{
	enum kymo_status status;

	if (recording->size < sizeof(recording->header.magic) ||
	    memcmp(recording->data, KYMO_FORMAT_MAGIC, sizeof(recording->header.magic)) != 0)
		return problem_set(problem, KYMO_FORMAT, "'%s' is not a recording of kymo",
				   recording->path);
	if (recording->size < KYMO_HEADER_SIZE)
		return problem_set(problem, KYMO_FORMAT,
				   "'%s' is cut off in its header: %" PRIu64 " bytes",
				   recording->path, recording->size);
	memcpy(&recording->header, recording->data, sizeof(recording->header));
	status = header_check(recording, problem);
	if (status == KYMO_OK)
		header_mend(recording);
	return status;
}

static uint64_t open_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t latest_of_nodes(const struct recording *recording)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, KYMO_CHUNK_NODES, &count);
	uint64_t latest = 0;

	for (size_t i = 0; i < count; i++) {
		const unsigned char *bytes = recording->data + chunks[i].offset;
		uint64_t records = chunks[i].bytes / chunks[i].record_size;

		for (uint64_t k = 0; k < records; k++, bytes += chunks[i].record_size)
			latest = open_later(latest,
					    ((const struct kymo_node *)(const void *)bytes)->enter);
	}
	return latest;
}

/* The time of the last record in a chunk; false: there is none. */
typedef bool (*last_ticks_fn)(const struct recording *recording, const struct chunk *chunk,
			      uint64_t *ticks_out);

/* Time increases within a thread, so its last chunk that has records has the latest. */
static uint64_t latest_of(const struct recording *recording, enum kymo_chunk_type type,
			  last_ticks_fn last_ticks)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, type, &count);
	uint64_t latest = 0, ticks;
	bool is_found = false;

	for (size_t i = count; i-- > 0;) {
		if (i + 1 == count || chunks[i].thread != chunks[i + 1].thread)
			is_found = false;
		if (is_found || !last_ticks(recording, &chunks[i], &ticks))
			continue;
		latest = open_later(latest, ticks);
		is_found = true;
	}
	return latest;
}

static bool last_event(const struct recording *recording, const struct chunk *chunk,
		       uint64_t *ticks_out)
{
	struct event_reader reader =
		event_reader_begin(recording->data + chunk->offset, chunk->bytes, chunk->base);
	struct event_record record;
	bool has_any = false;

	*ticks_out = 0;
	while (event_reader_next(&reader, &record)) {
		*ticks_out = open_later(*ticks_out, record.ticks);
		has_any = true;
	}
	return has_any;
}

static bool last_sample(const struct recording *recording, const struct chunk *chunk,
			uint64_t *ticks_out)
{
	const unsigned char *at = recording->data + chunk->offset, *end = at + chunk->bytes;
	struct sample_record record;

	*ticks_out = chunk->base;
	while (sample_decode(&at, end, ticks_out, &record))
		;
	return chunk->bytes > 0;
}

static bool last_pair(const struct recording *recording, const struct chunk *chunk,
		      uint64_t *ticks_out)
{
	struct function_events_reader reader = function_events_reader_begin(
		recording->data + chunk->offset, chunk->bytes, chunk->base, chunk->flags);
	struct function_events_record record;

	while (function_events_next(&reader, &record))
		;
	*ticks_out = reader.ticks;
	return true;
}

/* A recording that was not closed ends at the latest time that it contains. */
static uint64_t end_ticks(const struct recording *recording)
{
	const struct kymo_header *header = &recording->header;
	uint64_t latest = open_later(header->start_ticks, header->end_ticks);

	if (recording->is_closed && header->end_ticks >= header->start_ticks)
		return header->end_ticks;
	latest = open_later(latest, header->pairs[header->pair_count - 1].ticks);
	for (uint32_t i = 0; i < recording->thread_count; i++) {
		latest = open_later(latest, recording->threads[i].start_ticks);
		latest = open_later(latest, recording->threads[i].end_ticks);
	}
	latest = open_later(latest, latest_of_nodes(recording));
	latest = open_later(latest, latest_of(recording, KYMO_CHUNK_SAMPLES, last_sample));
	latest = open_later(latest, latest_of(recording, KYMO_CHUNK_FUNCTION_EVENTS, last_pair));
	return open_later(latest, latest_of(recording, KYMO_CHUNK_EVENTS, last_event));
}

static enum kymo_status recording_load(struct recording *recording, struct problem *problem)
{
	enum kymo_status status = header_read(recording, problem);

	if (status != KYMO_OK)
		return status;
	recording->is_closed = recording->header.state == KYMO_STATE_CLOSED;
	status = chunk_index_new(recording, &recording->chunks);
	if (status == KYMO_OK)
		status = recording_load_tables(recording);
	if (status != KYMO_OK)
		return problem_set(problem, status, "no memory to read '%s'", recording->path);
	recording->end_ticks = end_ticks(recording);
	return KYMO_OK;
}

/* Takes over the mapping, if it is one. */
static enum kymo_status open_data(const char *path, const void *data, uint64_t size, bool is_mapped,
				  struct recording **out, struct problem *problem)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	enum kymo_status status;

	if (!recording) {
		if (is_mapped)
			munmap((void *)(uintptr_t)data, size);
		return problem_set(problem, KYMO_MEMORY, "no memory to read '%s'", path);
	}
	recording->data = data;
	recording->size = size;
	recording->is_mapped = is_mapped;
	recording->path = strdup(path);
	if (is_mapped)
		filehole_watch(data, size, path);
	status = recording->path
			 ? recording_load(recording, problem)
			 : problem_set(problem, KYMO_MEMORY, "no memory to read '%s'", path);
	if (status != KYMO_OK) {
		recording_free(recording);
		return status;
	}
	*out = recording;
	return KYMO_OK;
}

enum kymo_status recording_open_bytes(const void *data, size_t size, struct recording **out,
				      struct problem *problem)
{
	if ((uintptr_t)data % sizeof(uint64_t) != 0)
		return problem_set(problem, KYMO_USAGE, "a recording in memory must be aligned");
	return open_data("(memory)", data, size, false, out, problem);
}

/* Map a regular file that is not empty. */
static enum kymo_status open_map_file(const char *path, int descriptor, const void **data_out,
				      uint64_t *size_out, bool *is_alone_out,
				      struct problem *problem)
{
	struct stat info;
	enum kymo_status status = owner_stat_file(descriptor, path, &info, problem);
	void *data;

	if (status < 0)
		return status;
	if (info.st_size == 0)
		return problem_set(problem, KYMO_FORMAT, "'%s' is empty", path);
	data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, descriptor, 0);
	if (data == MAP_FAILED)
		return problem_set(problem, KYMO_SYSTEM, "cannot map '%s': %s", path,
				   strerror(errno));
	*data_out = data;
	*size_out = (uint64_t)info.st_size;
	*is_alone_out = owner_is_alone(&info);
	return KYMO_OK;
}

enum kymo_status recording_open(const char *path, struct recording **out, struct problem *problem)
{
	/* O_NONBLOCK: path may be a pipe without a writer. */
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	const void *data = NULL;
	uint64_t size = 0;
	bool is_alone = false;
	enum kymo_status status = open_map_file(path, descriptor, &data, &size, &is_alone, problem);

	if (descriptor >= 0)
		close(descriptor);
	if (status == KYMO_OK)
		status = open_data(path, data, size, true, out, problem);
	if (status == KYMO_OK)
		(*out)->is_own = is_alone;
	return status;
}

void recording_drop_pages(const struct recording *recording)
{
	if (recording->is_mapped)
		madvise((void *)(uintptr_t)recording->data, recording->size, MADV_DONTNEED);
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	recording_release_tables(recording);
	chunk_index_free(recording->chunks);
	lines_free(recording->problems, recording->problem_count);
	if (recording->is_mapped) {
		filehole_unwatch(recording->data);
		munmap((void *)(uintptr_t)recording->data, recording->size);
	}
	free(recording->path);
	free(recording);
}

const char *recording_note(const struct recording *recording, enum kymo_note_kind kind,
			   const char *key)
{
	for (size_t i = recording->note_count; i-- > 0;) {
		const struct note *note = &recording->notes[i];

		if (note->kind == kind && strcmp(note->key, key) == 0)
			return note->value;
	}
	return NULL;
}

bool recording_is_own(const struct recording *recording)
{
	return recording->is_own &&
	       !recording_note(recording, KYMO_NOTE_INFO, RECORDING_OTHERS_NOTE) &&
	       !recording_note(recording, KYMO_NOTE_INFO, "imported from");
}

static const char *first_info(const struct recording *recording, const char *key)
{
	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		if (note->kind == KYMO_NOTE_INFO && strcmp(note->key, key) == 0)
			return note->value;
	}
	return NULL;
}

static const char *name_of_command(const struct recording *recording)
{
	const char *arguments[ARGUMENTS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < recording->note_count && count < ARGUMENTS_MAX; i++) {
		const struct note *note = &recording->notes[i];

		if (note->kind == KYMO_NOTE_INFO && strcmp(note->key, "argument") == 0)
			arguments[count++] = note->value;
	}
	return command_name(arguments, count);
}

const char *recording_program(const struct recording *recording)
{
	static const char *const keys[] = {"program", "executable"};
	const char *script = first_info(recording, "script");
	const char *name = script && *path_base_name(script) ? path_base_name(script)
							     : name_of_command(recording);

	if (name && *name)
		return name;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *path = first_info(recording, keys[i]);

		if (path && *path_base_name(path))
			return path_base_name(path);
	}
	return "(unknown)";
}

uint64_t recording_event_words(const struct recording *recording)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, KYMO_CHUNK_EVENTS, &count);
	uint64_t words = 0;

	for (size_t i = 0; i < count; i++) {
		struct event_reader reader =
			event_reader_begin(recording->data + chunks[i].offset, chunks[i].bytes, 0);
		struct event_record record;

		while (event_reader_next(&reader, &record))
			;
		words += reader.next;
	}
	return words;
}

bool recording_has_trace(const struct recording *recording)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, KYMO_CHUNK_FUNCTION_EVENTS, &count);
	struct function_events_record record;

	for (size_t i = 0; i < count; i++) {
		struct function_events_reader reader = function_events_reader_begin(
			recording->data + chunks[i].offset, chunks[i].bytes, chunks[i].base,
			chunks[i].flags);

		if (recording->functions && function_events_next(&reader, &record))
			return true;
	}
	return recording_event_words(recording) > 0;
}

/* The index is a chunk's number and a record's in it, which avoids a search. */
bool recording_point(const struct recording *recording, uint64_t *index, struct kymo_point *out)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, KYMO_CHUNK_POINTS, &count);

	for (uint64_t i = *index >> 32; i < count; *index = ++i << 32) {
		uint64_t record = (uint32_t)*index;

		if (record >= chunks[i].bytes / chunks[i].record_size)
			continue;
		memcpy(out, recording->data + chunks[i].offset + record * chunks[i].record_size,
		       sizeof(*out));
		++*index;
		return true;
	}
	return false;
}
