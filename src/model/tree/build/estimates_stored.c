/* Errors of estimates, read from the chunks of a merged recording. */
#include "model/tree/build/estimates_stored.h"

#include "model/recording/chunks.h"

static bool stored_estimate_is_valid(const struct recording *recording,
				     const struct kymo_estimate *estimate)
{
	return estimate->thread < recording->thread_count && estimate->region > 0 &&
	       estimate->region < recording->region_count &&
	       (estimate->caller == KYMO_TOTAL_OF_REGION ||
		estimate->caller < recording->region_count);
}

bool estimates_stored_next(const struct recording *recording, struct chunk_position *position,
			   struct kymo_estimate *out)
{
	while (chunks_next_record(recording, KYMO_CHUNK_ESTIMATES, position, out, sizeof(*out)))
		if (stored_estimate_is_valid(recording, out))
			return true;
	return false;
}
