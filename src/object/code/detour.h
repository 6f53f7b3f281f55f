/* A function of this process that is taken over: its calls go to another one, which gets the same
 * arguments and may hand them on to what the function did.
 *
 * A jump takes the place of its first instructions, which move to a page near by, behind a jump to
 * the one that is called now.  Whoever that is was called by the function's caller: stacks are
 * walked as without it.  A landing pad (endbr64) stays where it is.  The page stays for ever, as
 * threads may be in it.
 *
 * Text is never writable and executable at once.  The jump is written through /proc/self/mem
 * (codememory.h), where other threads may run in the text meanwhile, or by its protection, where
 * the process has one thread.  The caller ensures that no thread is inside of the first
 * instructions while they change.  Where the processor's code is not known, nothing is taken over.
 * Context: init; errno is kept. */
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
	const void *target;   /* where the page's jump leads; NULL = nowhere yet */
	const void *original; /* does what the function did, for ever */
	bool is_written;
};

/* NULL, or why no function can be taken over here: constant text. */
const char *detour_unavailable(void);

/* Take nothing over yet: size bytes at function are looked at, and the page is made.  NULL, or why
 * the function cannot be taken over: constant text, and nothing is to be undone. */
const char *detour_prepare(struct detour *detour, const void *function, size_t size);

/* Its calls go to target, or no longer.  0 or an errno value: all is as it was; EBUSY: the function
 * is not as it was left. */
int detour_write(struct detour *detour, const void *target);
int detour_take_back(struct detour *detour);

#endif
