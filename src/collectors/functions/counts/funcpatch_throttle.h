/* Throttling: while recording costs more than the budget, the functions that are called most are
 * throttled, permanently.  Their callers are redirected to copies of them (patch/plan/plan.h),
 * which increment a counter of the thread.  The counters are copied to the recording some times a
 * second, when a thread ends and at the end.
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

/* Calls of throttled functions, in the order in which they were throttled. */
extern __thread uint64_t funcpatch_throttle_counters[FUNCPATCH_THROTTLED_MAX]
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Modules loaded from now on may be unloaded.  Context: init. */
void funcpatch_throttle_init(void);
/* True if there is a budget. */
bool funcpatch_throttle_is_wanted(void);

/* The calling thread begins: reserve space in the recording. */
void funcpatch_throttle_begin(struct funcpatch_thread *self);
/* Copy its counters to the recording. */
void funcpatch_throttle_keep(struct funcpatch_thread *thread);
/* Reset all counters of the thread with this state: its calls belong to another recording. */
void funcpatch_throttle_forget(const struct patch_thread_state *hot);

/* Copy all counters to it, and report errors. */
void funcpatch_throttle_close(void);

/* Called every few milliseconds. */
void funcpatch_throttle_tick(void);

struct funcpatch_throttle_rate { /* of a function that could be throttled */
	uint32_t id;
	uint64_t calls; /* since the last measurement, estimated */
};
/* Count the calls since the last measurement, all of them in *calls_out; the functions that
 * could be throttled and are called most, in descending order, at most max.  Returns their
 * number. */
unsigned funcpatch_throttle_measure(struct funcpatch_throttle_rate *rates, unsigned max,
				    uint64_t *calls_out);
/* Number of modules that are never unloaded. */
uint32_t funcpatch_throttle_modules(void);
bool funcpatch_throttle_is_on(uint32_t id);

#endif
