/* The selected counters, from the settings, and what counts each: the kernel if it can,
 * otherwise PAPI.  Hidden in libkymo-counters.so; written once.  Context: init. */
#ifndef KYMO_COUNTERS_CHOOSE_H
#define KYMO_COUNTERS_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/perfevents.h"
#include "runtime/counters.h"

#define COUNTER_NAME 64

struct counter { /* a selected one; its index is that of its value */
	char name[COUNTER_NAME];
	char text[128];
	const struct perfevent *event; /* NULL = PAPI counts it */
};

extern struct counter counters[KYMO_COUNTERS_MAX];
extern unsigned counter_count;
extern bool counters_are_multiplexed; /* PAPI_MULTIPLEXING */

/* From the settings; those that cannot be counted are noted and dropped. */
void counters_choose(void);
/* Write the notes made before the recording was open. */
void counters_notes_write(void);
void counters_note_loss(const char *name, const char *why);

#endif
