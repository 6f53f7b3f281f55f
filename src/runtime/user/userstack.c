/* Entering and leaving outside of the inlined hot path: wrappers and users' regions.
 *
 * A signal handler may interrupt any of it.  It finds the thread busy and does nothing; if it
 * never returns, because it ends in siglongjmp(), the next call detects by the stack pointer
 * that the interrupted code is gone. */
#include "runtime/user/userstack.h"

#include <string.h>

#include "base/pages.h"
#include "runtime/control/selected.h"
#include "runtime/metricread.h"
#include "runtime/store/fold.h"
#include "runtime/user/usernotes.h"

#define CAPACITY_FIRST 1024u

static void userstack_enter(struct kymo_thread *thread, uint32_t region)
{
	if (session.mode == KYMO_MODE_PROFILE)
		kymo_enter(thread, region, KYMO_MODE_PROFILE);
	else if (session.mode == KYMO_MODE_TRACE)
		kymo_enter(thread, region, KYMO_MODE_TRACE);
	else
		kymo_enter(thread, region, session.mode);
}

static void userstack_leave(struct kymo_thread *thread, uint32_t region)
{
	if (session.mode == KYMO_MODE_PROFILE)
		kymo_leave(thread, region, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE);
	else if (session.mode == KYMO_MODE_TRACE)
		kymo_leave(thread, region, KYMO_EVENT_LEAVE, KYMO_MODE_TRACE);
	else
		kymo_leave(thread, region, KYMO_EVENT_LEAVE, session.mode);
}

/* An enter that was interrupted has no time yet: it begins now. */
static void repair(struct kymo_thread *thread)
{
	struct kymo_node *node = thread->current;

	if (fold_is_active(thread) || node == thread->root || node->enter != 0 ||
	    session.mode & KYMO_MODE_POSITIONS)
		return;
	if (session.mode & KYMO_MODE_METRICS)
		kymo_callpath_metrics_enter(thread, node);
	node->enter = kymo_now(thread);
}

bool user_acquire_slow(struct kymo_thread *thread, uint32_t mark)
{
	if (stack_mark_is_alive(thread->busy, mark)) {
		if (thread->record)
			thread->record->lost_events++;
		return false;
	}
	thread->busy = mark;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	repair(thread);
	return true;
}

/* The closing thread waits until no thread is busy: one that was admitted before must check
 * again. */
static bool is_closed(struct kymo_thread *thread)
{
	if (kymo_likely(__atomic_load_n(&session.state, __ATOMIC_RELAXED) == KYMO_RUNTIME_ACTIVE))
		return false;
	user_release(thread);
	return true;
}

bool kymo_region_enter(struct kymo_thread *thread, uint32_t region)
{
	if (region == 0 || !kymo_admits(thread) || !user_acquire(thread) || is_closed(thread))
		return false;
	userstack_enter(thread, region);
	user_release(thread);
	return true;
}

void kymo_region_leave(struct kymo_thread *thread, uint32_t region)
{
	if (!kymo_admits(thread) || !user_acquire(thread) || is_closed(thread))
		return;
	userstack_leave(thread, region);
	user_release(thread);
}

static bool userstack_reserve(struct kymo_thread *thread)
{
	uint32_t capacity = thread->user_capacity ? thread->user_capacity * 2 : CAPACITY_FIRST;
	uint32_t *larger, *before = thread->user;
	size_t used = thread->user_capacity * sizeof(*larger);

	if (thread->user_count < thread->user_capacity)
		return true;
	larger = pages_new(capacity * sizeof(*larger));
	if (!larger)
		return false;
	if (thread->user_count)
		memcpy(larger, thread->user, thread->user_count * sizeof(*larger));
	/* A signal handler that leaves by a long jump must find no freed memory here. */
	thread->user = larger;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->user_capacity = capacity;
	pages_free(before, used);
	return true;
}

static uint32_t innermost_entered(const struct kymo_thread *thread)
{
	for (uint32_t i = thread->user_count; i > 0; i--)
		if (!(thread->user[i - 1] & USER_NOT_ENTERED))
			return thread->user[i - 1] & USER_REGION;
	return thread->outermost;
}

bool user_push(struct kymo_thread *thread, uint32_t region, uint32_t flags)
{
	bool is_entered;

	if (!userstack_reserve(thread)) {
		thread->record->lost_events++;
		return false;
	}
	if (kymo_unlikely(selected_regions != NULL))
		selected_begin(thread, region);
	is_entered = thread->blocked == 0 && !session.hides_user;
	if (is_entered) {
		userstack_enter(thread, region);
		thread->pinned = region;
	}
	thread->user[thread->user_count++] = region | flags | (is_entered ? 0 : USER_NOT_ENTERED);
	return is_entered;
}

/* What was entered is left, also if the thread is stopped now: it is part of the tree. */
void user_pop(struct kymo_thread *thread)
{
	uint32_t entry = thread->user[--thread->user_count];

	if (!(entry & USER_NOT_ENTERED)) {
		thread->pinned = innermost_entered(thread);
		if (session.state == KYMO_RUNTIME_ACTIVE)
			userstack_leave(thread, entry & USER_REGION);
	}
	if (kymo_unlikely(selected_regions != NULL))
		selected_end(entry & USER_REGION);
}

uint32_t user_innermost_region(const struct kymo_thread *thread)
{
	for (uint32_t i = thread->user_count; i > 0; i--)
		if (!(thread->user[i - 1] & USER_PARAMETER))
			return thread->user[i - 1] & USER_REGION;
	return 0;
}

void user_closed(struct kymo_thread *thread)
{
	for (uint32_t i = 0; i < thread->user_count; i++)
		thread->user[i] |= USER_NOT_ENTERED;
	thread->pinned = 0;
}

void user_finish(struct kymo_thread *thread)
{
	uint32_t innermost = user_innermost_region(thread);

	if (innermost)
		user_misuse_note_locked(MISUSE_NEVER_ENDED, innermost);
	selected_drop(thread);
	for (uint32_t i = 0; i < thread->user_count; i++)
		thread->record->never_ended += !(thread->user[i] & USER_PARAMETER);
	thread->user_count = 0;
	thread->pinned = 0;
}

bool user_drop_parameter(struct kymo_thread *thread, uint32_t region)
{
	if (thread->user_count == 0 ||
	    thread->user[thread->user_count - 1] != (region | USER_PARAMETER))
		return false;
	thread->user_count--;
	thread->pinned = innermost_entered(thread);
	return true;
}

void kymo_user_begin(struct kymo_thread *thread, uint32_t region)
{
	if (!thread->record)
		return;
	kymo_admits(thread);
	if (!user_acquire(thread))
		return;
	user_push(thread, region, 0);
	user_release(thread);
}

static bool userstack_is_open(const struct kymo_thread *thread, uint32_t region)
{
	for (uint32_t i = thread->user_count; i > 0; i--)
		if ((thread->user[i - 1] & ~USER_NOT_ENTERED) == region)
			return true;
	return false;
}

static enum kymo_user_end userstack_end(struct kymo_thread *thread, uint32_t region)
{
	bool is_innermost = user_innermost_region(thread) == region;

	if (region == 0 || (!is_innermost && !userstack_is_open(thread, region))) {
		thread->record->misused_ends++;
		return KYMO_USER_NOT_OPEN;
	}
	while ((thread->user[thread->user_count - 1] & ~USER_NOT_ENTERED) != region)
		user_pop(thread);
	user_pop(thread);
	if (is_innermost)
		return KYMO_USER_ENDED;
	thread->record->misused_ends++;
	return KYMO_USER_REORDERED;
}

enum kymo_user_end kymo_user_end(struct kymo_thread *thread, uint32_t region)
{
	enum kymo_user_end result;

	if (!thread->record)
		return KYMO_USER_ENDED;
	kymo_admits(thread); /* if recording was switched off, what is on the stack is closed */
	if (!user_acquire(thread))
		return KYMO_USER_ENDED;
	result = userstack_end(thread, region);
	user_release(thread);
	if (result == KYMO_USER_NOT_OPEN)
		user_misuse_note(MISUSE_NOT_OPEN, region);
	else if (result == KYMO_USER_REORDERED)
		user_misuse_note(MISUSE_REORDERED, region);
	return result;
}

uint32_t kymo_user_innermost(const struct kymo_thread *thread)
{
	return user_innermost_region(thread);
}

void kymo_user_pause(struct kymo_thread *thread)
{
	if (!thread->record)
		return;
	thread->pauses += thread->paused == 0;
	thread->paused++;
	thread->blocked++;
}

bool kymo_user_resume(struct kymo_thread *thread)
{
	if (!thread->record || thread->paused == 0)
		return false;
	thread->paused--;
	thread->blocked--;
	return true;
}
