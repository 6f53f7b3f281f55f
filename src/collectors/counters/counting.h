/* Hardware and software counters of threads: what the parts of libkymo-counters.so share. */
#ifndef KYMO_COUNTING_H
#define KYMO_COUNTING_H

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

/* counters_choose.c: from the settings; those that cannot be counted are noted and left out. */
void counters_choose(void);
/* Notes made before the recording is there, to be written when it is. */
void counters_notes_write(void);
void counters_note_loss(const char *name, const char *why);

/* counters_set.c: the calling thread's. */
void counters_set_read(uint64_t *values);
void counters_set_end(void);
void counters_set_forked(void);
/* Share of the time in which counters counted that had to take turns, in percent; 100 = all. */
double counters_running_percent(void);

#endif
