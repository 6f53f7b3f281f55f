/* fork(): the child gets a recording of its own, with the same regions and with the path that was
 * open as its beginning.
 *
 * At the fork itself the child only releases its thread's state; the recording is made at its
 * first event, so that a child that execs at once costs nothing.  Until then the parent's pages
 * stay mapped and are only read. */
#include "runtime/lifecycle/forking.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "platform/files/canceldisable.h"
#include "platform/ticks.h"
#include "runtime/control/gate.h"
#include "runtime/control/sampling.h"
#include "runtime/control/samplingnotify.h"
#include "runtime/counters.h"
#include "runtime/lifecycle/lifecycle.h"
#include "runtime/lifecycle/rundir.h"
#include "runtime/lifecycle/session.h"
#include "runtime/log.h"
#include "runtime/modules.h"
#include "runtime/standarderror.h"
#include "runtime/store/callpath.h"
#include "runtime/store/note.h"
#include "runtime/store/seriestable.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"
#include "runtime/threads/fiber.h"
#include "runtime/threads/helper_control.h"
#include "runtime/threads/positions.h"
#include "runtime/threads/thread.h"

static struct kymo_thread *forked_thread; /* the forking thread's state, as it was */
static struct kymo_clock_pair fork_time;
static uint64_t
	fork_end; /* end of the recording then: the parent continues, and its mapping grows */
static bool is_locked_for_fork;
static struct kymo_thread *blocked_thread; /* blocked while it forks */

/* Handlers of other libraries run between Kymo's, in the child before it is known to be one:
 * what they call must not be recorded in the parent's recording. */
static void forking_block_thread(void)
{
	blocked_thread = kymo_thread_current;
	if (blocked_thread && blocked_thread->record)
		blocked_thread->blocked++;
	else
		blocked_thread = NULL;
}

static void forking_unblock_thread(void)
{
	if (blocked_thread)
		blocked_thread->blocked--;
	blocked_thread = NULL;
}

void kymo_fork_before(void)
{
	/* If every process has a recording, make it before those of its children. */
	if (session.is_resident)
		session_ensure();
	is_locked_for_fork = session.state == KYMO_RUNTIME_ACTIVE && store_lock();
	if (is_locked_for_fork) {
		store_lock_keep();
		fork_end = store.header->end;
		gate_fork_before();
		forking_block_thread();
	}
	sampling_notify_forking(true);
}

void kymo_fork_parent(void)
{
	bool is_locked = is_locked_for_fork;

	sampling_notify_forking(false);
	is_locked_for_fork = false; /* while no other thread can set it */
	if (is_locked) {
		forking_unblock_thread();
		store_unlock();
	}
}

static void become_child(void)
{
	bool is_whole = is_locked_for_fork;

	/* The holder of the lock, also of a closed recording, does not exist here. */
	store_lock_reset();
	forking_unblock_thread();
	is_locked_for_fork = false;
	if (session.is_restricted) {
		session.state = KYMO_RUNTIME_DISABLED;
		return;
	}
	session.pid = getpid();
	standarderror_forked();
	/* A child that forks before its first event passes the same path on to the grandchild. */
	if (session.state != KYMO_RUNTIME_ACTIVE)
		return;
	/* A signal handler forked in the middle of a change to the tables. */
	if (!is_whole) {
		session.state = KYMO_RUNTIME_DISABLED;
		return;
	}
	forked_thread = kymo_thread_current;
	fork_time = clock_read_pair();
	session.state = SESSION_FORKED;
	kymo_thread_current = NULL;
}

void kymo_fork_child(void)
{
	become_child();
	sampling_notify_fork(session.state == SESSION_FORKED);
}

int kymo_fork_follow(void)
{
	static bool is_registered;
	static int result;

	if (!__atomic_exchange_n(&is_registered, true, __ATOMIC_ACQ_REL))
		result = pthread_atfork(kymo_fork_before, kymo_fork_parent, kymo_fork_child);
	return result;
}

/* Open path of the forking thread, outermost first; returns the number of regions. */
static uint32_t open_path(const struct kymo_thread *thread, uint32_t *regions, uint32_t max)
{
	const struct kymo_node *node = callpath_position(thread);
	uint32_t depth = node->depth, count = depth < max ? depth : max;

	for (; node != thread->root; node = kymo_node_at(thread, node->parent))
		if (node->depth <= count)
			regions[node->depth - 1] = node->region;
	return count;
}

static void inherit_path(struct kymo_thread *thread, const uint32_t *regions, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!callpath_inherit(thread, regions[i], fork_time.ticks))
			return;
		if (session.mode & KYMO_MODE_TRACE)
			kymo_event_put(thread, KYMO_EVENT_ENTER, regions[i], fork_time.ticks);
	}
}

static struct kymo_thread *state_like(const struct kymo_thread *before, bool is_fiber)
{
	struct kymo_thread *thread;

	if (!store_lock())
		return NULL;
	thread = thread_new(NULL, is_fiber ? "greenlet" : NULL,
			    is_fiber ? KYMO_THREAD_FIBER : KYMO_THREAD_ADOPTED);
	store_unlock();
	if (thread) {
		thread->record->start_ticks = fork_time.ticks;
		position_began(thread, fork_time.ticks);
		thread->root->enter = fork_time.ticks;
		thread->blocked = before->blocked;
		thread->paused = before->paused;
		thread->pauses = before->pauses;
		thread->hidden = before->hidden;
		thread->gate = before->gate;
		thread->gated = before->gated;
		thread->gate_seen = before->gate_seen;
		thread->off_ticks = before->off_ticks;
		thread->pinned = before->pinned;
		thread->outermost = before->outermost;
		thread->user = before->user;
		thread->user_count = before->user_count;
		thread->user_capacity = before->user_capacity;
		thread->stack_low = before->stack_low;
		thread->collector = before->collector;
	}
	return thread;
}

#define PATH_MAX_REGIONS 65536

/* The forking thread's new state, at the same call path as the old one. */
static bool restore_thread(void)
{
	static uint32_t regions[PATH_MAX_REGIONS]; /* used by the one thread of a new child */
	struct kymo_thread *before = forked_thread;
	struct kymo_thread *thread;
	uint32_t count;

	if (!before || !before->record)
		return true;
	count = open_path(before, regions, PATH_MAX_REGIONS);
	thread = state_like(before, before->is_fiber);
	if (!thread)
		return false;
	thread_make_current(thread);
	inherit_path(thread, regions, count);
	return true;
}

static bool forking_restore(struct tables_snapshot *snapshot, const struct kymo_header *parent)
{
	char text[32];
	bool is_complete;

	if (!store_lock())
		return false;
	store.header->flags |= KYMO_HEADER_FORKED;
	gate_fork_child(forked_thread);
	store.header->start_ticks = fork_time.ticks;
	store.header->start_realtime_ns = fork_time.realtime_ns;
	store.header->parent_pid = parent->pid;
	store.header->cost_enter_exit_ps = parent->cost_enter_exit_ps;
	store.header->cost_enter_exit_inside_ps = parent->cost_enter_exit_inside_ps;
	store.header->cost_resume_ps = parent->cost_resume_ps;
	store.header->cost_resume_inside_ps = parent->cost_resume_inside_ps;
	store.header->cost_c_call_ps = parent->cost_c_call_ps;
	store.header->cost_c_call_inside_ps = parent->cost_c_call_inside_ps;
	store.header->parent_start_ns = parent->start_realtime_ns;
	store_inherit_function_events(parent);
	is_complete = tables_restore(snapshot);
	series_restore();
	snprintf(text, sizeof(text), "%u", parent->pid);
	note_write(KYMO_NOTE_INFO, "forked_from", text);
	notes_inherit((const char *)parent, fork_end);
	modules_inherit((const char *)parent, fork_end);
	store_unlock();
	return is_complete;
}

static struct {
	char *start;
	uint64_t bytes;
} kept;

void kymo_sample_keep(struct kymo_chunk *chunk)
{
	kept.start = (char *)chunk;
	kept.bytes = chunk->size;
}

/* True for the caller that makes the recording: a signal handler may compete. */
static bool forking_claim(void)
{
	int forked = SESSION_FORKED;

	return __atomic_compare_exchange_n(&session.state, &forked, KYMO_RUNTIME_DISABLED, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static bool resume(void)
{
	KEEP_ERRNO();
	int result;
	struct mapfile before = store.file;
	const struct kymo_header *parent = store.header;
	struct tables_snapshot snapshot = tables_detach(before.base);
	struct kymo_thread *states = threads_detach();
	bool is_whole = false;
	int cancel_state;

	cancel_state = cancel_disable(); /* do not cancel it half-way */
	session.is_root = false;
	session.is_finisher = false;
	session.is_forked = true;
	store.header = NULL;
	fibers_forget();
	counters_forked();
	result = session_record();
	if (result == 0 && forking_restore(&snapshot, parent)) {
		session.state = KYMO_RUNTIME_ACTIVE;
		is_whole = restore_thread();
		if (session.is_resident)
			rundir_export();
	}
	if (!is_whole) {
		session.state = KYMO_RUNTIME_DISABLED;
		kymo_log(KYMO_LOG_ERROR,
			 "cannot record the forked process %d: %s; it continues unrecorded",
			 (int)getpid(), result ? strerror(result) : "no room");
	}
	threads_discard(states);
	mapfile_release_but(&before, kept.start, kept.bytes);
	kept.start = NULL;
	forked_thread = NULL;
	cancel_restore(cancel_state);
	if (is_whole && sampling_is_resuming()) /* in a handler */
		helpers_begin_later();
	else if (is_whole)
		helpers_begin(true);
	return is_whole;
}

bool forking_resume(void)
{
	return forking_claim() ? resume() : session.state == KYMO_RUNTIME_ACTIVE;
}
