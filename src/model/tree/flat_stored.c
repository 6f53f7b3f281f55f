/* Sums that a recording was made with, read from its chunks. */
#include "model/tree/flat_stored.h"

#include "model/recording/chunks.h"

static bool stored_total_is_selected(const struct recording *recording, const bool *threads,
				     const struct kymo_total *total)
{
	bool has_caller = total->caller != KYMO_TOTAL_OF_REGION;

	return total->primitive_count <= total->count && total->thread < recording->thread_count &&
	       total->region > 0 && total->region < recording->region_count &&
	       (!has_caller || total->caller < recording->region_count) &&
	       (!threads || threads[total->thread]);
}

bool flat_stored_next(const struct recording *recording, const bool *threads,
		      struct chunk_position *position, struct kymo_total *out)
{
	while (chunks_next_record(recording, KYMO_CHUNK_TOTALS, position, out, sizeof(*out)))
		if (stored_total_is_selected(recording, threads, out))
			return true;
	return false;
}
