/* Throttling: while recording costs more than the budget, the functions that are called most are
 * throttled, for good.  Their callers are redirected to copies of them (patch/plan/plan.h), which
 * increment a counter of the thread.  The counters are copied to the recording some times a second,
 * when a thread ends and at the end.
 *
 * Only functions of modules that were loaded at the start: these are never unloaded. */
#ifndef KYMO_FUNCPATCH_THROTTLE_H
#define KYMO_FUNCPATCH_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/functions/threads/funcpatch_threads.h"
#include "format/format.h"
#include "patch/apply/patchabi.h"

struct funcpatch_module;

/* Calls of throttled functions, by the order in which they were throttled. */
extern __thread uint64_t funcpatch_throttle_counters[FUNCPATCH_THROTTLED_MAX]
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Modules that come from now on may go again.  Context: init. */
void funcpatch_throttle_init(void);
/* True when there is a budget. */
bool funcpatch_throttle_is_wanted(void);

/* The calling thread begins: room in the recording. */
void funcpatch_throttle_begin(struct funcpatch_thread *self);
/* Bring its counters to the recording. */
void funcpatch_throttle_keep(struct funcpatch_thread *thread);
/* All counters of the thread with these words are 0: its calls are another recording's. */
void funcpatch_throttle_forget(const struct patch_thread_state *hot);

/* Bring all counters to it, and say what went wrong. */
void funcpatch_throttle_close(void);

/* Every few milliseconds. */
void funcpatch_throttle_tick(void);

struct funcpatch_throttle_rate { /* of a function that could be throttled */
	uint32_t id;
	uint64_t calls; /* since the last look, about */
};
/* Count the calls since the last look, all of them in *calls_out; the functions that could be
 * throttled and are called most, the most called first, at most max.  How many there are. */
unsigned funcpatch_throttle_look(struct funcpatch_throttle_rate *rates, unsigned max,
				 uint64_t *calls_out);
/* Modules that stay. */
uint32_t funcpatch_throttle_modules(void);
bool funcpatch_throttle_is_on(uint32_t id);

#endif
