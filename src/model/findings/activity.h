/* What each thread of a run did with its time: compute in Python or native code, wait, or run
 * outside of recorded regions.
 *
 * Of sampled processes by the samples, of others by the self time of the calls.  Borrows the
 * run. */
#ifndef KYMO_ACTIVITY_H
#define KYMO_ACTIVITY_H

#include "model/profile/loaded_run.h"

enum activity { /* in the order in which they are shown */
		ACTIVITY_PYTHON,
		ACTIVITY_NATIVE, /* built-in functions, too */
		ACTIVITY_SYSTEM, /* in the kernel, not waiting */
		ACTIVITY_USER,	 /* annotated regions, whatever they do */
		ACTIVITY_IMPORT,
		ACTIVITY_MPI,
		ACTIVITY_IO,
		ACTIVITY_NETWORK,
		ACTIVITY_LOCK, /* locks, conditions, threads */
		ACTIVITY_GIL,
		ACTIVITY_CHILD, /* processes */
		ACTIVITY_SLEEP,
		ACTIVITY_OTHER, /* waits for something else */
		ACTIVITY_READY, /* no processor was free */
		/* Calls alone show only that the processor was not used: calls that look like work
		 * waited, or no processor was free. */
		ACTIVITY_OFF,
		ACTIVITY_PROGRAM,   /* root regions of the program and of threads */
		ACTIVITY_OUTSIDE,   /* in no recorded region */
		ACTIVITY_MEASURING, /* taken out of the times of calls */
		ACTIVITIES
};

struct activity_thread {
	size_t process; /* index of the tree */
	uint32_t thread;
	bool is_sampled;
	uint64_t sample_count;
	double ns[ACTIVITIES];
	double total_ns; /* their sum */
	double cpu_ns;	 /* CPU time, 0 = unknown */
};

struct activities {
	struct activity_thread *threads; /* by process, then by thread */
	size_t count;
};

/* Adds regions to the recordings: call it before a union of them is made. */
enum kymo_status activities_new(const struct loaded_run *loaded, struct activities **out);
void activities_free(struct activities *activities);

/* An import of a module, which causes all that is called below it. */
bool activity_is_import(const struct region *region);

/* The activity that the self time of a recorded region is. */
enum activity activity_of(const struct region *region);

/* "waiting for locks and threads"; a key for programs: "lock". */
const char *activity_title(enum activity activity);
const char *activity_word(enum activity activity);
bool activity_is_wait(enum activity activity);

#endif
