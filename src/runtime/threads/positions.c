/* Slots of sampled threads, and what a sample adds to their nodes. */
#include "runtime/threads/positions.h"

#include "base/pages.h"
#include "runtime/hot.h"
#include "runtime/store/fold.h"

#define SLAB_SLOTS 255u

/* A thread that begins takes a FREE slot; the helper makes LIVE to SEEN while it samples.  A thread
 * that is about to end makes LIVE to CLAIMED, and adds the rest itself.  If it is SEEN then, it is
 * LEFT: whoever is ready first, the helper with its sample (CLAIMED) or the thread with the time of
 * its end (ENDED), leaves the rest to the other. */
enum {
	SLOT_FREE = 0,
	SLOT_LIVE,
	SLOT_SEEN,
	SLOT_CLAIMED,
	SLOT_LEFT,
	SLOT_ENDED,
};

struct position_slot {
	uint32_t state; /* atomic */
	struct kymo_thread *thread;
	uint64_t seen_ticks; /* of the last sample, or the beginning */
	uint64_t end_ticks;
	/* Of the last sample: what it found, and its weight; the root and 0 before the first. */
	struct kymo_node *node;
	uint64_t weight;
};

struct position_slab {
	struct position_slab *next; /* atomic */
	uint32_t used;		    /* atomic; slots from here on were never used */
	struct position_slot slots[SLAB_SLOTS];
};

static struct position_slab first;

static bool slot_change(struct position_slot *slot, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&slot->state, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static uint32_t slot_state(const struct position_slot *slot)
{
	return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
}

/* A free slot; NULL = memory is short.  The lock is held. */
static struct position_slot *slot_get(void)
{
	struct position_slab *slab = &first;

	for (;; slab = slab->next) {
		for (uint32_t i = 0; i < SLAB_SLOTS; i++) {
			if (slot_state(&slab->slots[i]) != SLOT_FREE)
				continue;
			if (i >= slab->used)
				__atomic_store_n(&slab->used, i + 1, __ATOMIC_RELEASE);
			return &slab->slots[i];
		}
		if (!slab->next) {
			struct position_slab *more = pages_new(sizeof(*more));

			if (!more)
				return NULL;
			__atomic_store_n(&slab->next, more, __ATOMIC_RELEASE);
		}
	}
}

void position_begin(struct kymo_thread *thread, uint64_t ticks)
{
	struct position_slot *slot = slot_get();

	thread->slot = slot;
	if (!slot)
		return;
	slot->thread = thread;
	slot->seen_ticks = ticks;
	slot->node = thread->root;
	slot->weight = 0;
	__atomic_store_n(&slot->state, SLOT_LIVE, __ATOMIC_RELEASE);
}

void position_began(struct kymo_thread *thread, uint64_t ticks)
{
	if (thread->slot)
		thread->slot->seen_ticks = ticks;
}

/* More time passed where the thread was seen last: as if that sample had been as much later. */
static void slot_add_rest(struct position_slot *slot, uint64_t ticks)
{
	struct kymo_node *node = slot->node;
	double rest, weight = (double)slot->weight;

	if (ticks <= slot->seen_ticks)
		return;
	rest = (double)(ticks - slot->seen_ticks);
	node->sum_squares += (2 * weight + rest) * rest;
	node->sum += ticks - slot->seen_ticks;
	slot->seen_ticks = ticks;
}

static void slot_finish(struct position_slot *slot)
{
	slot_add_rest(slot, slot->end_ticks);
	__atomic_store_n(&slot->state, SLOT_FREE, __ATOMIC_RELEASE);
}

static bool slot_leave(struct position_slot *slot)
{
	return slot_change(slot, SLOT_LIVE, SLOT_CLAIMED) ||
	       slot_change(slot, SLOT_SEEN, SLOT_LEFT);
}

/* The helper goes from LIVE to SEEN and back, so each attempt may miss both. */
void position_leave(struct kymo_thread *thread)
{
	struct position_slot *slot = thread->slot;
	uint32_t state = slot ? slot_state(slot) : SLOT_FREE;

	while ((state == SLOT_LIVE || state == SLOT_SEEN) && !slot_leave(slot))
		state = slot_state(slot);
}

void position_end(struct kymo_thread *thread, uint64_t ticks)
{
	struct position_slot *slot = thread->slot;

	if (!slot)
		return;
	position_leave(thread);
	thread->slot = NULL;
	slot->end_ticks = ticks;
	if (!slot_change(slot, SLOT_LEFT, SLOT_ENDED))
		slot_finish(slot);
}

static struct kymo_node *position_of(const struct kymo_thread *thread, uint32_t gate)
{
	struct kymo_node *node = __atomic_load_n(&thread->current, __ATOMIC_ACQUIRE);

	if (gate & KYMO_GATE_OFF || __atomic_load_n(&thread->gate_seen, __ATOMIC_RELAXED) != gate)
		return thread->root;
	return fold_is_stand_in(thread, node) ? __atomic_load_n(&thread->folded, __ATOMIC_ACQUIRE)
					      : node;
}

/* sum first and enter last: of a process that is killed in between, the sums are right. */
static void slot_add(struct position_slot *slot, struct kymo_node *node, uint64_t ticks)
{
	uint64_t weight = ticks - slot->seen_ticks;

	slot->seen_ticks = ticks;
	slot->node = node;
	slot->weight = weight;
	__atomic_store_n(&node->sum, node->sum + weight, __ATOMIC_RELAXED);
	node->sum_squares += (double)weight * (double)weight;
	node->max++;
	__atomic_store_n(&node->enter, ticks, __ATOMIC_RELAXED);
}

/* What was read of a thread that has ended meanwhile may be another's. */
static bool slot_look(struct position_slot *slot, uint64_t ticks, uint32_t gate)
{
	struct kymo_node *node;

	if (slot_state(slot) != SLOT_LIVE || !slot_change(slot, SLOT_LIVE, SLOT_SEEN))
		return false;
	node = position_of(slot->thread, gate);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (slot_state(slot) == SLOT_SEEN && ticks > slot->seen_ticks)
		slot_add(slot, node, ticks);
	if (!slot_change(slot, SLOT_SEEN, SLOT_LIVE) && !slot_change(slot, SLOT_LEFT, SLOT_CLAIMED))
		slot_finish(slot);
	return true;
}

size_t positions_look(uint64_t ticks, uint32_t gate)
{
	size_t count = 0;

	for (struct position_slab *slab = &first; slab;
	     slab = __atomic_load_n(&slab->next, __ATOMIC_ACQUIRE)) {
		uint32_t used = __atomic_load_n(&slab->used, __ATOMIC_ACQUIRE);

		for (uint32_t i = 0; i < used; i++)
			count += slot_look(&slab->slots[i], ticks, gate);
	}
	return count;
}

void positions_forget(void)
{
	for (struct position_slab *slab = &first; slab; slab = slab->next)
		for (size_t i = 0; i < SLAB_SLOTS; i++)
			slab->slots[i].state = SLOT_FREE;
}
