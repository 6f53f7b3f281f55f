/* The state of a thread that records, and the lock of modules and threads.  A thread's state
 * (struct patch_thread_state) is written by its trampolines, by the slow routines they call, and
 * where it begins, forks and ends. */
#ifndef KYMO_FUNCPATCH_THREADS_H
#define KYMO_FUNCPATCH_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/threadstates.h"
#include "collectors/functions/counts/funcpatch_switched.h"
#include "patch/apply/patchabi.h"

struct kymo_thread;

#define FUNCPATCH_STACK_BYTES (96u << 10)

struct funcpatch_counts;  /* funcpatch_counts.c */
struct funcpatch_opens;	  /* funcpatch_hooks.c */
struct funcpatch_returns; /* funcpatch_values.c */

#define FUNCPATCH_THROTTLED_MAX 64u /* few: static thread-local memory is scarce */

struct funcpatch_throttle_thread {	/* funcpatch_throttle.c */
	struct kymo_throttled *records; /* in the recording, one per counter; NULL = no space */
	uint64_t left_out[FUNCPATCH_THROTTLED_MAX]; /* counted while recording was off */
	uint64_t off[FUNCPATCH_THROTTLED_MAX];	    /* the counters when it was switched off */
	/* The helper's: the end of the thread's records that were scanned. */
	const uint8_t *seen_start, *seen;
	uint64_t seen_written;
};

struct funcpatch_thread {
	struct threadstate state;
	bool is_out; /* there is no space for it any more */
	struct kymo_thread *thread;
	struct patch_thread_state *hot;
	uint64_t kept_state; /* of hot, while it forks */
	uint32_t *kept_left;
	uint64_t payload; /* of the next chunk of events */
	/* Records with marks of time: the position of the next one, while the cursor is closed;
	 * and an interval without records, which is not written yet.  funcpatch_marked.c */
	uint8_t *at;
	bool is_kept_open; /* the cursor, before it forked */
	uint8_t has_window;
	uint64_t window_off, window_on;
	uint64_t marked;  /* the latest mark's time */
	uint64_t skipped; /* as far as added to the totals */
	void *search;	  /* for unwinding to a caller: funcpatch_outside.c */
	struct funcpatch_counts *counts;
	struct funcpatch_opens *opens;	   /* never freed, and reused */
	struct funcpatch_returns *returns; /* likewise */
	/* A budget: bytes of records in chunks that are full, where the current one begins, … */
	uint64_t written;
	const uint8_t *chunk_start;
	struct funcpatch_away { /* COARSE, FULL: funcpatch_away.c */
		struct switched switched;
		bool is_crowded; /* pre-emption before the latest measurement */
		uint64_t short_switches,
			looked; /* ticks: of short switches, and in which these were measured */
		uint64_t owed;	/* pre-empted ticks that fit into no gap so far */
	} away;
	struct funcpatch_throttle_thread throttle;
	_Alignas(64) char stack[FUNCPATCH_STACK_BYTES];
};

extern __thread struct patch_thread_state funcpatch_thread_state
	__attribute__((tls_model("initial-exec"), visibility("hidden")));
extern __thread struct funcpatch_thread *funcpatch_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The lock of modules and threads, with all signals blocked. */
void funcpatch_lock(uint64_t *before);
void funcpatch_unlock(uint64_t before);

/* On a stack of Kymo's own, with all signals blocked.  The first event of the calling thread, or
 * its first after a fork: sets funcpatch_self if it can record. */
void funcpatch_thread_attach(void *unused);
/* Likewise: new space for the records of self; it is out if there is none. */
void funcpatch_thread_refill(void *self);
/* Call one of these for the calling thread, from code that may use general registers only.
 * False: it is out.  Context: hook. */
bool funcpatch_apart(void (*function)(void *self));
/* The same for other functions: the runtime is notified that this stack is not one of the
 * program's. */
struct funcpatch_job {
	void (*function)(void *argument);
	void *argument;
};
void funcpatch_job_do(void *job);
/* The recording is full: stop recording on all threads. */
void funcpatch_full(void);

/* Threads start over, in another recording; all but the calling one are stopped, and none is in
 * a trampoline. */
void funcpatch_threads_renew(void);
/* For every thread that records; the lock is held. */
void funcpatch_threads_each(void (*visit)(struct funcpatch_thread *thread, void *context),
			    void *context);
uint64_t funcpatch_skipped(void);

#endif
