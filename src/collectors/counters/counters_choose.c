/* Counters are tried before they are selected. */
#include "collectors/counters/counters_choose.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "platform/papi.h"
#include "runtime/store/note.h"

#define NOTES_MAX     24u
#define SEPARATORS    " ,;\t\n"
#define ESTIMATE_TEXT " (an estimate if counters are multiplexed)"

struct counter counters[KYMO_COUNTERS_MAX];
unsigned counter_count;
bool counters_are_multiplexed;

static char notes[NOTES_MAX][256];
static unsigned note_count;

static const char *setting(const char *name)
{
	const char *value = kymo_runtime_setting(name);

	return value ? value : "";
}

void counters_note_loss(const char *name, const char *why)
{
	if (note_count < NOTES_MAX)
		snprintf(notes[note_count++], sizeof(notes[0]), "%s is not counted: %s", name, why);
}

void counters_notes_write(void)
{
	for (unsigned i = 0; i < note_count; i++)
		kymo_note_add(KYMO_NOTE_LOSS, "counters", notes[i]);
	note_count = 0;
}

/* "" or the reason why the kernel does not count it. */
static const char *try_kernel(const struct perfevent *event, char *buffer, size_t size)
{
	int fd = perfevent_open(event, 0, -1, false);

	if (fd < 0)
		return perfevent_reason(errno, buffer, size);
	close(fd);
	return "";
}

static const char *try_papi(const char *name)
{
	struct papi_failure failure;
	const char *why;
	int set;

	if (!papi_load(&why))
		return why;
	if (!papi_knows(name))
		return "it is unknown to PAPI; see 'kymo avail -H'";
	set = papi_start(&name, 1, false, &failure);
	if (set < 0)
		return failure.why;
	papi_stop(set);
	return "";
}

static void choose_add(const char *name, const struct perfevent *event)
{
	struct counter *counter = &counters[counter_count++];

	if (snprintf(counter->name, sizeof(counter->name), "%s%s", name[0] == ':' ? "perf" : "",
		     name) >= (int)sizeof(counter->name))
		counter_count--; /* no event has such a long name */
	snprintf(counter->text, sizeof(counter->text), "%s%s",
		 event ? event->text : "Counted by PAPI",
		 counters_are_multiplexed ? ESTIMATE_TEXT : "");
	counter->event = event;
}

static void counters_counters_choose(const char *name, const char *engine)
{
	const struct perfevent *event = strcmp(engine, "papi") ? perfevent_find(name) : NULL;
	char buffer[64];
	const char *why = event ? try_kernel(event, buffer, sizeof(buffer))
			  : strcmp(engine, "perf")
				  ? try_papi(name)
				  : "it is unknown to the kernel; see 'kymo avail -H'";

	if (counter_count == KYMO_COUNTERS_MAX)
		why = "there are too many";
	if (*why)
		counters_note_loss(name, why);
	else
		choose_add(name, event);
}

void counters_choose(void)
{
	const char *at = setting("PAPI_EVENTS"), *engine = setting("PAPI_ENGINE");
	char name[COUNTER_NAME];

	counters_are_multiplexed = !strcmp(setting("PAPI_MULTIPLEXING"), "ON");
	for (size_t length; *(at += strspn(at, SEPARATORS)); at += length) {
		length = strcspn(at, SEPARATORS);
		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		counters_counters_choose(name, engine);
	}
}
