/* Native functions that are recorded without being recompiled: the collector that applies plans
 * (patch/plan/plan.h) to the program before it runs, and does what trampolines cannot do alone.
 *
 * The library is initialised before all others, so no thread runs in the code that it changes.
 * The recording opens later; until then all switches are off.  A thread's state (struct
 * patch_thread_state) is written by its trampolines, by the slow routines they call, and where
 * it begins, forks and ends.  Nothing on the event path allocates from the heap or waits for a
 * lock of the program; what needs more than a few instructions runs on a stack of Kymo's own
 * with all signals blocked. */
#ifndef KYMO_FUNCPATCH_H
#define KYMO_FUNCPATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Be notified of libraries that are loaded later.  Context: init. */
void funcpatch_loader_follow(void);

/* Record the modules that were loaded while the recording was open. */
void funcpatch_loaded(void);

/* The recording is open: record what is instrumented from now on.  Context: init. */
void funcpatch_opened(void);
/* The program ran before it was instrumented (funcpatch_attach.c): the attaching process writes
 * its text, and gets error messages. */
extern bool funcpatch_is_attached;
/* The error message that was printed; "" = none. */
const char *funcpatch_complaint(void);
/* Stop recording; trampolines do nothing more. */
void funcpatch_stop(void);

/* Print one line on stderr, and note it in the recording if there is one. */
void funcpatch_complain(const char *text);

extern bool funcpatch_is_open;				/* atomic: events can be recorded */
extern uint64_t funcpatch_own_start, funcpatch_own_end; /* this library */

static inline bool funcpatch_is_own(uint64_t address)
{
	return address >= funcpatch_own_start && address < funcpatch_own_end;
}

extern const struct kymo_thread_listener funcpatch_listener;

/* The recording is about to be closed, or continues after all: funcpatch_lifecycle.c */
void funcpatch_closing(bool is_closing);
/* The recording's time for an event. */
uint64_t funcpatch_now(void);
extern uint64_t funcpatch_clock; /* COARSE: the time, in a page of its own */

#endif
