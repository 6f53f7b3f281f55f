/* Notes of an import. */
#include "import/imported_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/secret.h"

#define COMMAND_MAX 8192

static const char *const count_sentences[COUNT_KINDS] = {
	[COUNT_CUT_NAMES] = "names longer than 16384 bytes were cut",
	[COUNT_DEEP_FRAMES] =
		"frames deeper than 16384 were left out; their time is their callers'",
	[COUNT_BAD_TIMES] = "events without a valid time were left out",
	[COUNT_BAD_WEIGHTS] = "negative or invalid weights were left out",
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

void imported_put_counts(const struct imported *imported, struct recording_writer *maker)
{
	char text[160];

	for (unsigned int i = 0; i < COUNT_KINDS; i++) {
		if (!imported->counts[i])
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 " %s", imported->counts[i],
			 count_sentences[i]);
		recording_writer_note(maker, KYMO_NOTE_WARNING, "import", text);
	}
}

/* Split at blanks, since quotes are not preserved. */
void imported_note_command(struct imported *imported, struct span line)
{
	char copy[COMMAND_MAX], masked[COMMAND_MAX], text[COMMAND_MAX] = "";
	const char *argv[COMMAND_MAX / 2] = {NULL};
	size_t count = 0, used = 0;
	char *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%.*s", (int)line.size, line.at);
	while ((word = strsep(&rest, " ")))
		if (count + 1 < COMMAND_MAX / 2)
			argv[count++] = word;
	for (size_t i = 0; i < count && used < sizeof(text); i++) {
		secret_mask_argument(argv, i, masked, sizeof(masked));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 masked);
	}
	imported_note(imported, KYMO_NOTE_INFO, "command", (struct span){text, strlen(text)});
}

void imported_note_unit(struct imported *imported, const char *unit)
{
	char text[256];

	imported_note(imported, KYMO_NOTE_INFO, "unit", (struct span){unit, strlen(unit)});
	snprintf(text, sizeof(text),
		 "the file has no times: what is shown as a nanosecond is one of '%.100s'", unit);
	imported_note(imported, KYMO_NOTE_WARNING, "unit", (struct span){text, strlen(text)});
}
