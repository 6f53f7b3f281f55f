/* Which counters there are, as the settings choose them, and who counts each: the kernel where it
 * does by itself, PAPI the others.  Hidden in libkymo-counters.so; written once.  Context: init. */
#ifndef KYMO_COUNTERS_CHOOSE_H
#define KYMO_COUNTERS_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/perfevents.h"
#include "runtime/counters.h"

#define COUNTER_NAME 64

struct counter { /* one that was chosen; its index is that of its value */
	char name[COUNTER_NAME];
	char text[128];
	const struct perfevent *event; /* NULL = PAPI counts it */
};

extern struct counter counters[KYMO_COUNTERS_MAX];
extern unsigned counter_count;
extern bool counters_take_turns; /* PAPI_MULTIPLEXING */

/* From the settings; those that cannot be counted are noted and left out. */
void counters_choose(void);
/* Notes made before the recording is there, to be written when it is. */
void counters_notes_write(void);
void counters_note_loss(const char *name, const char *why);

#endif
