/* Switching recording on and off: the header's gate, applied by each thread at its next
 * event, so that nobody writes into the tree of another. */
#include "runtime/gate.h"

#include <errno.h>

#include "platform/ticks.h"
#include "runtime/hot.h"
#include "runtime/session.h"
#include "runtime/store.h"
#include "runtime/thread.h"

/* What is open now was closed when recording was switched off. */
static void switch_off(struct kymo_thread *thread, uint64_t ticks)
{
	if (thread->gated || !store_lock())
		return;
	thread_unwind(thread, ticks);
	thread->gated = 1;
	thread->blocked++;
	store_unlock();
}

static void switch_on(struct kymo_thread *thread)
{
	if (!thread->gated)
		return;
	thread->gated = 0;
	thread->blocked--;
	thread_reopen(thread);
}

bool kymo_admits_slow(struct kymo_thread *thread)
{
	const struct kymo_header *header = (const struct kymo_header *)thread->base;
	int saved = errno;
	uint32_t gate;

	if (!thread->record || session.state != KYMO_RUNTIME_ACTIVE)
		return false;
	gate = __atomic_load_n(&header->gate, __ATOMIC_ACQUIRE);
	if (gate != thread->gate) {
		thread->gate = gate;
		if (gate & KYMO_GATE_OFF)
			switch_off(thread, header->gate_ticks);
		else
			switch_on(thread);
	}
	errno = saved;
	return thread->blocked == 0;
}

bool gate_switch(bool is_on)
{
	struct kymo_header *header;
	int saved = errno;

	if (!session_ensure() || !store_lock())
		return false;
	header = store.header;
	if ((header->gate & KYMO_GATE_OFF) == (is_on ? KYMO_GATE_OFF : 0)) {
		header->gate_ticks = ticks_now();
		__atomic_add_fetch(&header->gate, 1, __ATOMIC_RELEASE);
	}
	store_unlock();
	errno = saved;
	return true;
}
