/* Notes of an import. */
#include "import/imported_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const count_sentences[COUNT_KINDS] = {
	[COUNT_CUT_NAMES] = "names longer than 16384 bytes were cut",
	[COUNT_DEEP_FRAMES] =
		"frames deeper than 16384 were left out; their time is their callers'",
	[COUNT_BAD_TIMES] = "events without a time, or with one that cannot be, were left out",
	[COUNT_BAD_WEIGHTS] = "weights that are negative or no numbers were left out",
	[COUNT_LATE_EVENTS] =
		"events were earlier than the event before; they count as of its time",
	[COUNT_UNMATCHED_ENDS] = "ends without a beginning were left out",
	[COUNT_UNENDED] =
		"regions did not end; they were ended with the last event of their thread",
	[COUNT_OVERLAPS] = "slices that ended after the one around them were cut there",
	[COUNT_FLOWS] = "flow events were left out",
	[COUNT_OTHER_EVENTS] = "events of kinds that have no counterpart were left out",
	[COUNT_LANES] = "asynchronous operations were left out: too many at the same time",
	[COUNT_FRACTIONS] = "weights are fractions of a unit; sums of functions are rounded",
};

void imported_put_counts(const struct imported *imported, struct recording_maker *maker)
{
	char text[160];

	for (unsigned int i = 0; i < COUNT_KINDS; i++) {
		if (!imported->counts[i])
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 " %s", imported->counts[i],
			 count_sentences[i]);
		recording_maker_note(maker, KYMO_NOTE_WARNING, "import", text);
	}
}

void imported_note_unit(struct imported *imported, const char *unit)
{
	char text[256];

	imported_note(imported, KYMO_NOTE_INFO, "unit", (struct span){unit, strlen(unit)});
	snprintf(text, sizeof(text),
		 "the file has no times: what is shown as a nanosecond is one of '%.100s'", unit);
	imported_note(imported, KYMO_NOTE_WARNING, "unit", (struct span){text, strlen(text)});
}
