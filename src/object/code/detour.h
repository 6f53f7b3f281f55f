/* A function of this process that is taken over: its calls go to another function with the same
 * arguments, which may pass them on to the original.
 *
 * A jump replaces its first instructions, which are copied to a page near it, next to a jump to the
 * target.  The target's caller is the function's caller, so stacks are unwound as before.  A
 * landing pad (endbr64) stays in place.  The page is never freed, as threads may be in it.
 *
 * Text is never writable and executable at once.  The jump is written through /proc/self/mem
 * (codememory.h), during which other threads may run in the text, or by changing the text's
 * protection if the process has one thread.  The caller ensures that no thread is within the first
 * instructions while they change.  Context: init; errno is kept. */
#ifndef KYMO_DETOUR_H
#define KYMO_DETOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DETOUR_JUMP 5u /* bytes that change */

struct detour {
	unsigned char *entry; /* where the jump is written; NULL = nothing is prepared */
	unsigned char before[DETOUR_JUMP], after[DETOUR_JUMP];
	unsigned moved; /* bytes of whole instructions */
	uint64_t page;
	const void *target;   /* of the page's jump; NULL = none yet */
	const void *original; /* has the function's effect; stays valid */
	bool is_written;
};

/* NULL, or why no function can be taken over here: constant text. */
const char *detour_unavailable(void);

/* Check the size bytes at function and make the page; nothing is taken over yet.  NULL, or why the
 * function cannot be taken over: constant text, and there is nothing to undo. */
const char *detour_prepare(struct detour *detour, const void *function, size_t size);

/* Direct its calls to target, or restore it.  0, or an errno value and nothing has changed; EBUSY:
 * somebody else has changed the function. */
int detour_write(struct detour *detour, const void *target);
int detour_take_back(struct detour *detour);

#endif
