/* The chunks of a recording, found by walking it. Chunks are aligned, so that the walk can
 * resynchronize after a damaged one; the index is sorted by type so that every table is one
 * contiguous range. */
#include "model/recording/chunks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/partitionpoint.h"

#define TYPE_COUNT   KYMO_CHUNK_TYPES
#define PROBLEMS_MAX 50

struct chunk_index {
	struct chunk *items; /* by type, see chunk_compare() */
	size_t count, capacity;
	size_t first[TYPE_COUNT + 1]; /* of type t: [first[t], first[t + 1]) */
};

void recording_add_problem(struct recording *recording, const char *format, ...)
{
	struct problem line;
	va_list arguments;

	/* A garbage file must not fill memory with error messages. */
	if (recording->problem_count > PROBLEMS_MAX)
		return;
	va_start(arguments, format);
	if (vsnprintf(line.text, sizeof(line.text), format, arguments) < 0)
		line.text[0] = '\0';
	va_end(arguments);
	lines_add(&recording->problems, &recording->problem_count, "%s",
		  recording->problem_count < PROBLEMS_MAX ? line.text
							  : "further problems are not listed");
}

static bool is_chunk(const struct kymo_chunk *chunk)
{
	return chunk->magic == KYMO_CHUNK_MAGIC && chunk->size >= KYMO_CHUNK_ALIGN &&
	       chunk->size % KYMO_CHUNK_ALIGN == 0;
}

static bool chunks_read_header(const struct recording *recording, uint64_t offset, uint64_t limit,
			       struct kymo_chunk *out)
{
	if (offset > limit || limit - offset < sizeof(*out))
		return false;
	memcpy(out, recording->data + offset, sizeof(*out));
	return true;
}

/* Offset of the next valid chunk after offset, or limit. */
static uint64_t next_chunk(const struct recording *recording, uint64_t offset, uint64_t limit)
{
	struct kymo_chunk chunk;

	do {
		offset += KYMO_CHUNK_ALIGN;
		if (!chunks_read_header(recording, offset, limit, &chunk))
			return limit;
	} while (!is_chunk(&chunk) || chunk.size > limit - offset);
	return offset;
}

/* The records of a chunk must be at least as long as this version's. */
static uint32_t least_record_size(const struct recording *recording, uint16_t type)
{
	switch (type) {
	case KYMO_CHUNK_REGIONS:
		return sizeof(struct kymo_region);
	case KYMO_CHUNK_THREADS:
		return sizeof(struct kymo_thread_record);
	case KYMO_CHUNK_NODES:
		return KYMO_NODE_UNIT * (1 + recording->header.metric_count);
	case KYMO_CHUNK_SERIES:
		return sizeof(struct kymo_series);
	case KYMO_CHUNK_POINTS:
		return sizeof(struct kymo_point);
	case KYMO_CHUNK_MODULES:
		return sizeof(struct kymo_module);
	case KYMO_CHUNK_CODES:
		return sizeof(struct kymo_code);
	case KYMO_CHUNK_STACKS:
		return sizeof(struct kymo_stack_node);
	case KYMO_CHUNK_PARTS:
		return KYMO_PART_LEAST;
	case KYMO_CHUNK_COUNTDOWNS:
		return sizeof(uint32_t);
	case KYMO_CHUNK_TIMED:
		return sizeof(struct kymo_timed);
	case KYMO_CHUNK_CALLERS:
		return sizeof(struct kymo_timed_caller);
	case KYMO_CHUNK_THROTTLED:
		return sizeof(struct kymo_throttled);
	default:
		return 0;
	}
}

static bool has_valid_records(const struct recording *recording, const struct kymo_chunk *chunk)
{
	uint32_t least = least_record_size(recording, chunk->type);
	uint32_t unit = chunk->type == KYMO_CHUNK_NODES	       ? KYMO_NODE_UNIT
			: chunk->type == KYMO_CHUNK_COUNTDOWNS ? sizeof(uint32_t)
							       : sizeof(uint64_t);

	return !least || (chunk->record_size >= least && chunk->record_size % unit == 0);
}

/* Written by trampolines and their collector. */
static bool is_of_calls(uint16_t type)
{
	return (type >= KYMO_CHUNK_FUNCTION_EVENTS && type <= KYMO_CHUNK_CALLERS) ||
	       type == KYMO_CHUNK_THROTTLED;
}

/* Chunks whose writer does not update the used size: zeros end them, or are no record. */
static bool ends_itself(uint16_t type)
{
	return type == KYMO_CHUNK_EVENTS || is_of_calls(type);
}

static enum kymo_status index_add(struct recording *recording, struct chunk_index *index,
				  const struct kymo_chunk *header, uint64_t offset, uint64_t size)
{
	uint64_t available = size - sizeof(*header);
	struct chunk *items;

	if (header->type == 0 || header->type >= TYPE_COUNT)
		return KYMO_OK;
	if (!has_valid_records(recording, header)) {
		recording_add_problem(recording,
				      "chunk at byte %" PRIu64 ": records of %u bytes; left out",
				      offset, header->record_size);
		return KYMO_OK;
	}
	if (header->used > available && size == header->size)
		recording_add_problem(
			recording, "chunk at byte %" PRIu64 ": %" PRIu64 " bytes used of %" PRIu64,
			offset, header->used, available);
	items = array_grow(index->items, &index->capacity, index->count + 1, sizeof(*items));
	if (!items)
		return KYMO_MEMORY;
	index->items = items;
	items[index->count++] = (struct chunk){
		.type = header->type,
		.flags = header->flags,
		.thread = header->thread,
		.record_size = header->record_size,
		.offset = offset + sizeof(*header),
		.bytes = header->used < available ? header->used : available,
		.base = header->base,
		.sequence = header->sequence,
	};
	if (ends_itself(header->type) && header->used == 0)
		items[index->count - 1].bytes = available;
	return KYMO_OK;
}

/* Index the chunk at offset or report why not; returns the offset to continue at. */
static uint64_t walk_step(struct recording *recording, struct chunk_index *index,
			  const struct kymo_chunk *chunk, uint64_t offset, uint64_t limit,
			  enum kymo_status *status)
{
	bool is_cut = recording->header.end > limit;

	if (is_chunk(chunk) && chunk->size <= limit - offset) {
		*status = index_add(recording, index, chunk, offset, chunk->size);
		return offset + chunk->size;
	}
	if (is_chunk(chunk) && is_cut) {
		recording_add_problem(recording, "chunk at byte %" PRIu64 " is cut off", offset);
		*status = index_add(recording, index, chunk, offset, limit - offset);
		return limit;
	}
	limit = next_chunk(recording, offset, limit);
	recording_add_problem(recording,
			      "no chunk at byte %" PRIu64 "; passed over %" PRIu64 " bytes", offset,
			      limit - offset);
	return limit;
}

/* Types that continue from chunk to chunk of one thread. */
static bool is_by_thread(uint16_t type)
{
	return type == KYMO_CHUNK_EVENTS || type == KYMO_CHUNK_STACKS ||
	       type == KYMO_CHUNK_SAMPLES || is_of_calls(type);
}

/* By type; types by thread by that and sequence; then by offset in the file. */
static int chunk_compare(const void *left, const void *right)
{
	const struct chunk *a = left, *b = right;

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (is_by_thread(a->type) && a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (is_by_thread(a->type) && a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	return a->offset < b->offset ? -1 : 1;
}

static void index_finish(struct chunk_index *index)
{
	size_t at = 0;

	if (index->count > 1)
		qsort(index->items, index->count, sizeof(*index->items), chunk_compare);
	for (unsigned type = 0; type <= TYPE_COUNT; type++) {
		while (at < index->count && index->items[at].type < type)
			at++;
		index->first[type] = at;
	}
}

enum kymo_status chunk_index_new(struct recording *recording, struct chunk_index **out)
{
	uint64_t end = recording->header.end;
	uint64_t limit = end < recording->size ? end : recording->size;
	uint64_t offset = recording->header.header_size;
	struct chunk_index *index = calloc(1, sizeof(*index));
	enum kymo_status status = KYMO_OK;
	struct kymo_chunk chunk;

	if (!index)
		return KYMO_MEMORY;
	/* Even without any chunk the array must exist. */
	index->items = array_grow(NULL, &index->capacity, 1, sizeof(*index->items));
	if (!index->items)
		status = KYMO_MEMORY;
	while (status == KYMO_OK && chunks_read_header(recording, offset, limit, &chunk))
		offset = walk_step(recording, index, &chunk, offset, limit, &status);
	if (status != KYMO_OK) {
		chunk_index_free(index);
		return status;
	}
	index_finish(index);
	*out = index;
	return KYMO_OK;
}

void chunk_index_free(struct chunk_index *index)
{
	if (index)
		free(index->items);
	free(index);
}

const struct chunk *chunks_of(const struct recording *recording, enum kymo_chunk_type type,
			      size_t *count_out)
{
	const struct chunk_index *index = recording->chunks;

	*count_out = index->first[type + 1] - index->first[type];
	return &index->items[index->first[type]];
}

/* The first of count sorted chunks that is not before thread. */
static size_t first_of_thread(const struct chunk *chunks, size_t count, uint64_t thread)
{
	return partition_point(count, i, chunks[i].thread < thread);
}

const struct chunk *chunks_of_thread(const struct recording *recording, enum kymo_chunk_type type,
				     uint32_t thread, size_t *count_out)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, type, &count);
	size_t first = first_of_thread(chunks, count, thread);

	*count_out = first_of_thread(chunks, count, (uint64_t)thread + 1) - first;
	return &chunks[first];
}

const struct chunk *chunk_holding(const struct recording *recording, enum kymo_chunk_type type,
				  uint64_t offset)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, type, &count);
	size_t low = partition_point(count, i, chunks[i].offset <= offset);

	if (low == 0 || offset - chunks[low - 1].offset >= chunks[low - 1].bytes)
		return NULL;
	return &chunks[low - 1];
}

bool chunks_next_record(const struct recording *recording, enum kymo_chunk_type type,
			struct chunk_position *position, void *to, size_t size)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, type, &count);

	for (; position->chunk < count; position->chunk++, position->offset = 0) {
		const struct chunk *chunk = &chunks[position->chunk];

		if (chunk->record_size < size ||
		    chunk->bytes - position->offset < chunk->record_size)
			continue;
		memcpy(to, recording->data + chunk->offset + position->offset, size);
		position->offset += chunk->record_size;
		return true;
	}
	return false;
}

void chunk_drop_pages(const struct recording *recording, const struct chunk *chunk)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)recording->data + chunk->offset;
	uintptr_t end = start + chunk->bytes;

	/* Private memory would lose its content. */
	if (!recording->is_mapped)
		return;
	start -= start % page;
	madvise((void *)start, end - start, MADV_DONTNEED);
}
