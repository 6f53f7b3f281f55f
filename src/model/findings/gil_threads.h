/* How long every thread held Python's GIL, and how long it waited for it: exact if the calls that
 * take and drop it were recorded (series of the collector), else estimated from samples.
 *
 * Borrows the run. */
#ifndef KYMO_GIL_THREADS_H
#define KYMO_GIL_THREADS_H

#include "model/profile/loaded_run.h"

enum gil_number { GIL_HELD, GIL_WAITED, GIL_TAKEN, GIL_CHANGES, GIL_NUMBERS };

struct gil_thread {
	const struct recording *recording;
	uint32_t thread;
	double numbers[GIL_NUMBERS]; /* seconds, counts; NAN = not known */
};

struct gil_threads {
	struct gil_thread *threads; /* by process and number; those that held it or waited */
	size_t count, capacity;
	bool has_failed; /* out of memory */
};

/* false = out of memory; must be released in either case. */
bool gil_threads_init(struct gil_threads *list, const struct loaded_run *loaded);
void gil_threads_release(struct gil_threads *list);

double gil_thread_lifetime_s(const struct gil_thread *thread);

#endif
