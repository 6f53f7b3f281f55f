/* Counters as metrics of call paths: libkymo-counters.so registers them with the runtime before
 * it makes the recording.  Serves counters.h. */
#include "runtime/counters.h"

#include <stdio.h>

#include "collectors/counters/counters_choose.h"
#include "collectors/counters/counters_set.h"
#include "runtime/store/note.h"

static struct kymo_counter_name names[KYMO_COUNTERS_MAX];

static unsigned counters_counting_begin(const struct kymo_counter_name **names_out)
{
	counters_choose();
	for (unsigned i = 0; i < counter_count; i++)
		names[i] = (struct kymo_counter_name){counters[i].name, "", counters[i].text};
	*names_out = names;
	return counter_count;
}

static void close_notes(void)
{
	double percent = counters_running_percent();
	char line[128];

	counters_notes_write();
	if (percent >= 100)
		return;
	snprintf(line, sizeof(line),
		 "counters were multiplexed and counted %.0f %% of the time: the values are "
		 "estimates",
		 percent);
	kymo_note_add(KYMO_NOTE_WARNING, "counters", line);
}

static const struct kymo_counters provider = {counters_counting_begin, counters_set_read,
					      counters_set_end, counters_set_forked, close_notes};

__attribute__((constructor)) static void provide(void)
{
	if (!kymo_counters_provide(&provider))
		counters_note_loss("PAPI_EVENTS", "the recording had begun before");
	kymo_runtime_on_open(counters_notes_write);
}
