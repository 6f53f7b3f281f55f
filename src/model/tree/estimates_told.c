/* Errors of estimates, read from the chunks of a merged recording. */
#include "model/tree/estimates_told.h"

#include <string.h>

#include "model/recording/chunks.h"

static bool is_possible(const struct recording *recording, const struct kymo_estimate *estimate)
{
	return estimate->thread < recording->thread_count && estimate->region > 0 &&
	       estimate->region < recording->region_count &&
	       (estimate->caller == KYMO_TOTAL_OF_REGION ||
		estimate->caller < recording->region_count);
}

bool estimates_told_next(const struct recording *recording, struct told_position *position,
			 struct kymo_estimate *out)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, KYMO_CHUNK_ESTIMATES, &count);

	for (; position->chunk < count; position->chunk++, position->offset = 0) {
		const struct chunk *chunk = &chunks[position->chunk];
		uint64_t size = chunk->record_size;

		while (size >= sizeof(*out) && chunk->bytes - position->offset >= size) {
			memcpy(out, recording->data + chunk->offset + position->offset,
			       sizeof(*out));
			position->offset += size;
			if (is_possible(recording, out))
				return true;
		}
	}
	return false;
}
