/* The states of a collector's threads: a list that only grows, of which unused states are given out
 * again, and the lock that guards it.
 *
 * A state begins with struct threadstate and is zeroed when it is new.  Its memory is never
 * unmapped, so that whoever finds it in the list may read it.  Context: as of signalmask.h. */
#ifndef KYMO_THREADSTATES_H
#define KYMO_THREADSTATES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pages.h"
#include "base/signalmask.h"
#include "base/spin.h"

struct threadstate {
	struct threadstate *next;      /* of all */
	struct threadstate *next_free; /* of those not in use */
	bool is_used;
};

struct threadstates {
	struct threadstate *all, *unused;
	struct spin lock;
};

/* No thread is cancelled, ends or jumps away while holding the lock: all signals are blocked until
 * it is released.  token: see spin_acquire(). */
static inline void threadstates_lock(struct threadstates *states, uintptr_t token,
				     uint64_t *before_out)
{
	signalmask_block(before_out);
	(void)spin_acquire(&states->lock, token);
}

static inline void threadstates_unlock(struct threadstates *states, uint64_t before)
{
	spin_release(&states->lock);
	signalmask_restore(before);
}

/* An unused state as it was put, or a new one of size bytes; NULL: there is no memory.  The lock is
 * held. */
static inline void *threadstates_get(struct threadstates *states, size_t size)
{
	struct threadstate *state = states->unused;

	if (state) {
		states->unused = state->next_free;
	} else {
		state = pages_new(size);
		if (!state)
			return NULL;
		state->next = states->all;
		__atomic_store_n(&states->all, state, __ATOMIC_RELEASE);
	}
	state->is_used = true;
	return state;
}

/* The lock is held. */
static inline void threadstates_put(struct threadstates *states, struct threadstate *state)
{
	state->is_used = false;
	state->next_free = states->unused;
	states->unused = state;
}

/* A loop over all states, used or not; type begins with a struct threadstate named state. */
#define threadstates_each(type, entry, states)                                                     \
	for (type * (entry) = (type *)(states)->all; (entry); (entry) = (type *)(entry)->state.next)

#endif
