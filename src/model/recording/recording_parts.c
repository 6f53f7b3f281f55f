/* The threads that were merged into a recording, and their shares of each region. */
#include "model/recording/recording_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/sample_encode.h"
#include "model/recording/chunks.h"
#include "model/recording/recording_table.h"

static void part_load(struct recording *recording, uint32_t id, const void *record, unsigned *bad)
{
	struct recording_part *part = &recording->parts[id];
	struct kymo_part source;

	memcpy(&source, record, KYMO_PART_LEAST);
	*part = (struct recording_part){
		.run = recording_text(recording, source.run, bad),
		.program = recording_text(recording, source.program, bad),
		.host = recording_text(recording, source.host, bad),
		.thread_name = recording_text(recording, source.thread_name, bad),
		.pid = source.pid,
		.thread = source.thread,
		.rank = source.rank < 0 ? -1 : source.rank,
		.start_realtime_ns = source.start_realtime_ns,
		.duration_ns = source.duration_ns,
		.cpu_ns = source.cpu_ns,
	};
	memcpy(part->run_id, source.run_id, sizeof(part->run_id));
}

/* Fields of later versions: only if all of them are there. */
static void rest_load(struct recording_part *part, const unsigned char *record)
{
	struct kymo_part source;

	memcpy(&source, record, sizeof(source));
	if (!(source.flags & KYMO_PART_COMPLETE))
		return;
	part->is_complete = true;
	part->is_idle = source.flags & KYMO_PART_IDLE;
	part->outside_ns = source.outside_ns;
	part->measuring_ns = source.measuring_ns;
	part->process_ns = source.process_ns;
}

static void load_rests(struct recording *recording)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, KYMO_CHUNK_PARTS, &count);

	for (size_t i = 0; i < count; i++) {
		const unsigned char *record = recording->data + chunks[i].offset;
		uint32_t size = chunks[i].record_size;
		uint64_t number = chunks[i].base;

		for (uint64_t left = chunks[i].bytes / size;
		     size >= sizeof(struct kymo_part) && left > 0 && number < recording->part_count;
		     left--, number++, record += size)
			rest_load(&recording->parts[number], record);
	}
}

enum kymo_status recording_load_parts(struct recording *recording)
{
	uint32_t length = recording_table_length(recording, KYMO_CHUNK_PARTS);

	recording->parts = calloc(length ? length : 1, sizeof(*recording->parts));
	if (!recording->parts)
		return KYMO_MEMORY;
	for (uint32_t i = 0; i < length; i++)
		recording->parts[i].rank = -1;
	recording->part_count = length;
	recording_table_load(recording, KYMO_CHUNK_PARTS, length, part_load);
	load_rests(recording);
	return KYMO_OK;
}

/* Decode a record at *at and advance the stream; false: there is none. */
static bool share_decode(const unsigned char **at, const unsigned char *end,
			 struct share_stream *stream, struct recording_share *out)
{
	uint64_t head, step = 0, part = stream->part, region, rest;

	if (!sample_take_number(at, end, &head) ||
	    ((head & 1) && !sample_take_number(at, end, &step)) ||
	    !sample_take_number(at, end, &out->count) ||
	    !sample_take_number(at, end, &out->self_ns) || !sample_take_number(at, end, &rest))
		return false;
	region = (head & 1 ? 0 : stream->region) + (head >> 1);
	if (step > UINT32_MAX - part || region > UINT32_MAX ||
	    __builtin_add_overflow(out->self_ns, rest, &out->total_ns))
		return false;
	stream->part = out->part = (uint32_t)(part + step);
	stream->region = out->region = (uint32_t)region;
	return true;
}

static void parts_chunk_begin(const struct chunk *chunk, struct share_stream *stream)
{
	if (stream->offset > 0)
		return;
	stream->part = chunk->base < UINT32_MAX ? (uint32_t)chunk->base : UINT32_MAX;
	stream->region = 0;
}

/* After a damaged record the rest of its chunk is left out. */
static bool share_next(const struct recording *recording, enum kymo_chunk_type type,
		       struct share_stream *stream, struct recording_share *out)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, type, &count);

	while (stream->chunk < count) {
		const struct chunk *chunk = &chunks[stream->chunk];
		const unsigned char *begin = recording->data + chunk->offset;
		const unsigned char *at = begin + stream->offset;

		parts_chunk_begin(chunk, stream);
		while (share_decode(&at, begin + chunk->bytes, stream, out)) {
			stream->offset = (uint64_t)(at - begin);
			if (out->part < recording->part_count && out->region > 0 &&
			    out->region < recording->region_count)
				return true;
		}
		stream->chunk++;
		stream->offset = 0;
	}
	return false;
}

static bool parts_is_before(const struct recording_share *a, const struct recording_share *b)
{
	return a->part != b->part ? a->part < b->part : a->region < b->region;
}

static void next_work(const struct recording *recording, struct share_position *position)
{
	position->has_work =
		share_next(recording, KYMO_CHUNK_WORK, &position->work, &position->next_work);
}

/* Both kinds of records are in the same order, so that shares and their work are read in
 * parallel. */
bool recording_share(const struct recording *recording, struct share_position *position,
		     struct recording_share *out)
{
	const struct recording_share *work = &position->next_work;

	if (!share_next(recording, KYMO_CHUNK_SHARES, &position->shares, out))
		return false;
	if (!position->is_begun)
		next_work(recording, position);
	position->is_begun = true;
	while (position->has_work && parts_is_before(work, out))
		next_work(recording, position);
	out->work_ns = out->self_ns;
	out->work_total_ns = out->total_ns;
	if (position->has_work && !parts_is_before(out, work)) {
		out->work_ns = work->self_ns;
		out->work_total_ns = work->total_ns;
	}
	return true;
}
