/* Sums that a recording was made with, read from its chunks. */
#include "model/tree/flat_told.h"

#include <string.h>

#include "model/recording/chunks.h"

static bool is_wanted(const struct recording *recording, const bool *threads,
		      const struct kymo_total *total)
{
	bool has_caller = total->caller != KYMO_TOTAL_OF_REGION;

	return total->primitive_count <= total->count && total->thread < recording->thread_count &&
	       total->region > 0 && total->region < recording->region_count &&
	       (!has_caller || total->caller < recording->region_count) &&
	       (!threads || threads[total->thread]);
}

bool flat_told_next(const struct recording *recording, const bool *threads,
		    struct told_position *position, struct kymo_total *out)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, KYMO_CHUNK_TOTALS, &count);

	for (; position->chunk < count; position->chunk++, position->offset = 0) {
		const struct chunk *chunk = &chunks[position->chunk];
		uint64_t size = chunk->record_size;

		while (size >= sizeof(*out) && chunk->bytes - position->offset >= size) {
			memcpy(out, recording->data + chunk->offset + position->offset,
			       sizeof(*out));
			position->offset += size;
			if (is_wanted(recording, threads, out))
				return true;
		}
	}
	return false;
}
