/* Who was merged into a recording, and with how much in each region. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/sample_encode.h"
#include "model/recording/chunks.h"
#include "model/recording/recording_tables.h"

static void part_load(struct recording *recording, uint32_t id, const void *record, unsigned *bad)
{
	struct recording_part *part = &recording->parts[id];
	struct kymo_part source;

	memcpy(&source, record, sizeof(source));
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
	return KYMO_OK;
}

/* Take a record from *at and follow it in position; false: there is none. */
static bool share_decode(const unsigned char **at, const unsigned char *end,
			 struct share_position *position, struct recording_share *out)
{
	uint64_t head, step = 0, part = position->part, region, rest;

	if (!sample_take_number(at, end, &head) ||
	    ((head & 1) && !sample_take_number(at, end, &step)) ||
	    !sample_take_number(at, end, &out->count) ||
	    !sample_take_number(at, end, &out->self_ns) || !sample_take_number(at, end, &rest))
		return false;
	region = (head & 1 ? 0 : position->region) + (head >> 1);
	if (step > UINT32_MAX - part || region > UINT32_MAX ||
	    __builtin_add_overflow(out->self_ns, rest, &out->total_ns))
		return false;
	position->part = out->part = (uint32_t)(part + step);
	position->region = out->region = (uint32_t)region;
	return true;
}

static void chunk_begin(const struct chunk *chunk, struct share_position *position)
{
	if (position->offset > 0)
		return;
	position->part = chunk->base < UINT32_MAX ? (uint32_t)chunk->base : UINT32_MAX;
	position->region = 0;
}

/* Behind a record that is damaged, the rest of its chunk is left out. */
bool recording_share(const struct recording *recording, struct share_position *position,
		     struct recording_share *out)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, KYMO_CHUNK_SHARES, &count);

	while (position->chunk < count) {
		const struct chunk *chunk = &chunks[position->chunk];
		const unsigned char *begin = recording->data + chunk->offset;
		const unsigned char *at = begin + position->offset;

		chunk_begin(chunk, position);
		while (share_decode(&at, begin + chunk->bytes, position, out)) {
			position->offset = (uint64_t)(at - begin);
			if (out->part < recording->part_count && out->region > 0 &&
			    out->region < recording->region_count)
				return true;
		}
		position->chunk++;
		position->offset = 0;
	}
	return false;
}
