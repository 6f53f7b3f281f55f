/* Appending an event to the thread's chunk, part of the hot path: nothing here allocates, locks,
 * calls the C library or touches errno; what does not fit goes to the slow half in the runtime.
 * Context: hook. */
#ifndef KYMO_EVENTPUT_H
#define KYMO_EVENTPUT_H

#include "runtime/runtime.h"
#include "runtime/threadstate.h"

static inline void kymo_event_put(struct kymo_thread *thread, enum kymo_event_kind kind,
				  uint32_t region, uint64_t now)
{
	uint64_t *event = thread->event;
	uint64_t delta = now - thread->event_base;

	if (kymo_unlikely(event >= thread->event_limit || (delta >> KYMO_EVENT_TICK_BITS) != 0 ||
			  region > KYMO_EVENT_REGION_MAX)) {
		kymo_event_slow(thread, kind, region, now, 0);
		return;
	}
	__atomic_store_n(event, kymo_event_head(kind, region, delta), __ATOMIC_RELEASE);
	thread->event = event + 1;
}

/* As kymo_event_put(), for the kinds that carry a word, which is written before the head. */
static inline void kymo_event_put_word(struct kymo_thread *thread, enum kymo_event_kind kind,
				       uint32_t region, uint64_t now, uint64_t word)
{
	uint64_t *event = thread->event;
	uint64_t delta = now - thread->event_base;

	if (kymo_unlikely(event >= thread->event_limit || (delta >> KYMO_EVENT_TICK_BITS) != 0 ||
			  region > KYMO_EVENT_REGION_MAX)) {
		kymo_event_slow(thread, kind, region, now, word);
		return;
	}
	event[1] = word;
	__atomic_store_n(event, kymo_event_head(kind, region, delta), __ATOMIC_RELEASE);
	thread->event = event + 2;
}

#endif
