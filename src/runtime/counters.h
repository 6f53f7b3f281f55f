/* Per-thread counters, as metrics on call paths: a collector provides them, and the runtime
 * reads them whenever a region is entered or left. */
#ifndef KYMO_COUNTERS_H
#define KYMO_COUNTERS_H

#include "runtime/runtime.h"

#define KYMO_COUNTERS_MAX 16u

struct kymo_counter_name {
	const char *name, *unit, *description;
};

struct kymo_counters {
	/* The settings are read, the recording is about to be made: select what to count.
	 * Returns the number of rows in *names_out, at most KYMO_COUNTERS_MAX.  Context: init. */
	unsigned (*begin)(const struct kymo_counter_name **names_out);
	/* Values of the calling thread's counters; one that cannot be read is 0.  The first call
	 * of a thread starts its counting.  Context: hook. */
	void (*read)(uint64_t *values);
	/* The calling thread ends.  Context: thread. */
	void (*end)(void);
	/* In a forked child: descriptors opened before count the parent.  Context: thread. */
	void (*forked)(void);
	/* The recording is about to be closed: write the last notes.  Context: thread. */
	void (*close)(void);
};

/* At most one, before the runtime is opened: false if it is too late.  Kept, not copied.
 * Context: init. */
KYMO_EXPORT bool kymo_counters_provide(const struct kymo_counters *counters);

/* Append the counters to count metrics; returns the new number.  Context: init. */
uint32_t counters_select(uint32_t *metrics, uint32_t count);
/* Describe them in the recording.  The lock is held. */
void counters_note(void);
bool counters_are_on(void);
void counters_read(uint64_t values[KYMO_COUNTERS_MAX]);
void counters_end_thread(void);
void counters_forked(void);
void counters_close(void);

#endif
