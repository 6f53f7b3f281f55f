/* Making, finding and ending the states of threads.  A system thread's state is reached through
 * an initial-exec thread-local; a pthread key signals its end.  States are allocated from
 * private pages and reused.  Serves thread.h. */
#include "runtime/threads/thread.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "base/pages.h"
#include "platform/ticks.h"
#include "platform/usage.h"
#include "runtime/control/gate.h"
#include "runtime/control/samplingnotify.h"
#include "runtime/counters.h"
#include "runtime/lifecycle/lifecycle.h"
#include "runtime/lifecycle/session.h"
#include "runtime/metricread.h"
#include "runtime/store/callpath.h"
#include "runtime/store/eventlog.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"
#include "runtime/threads/helper_control.h"
#include "runtime/threads/positions.h"
#include "runtime/threads/threadname.h"
#include "runtime/user/usernames.h"
#include "runtime/user/userstack.h"

#define SLAB_BYTES (64u << 10)

__thread struct kymo_thread *kymo_thread_current
	__attribute__((tls_model("initial-exec"), visibility("default")));

/* All guarded by the store's lock. */
struct kymo_thread *thread_list;
static struct kymo_thread *free_list;
static uint32_t thread_count;

static pthread_key_t end_key;
static bool has_end_key; /* a program may have used up all keys before */

static struct kymo_node blocked_node;
static struct kymo_thread blocked_state = {.current = &blocked_node, .blocked = 1};

struct kymo_thread *thread_blocked(void)
{
	return &blocked_state;
}

static bool has_system_thread(void)
{
	for (const struct kymo_thread *thread = thread_list; thread; thread = thread->next)
		if (!thread->is_fiber)
			return true;
	return false;
}

/* Destructor of the key: the thread is about to end.  Its state may be from before a fork, or
 * the recording closed: then nothing can be written. */
static void on_thread_end(void *state)
{
	struct kymo_thread *thread = state;
	bool is_last;

	sampling_notify_end(thread);
	kymo_thread_current = &blocked_state;
	if (!thread->record || !store_lock())
		return;
	if (session.state == KYMO_RUNTIME_ACTIVE)
		thread_finish(thread);
	is_last = !has_system_thread();
	store_unlock();
	/* The process ends with its last thread, which must not be a helper. */
	if (is_last)
		helpers_stop();
}

bool kymo_thread_end_is_seen(void)
{
	return has_end_key;
}

void kymo_thread_end(void)
{
	if (kymo_thread_current)
		on_thread_end(kymo_thread_current);
}

void threads_init(void)
{
	if (!has_end_key)
		has_end_key = pthread_key_create(&end_key, on_thread_end) == 0;
}

static struct kymo_thread *state_new(void)
{
	struct kymo_thread *state = free_list;

	if (!state) {
		state = pages_new(SLAB_BYTES);
		if (!state)
			return NULL;
		for (size_t i = 0; i < SLAB_BYTES / sizeof(*state) - 1; i++)
			state[i].next = &state[i + 1];
	}
	free_list = state->next;
	memset(state, 0, sizeof(*state));
	return state;
}

static void state_free(struct kymo_thread *state)
{
	state->next = free_list;
	free_list = state;
}

static struct kymo_thread_record *record_new(const struct kymo_thread_ticket *ticket,
					     const char *name, uint32_t flags, uint64_t now)
{
	struct kymo_thread_record *record =
		store_append(KYMO_CHUNK_THREADS, sizeof(*record), sizeof(*record), thread_count);

	if (!record)
		return NULL;
	record->number = thread_count++;
	record->flags = flags;
	record->system_id = (uint64_t)syscall(SYS_gettid);
	record->start_ticks = now;
	record->parent = ticket ? ticket->thread : KYMO_NO_THREAD;
	record->parent_node = ticket ? ticket->node : 0;
	record->name = string_intern(name);
	store_publish(KYMO_CHUNK_THREADS, sizeof(*record));
	return record;
}

struct kymo_thread *thread_new(const struct kymo_thread_ticket *ticket, const char *name,
			       uint32_t flags)
{
	uint64_t now = ticks_now();
	struct kymo_thread *thread = state_new();

	if (!thread)
		return NULL;
	thread->base = store.file.base;
	thread->clock_is_ticks = clock_is_ticks();
	thread->record = record_new(ticket, name, flags, now);
	if (!thread->record || !callpath_init(thread, now)) {
		state_free(thread);
		return NULL;
	}
	thread->record->root_node = callpath_reference(thread, thread->root);
	thread->stack_low = UINTPTR_MAX;
	thread->is_fiber = flags & KYMO_THREAD_FIBER;
	gate_begin_thread(thread);
	if (session.mode & KYMO_MODE_POSITIONS)
		position_begin(thread, now);
	thread->cpu_start_ns = thread->is_fiber ? 0 : usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	thread->next = thread_list;
	thread_list = thread;
	return thread;
}

static void unlink_state(struct kymo_thread *thread)
{
	struct kymo_thread **link = &thread_list;

	while (*link && *link != thread)
		link = &(*link)->next;
	if (*link)
		*link = thread->next;
}

static void close_regions(struct kymo_thread *thread, uint32_t keep, uint64_t now)
{
	if (thread->events)
		eventlog_unwind(thread, keep, now);
	callpath_unwind(thread, keep, now);
}

static void unwind(struct kymo_thread *thread, uint32_t keep, uint64_t now)
{
	close_regions(thread, keep, now);
	thread->blocked -= thread->hidden;
	thread->hidden = 0;
}

void thread_close(struct kymo_thread *thread, uint64_t ticks)
{
	uint64_t latest = callpath_latest(thread), event = eventlog_latest(thread);

	if (latest < event)
		latest = event;
	close_regions(thread, 0, ticks > latest ? ticks : latest);
	if (thread == kymo_thread_current) /* the stack of another thread may be in use */
		user_closed(thread);
}

void thread_unwind(struct kymo_thread *thread, uint64_t now)
{
	unwind(thread, 0, now);
	if (thread == kymo_thread_current)
		user_closed(thread);
}

void thread_record_waits(struct kymo_thread *thread)
{
	uint64_t waited_ns = thread->has_waits ? usage_waited_ns(thread->record->system_id) : 0;

	if (waited_ns > thread->waited_start_ns)
		thread->record->waited_ns = waited_ns - thread->waited_start_ns;
}

void thread_finish(struct kymo_thread *thread)
{
	uint64_t now;

	gate_catch_up(thread, gate_latest());
	position_leave(thread);
	now = ticks_now();
	thread->outermost = 0;
	callpath_unwind(thread, 0, now);
	callpath_node_close(thread->root, now);
	position_end(thread, now);
	if (!thread->is_fiber && !session.is_restricted) {
		thread->record->cpu_ns =
			usage_clock_ns(CLOCK_THREAD_CPUTIME_ID) - thread->cpu_start_ns;
		thread_record_waits(thread);
		threadname_inherit(thread);
	}
	thread->record->end_ticks = now;
	user_finish(thread);
	username_release(thread);
	if (!thread->is_fiber)
		counters_end_thread();
	pages_free(thread->user, thread->user_capacity * sizeof(*thread->user));
	callpath_release(thread);
	unlink_state(thread);
	state_free(thread);
}

struct kymo_thread *threads_detach(void)
{
	struct kymo_thread *states = thread_list;

	thread_list = NULL;
	free_list = NULL;
	thread_count = 0;
	positions_forget();
	return states;
}

void threads_discard(struct kymo_thread *states)
{
	for (; states; states = states->next) {
		callpath_release(states);
		username_release(states);
		states->record = NULL;
	}
}

void threads_retire(void)
{
	struct kymo_thread *states = threads_detach();

	for (struct kymo_thread *thread = states; thread; thread = thread->next)
		thread->blocked = 1;
	threads_discard(states);
}

static bool is_retired(const struct kymo_thread *thread)
{
	return !thread->record && thread != &blocked_state;
}

void thread_make_current(struct kymo_thread *thread)
{
	kymo_thread_current = thread;
	if (!thread->is_fiber && has_end_key)
		pthread_setspecific(end_key, thread);
}

struct kymo_thread *kymo_thread_begin(const struct kymo_thread_ticket *ticket, const char *name)
{
	struct kymo_thread *thread = kymo_thread_current;
	KEEP_ERRNO();

	if (thread && !is_retired(thread))
		return thread;
	if (session.is_restricted)
		return &blocked_state;
	kymo_thread_current = NULL;
	if (session_ensure() && !kymo_thread_current && store_lock()) {
		thread = thread_new(ticket, name, ticket ? 0 : KYMO_THREAD_ADOPTED);
		store_unlock();
		thread_make_current(thread ? thread : &blocked_state);
		sampling_notify_begin(kymo_thread_current);
	}
	helpers_catch_up();
	thread = kymo_thread_current;
	return thread ? thread : &blocked_state;
}

struct kymo_thread *kymo_thread_attach(void)
{
	return kymo_thread_begin(NULL, NULL);
}

static void enter_at(struct kymo_thread *thread, struct kymo_node *node, uint64_t ticks)
{
	node->count++;
	kymo_thread_move(thread, node);
	if (session.mode & KYMO_MODE_POSITIONS)
		return;
	if (session.mode & KYMO_MODE_METRICS)
		kymo_callpath_metrics_enter(thread, node);
	node->enter = ticks;
}

void thread_reopen(struct kymo_thread *thread, uint64_t ticks, bool may_lock)
{
	uint32_t region = thread->outermost;

	if (!region || thread->blocked)
		return;
	if (session.mode & KYMO_MODE_PROFILE) {
		struct kymo_node *node = callpath_known(thread, region);

		if (!node && may_lock)
			node = kymo_callpath_find(thread, region);
		if (node)
			enter_at(thread, node, ticks);
	}
	if (session.mode & KYMO_MODE_TRACE)
		kymo_event_put(thread, KYMO_EVENT_ENTER, region, ticks);
	thread->pinned = region;
}

void kymo_thread_outermost(struct kymo_thread *thread, uint32_t region)
{
	if (!thread->record || thread->outermost)
		return;
	kymo_admits(thread); /* recording may be switched off */
	thread->outermost = region;
	thread_reopen(thread, kymo_now(thread), true);
}

struct kymo_thread_ticket kymo_thread_ticket(void)
{
	struct kymo_thread *thread = kymo_thread();
	struct kymo_thread_ticket ticket = {KYMO_NO_THREAD, 0};

	if (thread->record) {
		ticket.thread = thread->record->number;
		ticket.node = callpath_reference(thread, callpath_position(thread));
	}
	return ticket;
}

void kymo_thread_name(uint64_t system_id, const char *name)
{
	if (!session_ensure() || !store_lock())
		return;
	for (struct kymo_thread *thread = thread_list; thread; thread = thread->next)
		if (thread->record->system_id == system_id && !thread->is_fiber)
			__atomic_store_n(&thread->record->name, string_intern(name),
					 __ATOMIC_RELEASE);
	store_unlock();
}

static void stop_collecting(struct kymo_thread *thread, uint64_t now)
{
	thread->is_overdue = thread->pinned != 0;
	unwind(thread, thread->pinned, now);
}

void kymo_threads_unwind(void)
{
	uint64_t now = ticks_now();

	if (!session_ensure() || !store_lock())
		return;
	for (struct kymo_thread *thread = thread_list; thread; thread = thread->next)
		stop_collecting(thread, now);
	store_unlock();
}

void kymo_thread_unwind(struct kymo_thread *thread)
{
	if (!thread->is_overdue || !session_ensure() || !store_lock())
		return;
	stop_collecting(thread, ticks_now());
	store_unlock();
}
