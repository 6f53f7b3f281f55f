/* Which of a recording's times are estimates, by who recorded them. */
#include "model/functions/estimates_text.h"

#include "model/functions/functions.h"
#include "model/recording/chunks.h"
#include "model/recording/recording_open.h"

bool estimates_have_positions(const struct recording *recording)
{
	return recording_note(recording, KYMO_NOTE_INFO, KYMO_POSITIONS_NOTE) ||
	       recording_note(recording, KYMO_NOTE_VARIES, KYMO_POSITIONS_NOTE);
}

const char *estimates_text(const struct recording *recording)
{
	bool has_positions = estimates_have_positions(recording);
	size_t merged;

	chunks_of(recording, KYMO_CHUNK_ESTIMATES, &merged);
	if (recording->functions && recording->functions->has_counts)
		has_positions = false;
	else if (!merged && !has_positions)
		return NULL;
	if (has_positions)
		return "how often each region was entered is exact; times are estimates from where "
		       "the threads were seen";
	return "how often a counted function was called is exact; its times, and how many of its "
	       "calls a caller or a path made, are estimates from those that were timed";
}
