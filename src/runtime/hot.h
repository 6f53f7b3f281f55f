/* The hot path: entering and leaving a region, inlined into collectors.
 *
 * Nothing here allocates, locks, calls the C library or changes errno; uncommon cases are
 * handled by the slow halves in the runtime.  Context: hook. */
#ifndef KYMO_HOT_H
#define KYMO_HOT_H

#include "platform/ticks.h"
#include "runtime/eventput.h"
#include "runtime/metricread.h"
#include "runtime/runtime.h"
#include "runtime/threadstate.h"

static inline uint64_t kymo_now(const struct kymo_thread *thread)
{
	return kymo_likely(thread->clock_is_ticks) ? ticks_read() : ticks_read_fallback();
}

static inline struct kymo_node *kymo_node_at(const struct kymo_thread *thread, uint32_t reference)
{
	return (struct kymo_node *)(thread->base + (uint64_t)reference * KYMO_NODE_UNIT);
}

/* From here on thread is at node, of its own tree or its fold's stand-in: with KYMO_MODE_POSITIONS
 * another thread reads this at any time. */
static inline void kymo_thread_move(struct kymo_thread *thread, struct kymo_node *node)
{
	__atomic_store_n(&thread->current, node, __ATOMIC_RELAXED);
}

/* Account for one closed visit; not for visits with KYMO_MODE_POSITIONS. */
static inline void kymo_node_close(struct kymo_node *node, uint64_t now)
{
	uint64_t duration = now - node->enter;

	node->sum += duration;
	if (duration < node->min)
		node->min = duration;
	if (duration > node->max)
		node->max = duration;
	node->sum_squares += (double)(int64_t)duration * (double)(int64_t)duration;
	node->enter = 0;
}

/* Enter region in the tree; false if the path folds.  *now_out is set if true; it is 0 with
 * KYMO_MODE_POSITIONS, which has no trace beside it. */
static inline __attribute__((always_inline)) bool
kymo_enter_tree(struct kymo_thread *thread, uint32_t region, unsigned mode, uint64_t *now_out)
{
	/* Without a child the cache is 0, which is the header page: its magic equals no region,
	 * so no separate test is needed. */
	struct kymo_node *node = kymo_node_at(thread, thread->current->cache);

	if (kymo_unlikely(node->region != region)) {
		node = kymo_callpath_find(thread, region);
		if (!node)
			return false;
	}
	node->count++;
	kymo_thread_move(thread, node);
	if (mode & KYMO_MODE_POSITIONS) {
		*now_out = 0;
		return true;
	}
	if (mode & KYMO_MODE_METRICS)
		kymo_callpath_metrics_enter(thread, node);
	node->enter = *now_out = kymo_now(thread);
	return true;
}

/* Enter region in the profile, if there is one; true: write an event with that time. */
static inline __attribute__((always_inline)) bool
kymo_enter_profile(struct kymo_thread *thread, uint32_t region, unsigned mode, uint64_t *now_out)
{
	bool is_entered =
		(mode & KYMO_MODE_PROFILE) && kymo_enter_tree(thread, region, mode, now_out);

	if (!(mode & KYMO_MODE_TRACE))
		return false;
	if (!is_entered)
		*now_out = kymo_now(thread);
	return true;
}

/* Enter region.  mode is a compile-time constant of KYMO_MODE_* bits. */
static inline __attribute__((always_inline)) void kymo_enter(struct kymo_thread *thread,
							     uint32_t region, unsigned mode)
{
	uint64_t now;

	if (kymo_enter_profile(thread, region, mode, &now))
		kymo_event_put(thread, KYMO_EVENT_ENTER, region, now);
}

/* Whether kymo_enter() will reach its last step without a call of another function, so that its
 * caller keeps nothing in registers that have to be saved. */
static inline __attribute__((always_inline)) bool
kymo_enters_at_once(const struct kymo_thread *thread, uint32_t region, unsigned mode)
{
	if (!(mode & KYMO_MODE_POSITIONS) && !thread->clock_is_ticks)
		return false;
	return !(mode & KYMO_MODE_PROFILE) ||
	       kymo_node_at(thread, thread->current->cache)->region == region;
}

/* As kymo_enter(), with an event that carries a word: KYMO_EVENT_RESUME or _ANNOTATED. */
static inline __attribute__((always_inline)) void kymo_enter_with(struct kymo_thread *thread,
								  uint32_t region,
								  enum kymo_event_kind kind,
								  uint64_t word, unsigned mode)
{
	uint64_t now;

	if (kymo_enter_profile(thread, region, mode, &now))
		kymo_event_put_word(thread, kind, region, now, word);
}

/* Likewise for kymo_leave(). */
static inline __attribute__((always_inline)) bool
kymo_leaves_at_once(const struct kymo_thread *thread, uint32_t region, unsigned mode)
{
	if (!(mode & KYMO_MODE_POSITIONS) && !thread->clock_is_ticks)
		return false;
	return !(mode & KYMO_MODE_PROFILE) || thread->current->region == region;
}

/* Leave region; kind is KYMO_EVENT_LEAVE or KYMO_EVENT_UNWIND. */
static inline __attribute__((always_inline)) void
kymo_leave(struct kymo_thread *thread, uint32_t region, enum kymo_event_kind kind, unsigned mode)
{
	uint64_t now = mode & KYMO_MODE_POSITIONS ? 0 : kymo_now(thread);

	if (mode & KYMO_MODE_PROFILE) {
		struct kymo_node *node = thread->current;

		if (kymo_likely(node->region == region)) {
			if (mode & KYMO_MODE_METRICS)
				kymo_callpath_metrics_exit(thread, node);
			if (!(mode & KYMO_MODE_POSITIONS))
				kymo_node_close(node, now);
			kymo_thread_move(thread, kymo_node_at(thread, node->parent));
		} else {
			kymo_callpath_exit_slow(thread, region, now);
		}
	}
	if (mode & KYMO_MODE_TRACE)
		kymo_event_put(thread, kind, region, now);
}

#endif
