/* Executes code one instruction at a time and unwinds at each of them, beside a stack of
 * return addresses that is kept by watching calls and returns: what the unwinder says must be
 * that stack, whatever the code is and wherever in it the thread stands. */
#ifndef UNWIND_STEPS_H
#define UNWIND_STEPS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Once, before anything else. */
void steps_prepare(void);
/* Code that runs between the two is stepped through. */
void steps_begin(void);
void steps_end(void);
/* From inside of a handler: step through what was interrupted, count instructions at most.
 * false: that is going on, or the stack is not whole. */
bool steps_begin_in(void *ucontext, unsigned long count);

/* Prints what did not fit, at most a few of them, and the line "NAME: N steps, M frames,
 * W wrong, L lost, B between"; 0 when there were steps and none was wrong. */
int steps_report(const char *name);

#ifdef __cplusplus
}
#endif

#endif
