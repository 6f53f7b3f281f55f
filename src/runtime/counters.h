/* Per-thread counters, as metrics on call paths: a collector provides them, and the runtime reads
 * them whenever a region is entered or left. */
#ifndef KYMO_COUNTERS_H
#define KYMO_COUNTERS_H

#include "runtime/runtime.h"

#define KYMO_COUNTERS_MAX 16u

struct kymo_counter_name {
	const char *name, *unit, *description;
};

struct kymo_counters {
	/* The settings are read, the recording is about to be made: what is to be counted.  The
	 * number of rows in *names_out, at most KYMO_COUNTERS_MAX.  Context: init. */
	unsigned (*begin)(const struct kymo_counter_name **names_out);
	/* Where the counters of the calling thread stand; what cannot be read is 0.  The first
	 * call of a thread begins its counting.  Context: hook. */
	void (*read)(uint64_t *values);
	/* The calling thread ends.  Context: thread. */
	void (*end)(void);
	/* In a forked child: what was opened before counts the parent.  Context: thread. */
	void (*forked)(void);
	/* The recording is about to be closed: the last notes.  Context: thread. */
	void (*close)(void);
};

/* One, before the runtime is opened: false when it is too late.  Kept, not copied.
 * Context: init. */
KYMO_EXPORT bool kymo_counters_provide(const struct kymo_counters *counters);

/* Append the counters to count metrics; the new number.  Context: init. */
uint32_t counters_select(uint32_t *metrics, uint32_t count);
/* Say in the recording what they are.  The lock is held. */
void counters_note(void);
bool counters_are_on(void);
void counters_read(uint64_t values[KYMO_COUNTERS_MAX]);
void counters_end_thread(void);
void counters_forked(void);
void counters_close(void);

#endif
