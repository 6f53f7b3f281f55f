/* Beginning and ending a region at a place in the source that caches its region: the cheapest
 * way.  One pair of functions per mode of collection, so that neither the mode nor anything else
 * is tested twice; uncommon cases use the general functions. */
#include "runtime/user/usersite.h"

#include "runtime/runtime.h"
#include "runtime/user/usercall.h"
#include "runtime/user/userenter.h"
#include "runtime/user/usernames.h"
#include "runtime/user/userstack.h"

static int begin_slow(struct kymo_site *site)
{
	struct kymo_thread *thread;
	int result;

	if (!site || !site->name)
		return KYMO_BAD_VALUE;
	thread = userapi_thread(&result);
	return thread ? userapi_enter(thread, username_site(site), NULL) : result;
}

static int end_slow(struct kymo_site *site)
{
	struct kymo_thread *thread;
	int result;

	if (!site || !site->name)
		return KYMO_BAD_VALUE;
	thread = userapi_thread(&result);
	return thread ? userapi_leave(thread, username_site(site)) : result;
}

/* Only the guard is checked before the tree is changed. */
static inline __attribute__((always_inline)) bool
usersite_is_plain(const struct kymo_thread *thread)
{
	const struct kymo_header *header = (const struct kymo_header *)thread->base;

	return (thread->blocked | thread->busy) == 0 && thread->clock_is_ticks &&
	       thread->gate == __atomic_load_n(&header->gate, __ATOMIC_RELAXED);
}

/* The event does not fit the current chunk. */
static __attribute__((noinline)) int put_slow(struct kymo_thread *thread, enum kymo_event_kind kind,
					      uint32_t region, uint64_t now)
{
	kymo_event_slow(thread, kind, region, now, 0);
	user_release(thread);
	return KYMO_SUCCESS;
}

/* The last step of both, so that no register is kept over a call. */
static inline __attribute__((always_inline)) int usersite_finish(struct kymo_thread *thread,
								 enum kymo_event_kind kind,
								 uint32_t region, uint64_t now,
								 unsigned mode)
{
	uint64_t *event = thread->event;
	uint64_t delta = now - thread->event_base;

	if (mode & KYMO_MODE_TRACE) {
		if (kymo_unlikely(event >= thread->event_limit ||
				  (delta >> KYMO_EVENT_TICK_BITS) != 0 ||
				  region > KYMO_EVENT_REGION_MAX))
			return put_slow(thread, kind, region, now);
		__atomic_store_n(event, kymo_event_head(kind, region, delta), __ATOMIC_RELEASE);
		thread->event = event + 1;
	}
	user_release(thread);
	return KYMO_SUCCESS;
}

static inline __attribute__((always_inline)) int user_usersite_begin(struct kymo_site *site,
								     unsigned mode)
{
	struct kymo_thread *thread = kymo_thread_current;
	uint32_t region = __atomic_load_n(&site->region, __ATOMIC_RELAXED);
	struct kymo_node *node = NULL;
	uint32_t count;
	uint64_t now;

	if (kymo_unlikely(!thread || !region || !usersite_is_plain(thread)))
		return begin_slow(site);
	count = thread->user_count;
	if (mode & KYMO_MODE_PROFILE)
		node = kymo_node_at(thread, thread->current->cache);
	if (kymo_unlikely(count == thread->user_capacity || (node && node->region != region)))
		return begin_slow(site);
	user_acquire(thread);
	thread->user[count] = region;
	thread->user_count = count + 1;
	thread->pinned = region;
	if (node) {
		node->count++;
		thread->current = node;
	}
	now = ticks_read();
	if (node)
		node->enter = now;
	return usersite_finish(thread, KYMO_EVENT_ENTER, region, now, mode);
}

static inline __attribute__((always_inline)) int user_usersite_end(struct kymo_site *site,
								   unsigned mode)
{
	struct kymo_thread *thread = kymo_thread_current;
	uint32_t region = __atomic_load_n(&site->region, __ATOMIC_RELAXED);
	struct kymo_node *node = NULL;
	uint32_t count, outer;
	uint64_t now;

	if (kymo_unlikely(!thread || !region || !usersite_is_plain(thread)))
		return end_slow(site);
	count = thread->user_count;
	if (mode & KYMO_MODE_PROFILE)
		node = thread->current;
	if (kymo_unlikely(count == 0 || thread->user[count - 1] != region ||
			  (node && node->region != region)))
		return end_slow(site);
	outer = count > 1 ? thread->user[count - 2] : thread->outermost;
	if (kymo_unlikely(outer & ~USER_REGION))
		return end_slow(site);
	user_acquire(thread);
	now = ticks_read();
	if (node) {
		kymo_node_close(node, now);
		thread->current = kymo_node_at(thread, node->parent);
	}
	thread->user_count = count - 1;
	thread->pinned = outer;
	return usersite_finish(thread, KYMO_EVENT_LEAVE, region, now, mode);
}

#define SITE_FUNCTIONS(name, mode)                                                                 \
	static int begin_##name(struct kymo_site *site)                                            \
	{                                                                                          \
		return user_usersite_begin(site, mode);                                            \
	}                                                                                          \
	static int end_##name(struct kymo_site *site)                                              \
	{                                                                                          \
		return user_usersite_end(site, mode);                                              \
	}
SITE_FUNCTIONS(profile, KYMO_MODE_PROFILE)
SITE_FUNCTIONS(trace, KYMO_MODE_TRACE)
SITE_FUNCTIONS(both, KYMO_MODE_PROFILE | KYMO_MODE_TRACE)

user_site_fn usersite_begin(unsigned mode)
{
	switch (mode) {
	case KYMO_MODE_PROFILE:
		return begin_profile;
	case KYMO_MODE_TRACE:
		return begin_trace;
	case KYMO_MODE_PROFILE | KYMO_MODE_TRACE:
		return begin_both;
	default:
		return begin_slow;
	}
}

user_site_fn usersite_end(unsigned mode)
{
	switch (mode) {
	case KYMO_MODE_PROFILE:
		return end_profile;
	case KYMO_MODE_TRACE:
		return end_trace;
	case KYMO_MODE_PROFILE | KYMO_MODE_TRACE:
		return end_both;
	default:
		return end_slow;
	}
}
