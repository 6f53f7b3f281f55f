/* Entering and leaving outside of the inlined hot path: wrappers and users' regions. */
#include <errno.h>
#include <string.h>

#include "base/pages.h"
#include "runtime/hot.h"
#include "runtime/session.h"

#define NOT_ENTERED    (1u << 31) /* in the user's stack: nothing was recorded then */
#define CAPACITY_FIRST 1024u

static void enter(struct kymo_thread *thread, uint32_t region)
{
	if (session.mode == KYMO_MODE_PROFILE)
		kymo_enter(thread, region, KYMO_MODE_PROFILE);
	else if (session.mode == KYMO_MODE_TRACE)
		kymo_enter(thread, region, KYMO_MODE_TRACE);
	else
		kymo_enter(thread, region, session.mode);
}

static void leave(struct kymo_thread *thread, uint32_t region)
{
	if (session.mode == KYMO_MODE_PROFILE)
		kymo_leave(thread, region, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE);
	else if (session.mode == KYMO_MODE_TRACE)
		kymo_leave(thread, region, KYMO_EVENT_LEAVE, KYMO_MODE_TRACE);
	else
		kymo_leave(thread, region, KYMO_EVENT_LEAVE, session.mode);
}

/* False in a signal handler that interrupted one of these functions. */
static bool take(struct kymo_thread *thread)
{
	if (thread->busy) {
		thread->record->lost_events++;
		return false;
	}
	thread->busy = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return true;
}

static void give(struct kymo_thread *thread)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->busy = 0;
}

bool kymo_region_enter(struct kymo_thread *thread, uint32_t region)
{
	if (region == 0 || !kymo_admits(thread) || !take(thread))
		return false;
	enter(thread, region);
	give(thread);
	return true;
}

void kymo_region_leave(struct kymo_thread *thread, uint32_t region)
{
	if (!kymo_admits(thread) || !take(thread))
		return;
	leave(thread, region);
	give(thread);
}

static bool reserve(struct kymo_thread *thread)
{
	uint32_t capacity = thread->user_capacity ? thread->user_capacity * 2 : CAPACITY_FIRST;
	uint32_t *larger;

	if (thread->user_count < thread->user_capacity)
		return true;
	larger = pages_new(capacity * sizeof(*larger));
	if (!larger)
		return false;
	if (thread->user_count)
		memcpy(larger, thread->user, thread->user_count * sizeof(*larger));
	pages_free(thread->user, thread->user_capacity * sizeof(*larger));
	thread->user = larger;
	thread->user_capacity = capacity;
	return true;
}

static uint32_t innermost_entered(const struct kymo_thread *thread)
{
	for (uint32_t i = thread->user_count; i > 0; i--)
		if (!(thread->user[i - 1] & NOT_ENTERED))
			return thread->user[i - 1];
	return thread->outermost;
}

void kymo_user_begin(struct kymo_thread *thread, uint32_t region)
{
	if (!thread->record || !reserve(thread))
		return;
	if (kymo_region_enter(thread, region)) {
		thread->user[thread->user_count++] = region;
		thread->pinned = region;
	} else {
		thread->user[thread->user_count++] = region | NOT_ENTERED;
	}
}

static void end_innermost(struct kymo_thread *thread)
{
	uint32_t entry = thread->user[--thread->user_count];

	if (entry & NOT_ENTERED)
		return;
	thread->pinned = innermost_entered(thread);
	kymo_region_leave(thread, entry);
}

static bool is_open(const struct kymo_thread *thread, uint32_t region)
{
	for (uint32_t i = thread->user_count; i > 0; i--)
		if ((thread->user[i - 1] & ~NOT_ENTERED) == region)
			return true;
	return false;
}

enum kymo_user_end kymo_user_end(struct kymo_thread *thread, uint32_t region)
{
	if (kymo_user_innermost(thread) == region && region != 0) {
		end_innermost(thread);
		return KYMO_USER_ENDED;
	}
	if (!thread->record)
		return KYMO_USER_NOT_OPEN;
	thread->record->misused_ends++;
	if (!is_open(thread, region))
		return KYMO_USER_NOT_OPEN;
	while (kymo_user_innermost(thread) != region)
		end_innermost(thread);
	end_innermost(thread);
	return KYMO_USER_REORDERED;
}

uint32_t kymo_user_innermost(const struct kymo_thread *thread)
{
	return thread->user_count ? thread->user[thread->user_count - 1] & ~NOT_ENTERED : 0;
}
