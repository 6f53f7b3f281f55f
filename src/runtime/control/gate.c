/* Switching recording on and off: changes of the gate word in the header, which each thread applies
 * at its next event, so that no thread writes into the tree of another.
 *
 * Time windows need no helper thread: if there are any, every event compares the time with that
 * of the next edge, and the thread that finds it passed makes the change, as of the time of the
 * edge. */
#include "runtime/control/gate.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "config/settings.h"
#include "format/gateword.h"
#include "platform/stackmark.h"
#include "platform/ticks.h"
#include "platform/usage.h"
#include "runtime/control/selected.h"
#include "runtime/control/windows.h"
#include "runtime/hot.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/store.h"
#include "runtime/threads/thread.h"
#include "runtime/user/userguard.h"

/* Marks a run that was stopped from outside; in its directory. */
#define STOPPED_FILE "stopped"
#define LOG_SAFE     (KYMO_GATE_LOG_COUNT - 2) /* changes back that are certain to be in the log */

/* Guarded by the store's lock, except ask_ticks. */
static struct windows windows;
static uint64_t ask_ticks = UINT64_MAX; /* atomic; no change by time is due before */
static struct kymo_header fork_header;	/* the gate's part is valid: as it was at the fork */

static uint32_t number_now(void)
{
	return __atomic_load_n(&store.header->gate, __ATOMIC_ACQUIRE);
}

/* Store the time of the first change that a thread has not seen: it may make no events until the
 * log has been overwritten. */
static void gate_keep_times(void)
{
	for (struct kymo_thread *thread = thread_list; thread; thread = thread->next)
		if (!thread->off_ticks && !(thread->gate_seen & KYMO_GATE_OFF) &&
		    thread->gate_seen != number_now())
			thread->off_ticks = gateword_time(store.header, thread->gate_seen + 1);
}

/* The recording is mapped contiguously. */
static void gate_turn_switch(void)
{
	uint64_t offset = __atomic_load_n(&store.header->switch_offset, __ATOMIC_SEQ_CST);

	if (offset)
		gateword_switch(store.header, (struct kymo_switch *)(store.file.base + offset));
}

static void gate_change(uint32_t cause, bool is_off, uint64_t ticks)
{
	gate_keep_times();
	gateword_change(store.header, cause, is_off, ticks);
	gate_turn_switch();
}

/* Make the changes that are due at now. */
static void apply_windows(uint64_t now)
{
	struct window_edge edge;

	while (windows_next(&windows, now, &edge))
		gate_change(KYMO_GATE_BY_WINDOW, !edge.is_on, edge.ticks);
	__atomic_store_n(&ask_ticks, windows.check_ticks, __ATOMIC_RELAXED);
}

static bool is_due(uint64_t now)
{
	return now >= __atomic_load_n(&ask_ticks, __ATOMIC_RELAXED);
}

static void apply_windows_now(void)
{
	uint64_t now = ticks_now();

	if (is_due(now))
		apply_windows(now);
}

void gate_cause(uint32_t cause, bool is_off)
{
	apply_windows_now();
	gate_change(cause, is_off, ticks_now());
}

bool gate_switch(bool is_on)
{
	KEEP_ERRNO();

	if (!session_ensure() || !store_lock())
		return false;
	gate_cause(KYMO_GATE_BY_PROGRAM, !is_on);
	store_unlock();
	return true;
}

static bool gate_has_windows(void)
{
	return __atomic_load_n(&ask_ticks, __ATOMIC_RELAXED) != UINT64_MAX;
}

/* True if threads have to check the gate at every event. */
static bool must_check(void)
{
	return gate_has_windows() || selected_regions;
}

static bool gate_is_behind(const struct kymo_thread *thread)
{
	return thread->gate_seen != number_now() || (thread->gate == KYMO_GATE_ASK) != must_check();
}

static void mark_seen(struct kymo_thread *thread, uint32_t number)
{
	thread->gate_seen = number;
	thread->gate = must_check() ? KYMO_GATE_ASK : number;
}

bool gate_is_on(void)
{
	if (is_due(ticks_now()) && store_lock()) {
		apply_windows_now();
		store_unlock();
	}
	return !(number_now() & KYMO_GATE_OFF);
}

uint64_t gate_shut_ns(void)
{
	uint64_t edge = __atomic_load_n(&ask_ticks, __ATOMIC_RELAXED), now = ticks_now();
	uint32_t causes = __atomic_load_n(&store.header->gate_causes, __ATOMIC_RELAXED);

	if (!(causes & KYMO_GATE_BY_WINDOW))
		return 0;
	if (edge == UINT64_MAX)
		return UINT64_MAX;
	return edge > now ? (uint64_t)((double)(edge - now) / windows.ticks_per_ns) : 0;
}

/* Close, as of ticks, what is open now.  The lock is held. */
static void gate_switch_off(struct kymo_thread *thread, uint64_t ticks)
{
	thread_close(thread, ticks);
	thread->off_ticks = 0;
	thread->gated = 1;
	thread->blocked++;
}

static void switch_on(struct kymo_thread *thread, uint64_t ticks, bool may_lock)
{
	thread->gated = 0;
	thread->blocked--;
	thread_reopen(thread, ticks, may_lock);
}

/* The next change to apply; if the log no longer has it, the oldest one of the same kind. */
static uint32_t next_change(const struct kymo_thread *thread, uint32_t last)
{
	uint32_t next = thread->gate_seen + 1, oldest = last - LOG_SAFE;

	if (last - next <= LOG_SAFE)
		return next;
	return oldest + ((oldest ^ next) & KYMO_GATE_OFF);
}

static void gate_apply(struct kymo_thread *thread, uint32_t number, bool may_lock)
{
	uint64_t ticks = gateword_time(store.header, number), now = kymo_now(thread);

	if (ticks > now) /* changed by a process whose clock is ahead */
		ticks = now;
	if (number & KYMO_GATE_OFF)
		gate_switch_off(thread, thread->off_ticks ? thread->off_ticks : ticks);
	else
		switch_on(thread, ticks, may_lock);
	mark_seen(thread, number);
}

void gate_catch_up(struct kymo_thread *thread, uint32_t last)
{
	while (thread->gate_seen != last)
		gate_apply(thread, next_change(thread, last), false);
}

/* Closing needs the lock, reopening may need to take it. */
void gate_follow(struct kymo_thread *thread)
{
	uint32_t last = number_now();

	while (thread->gate_seen != last) {
		uint32_t number = next_change(thread, last);
		bool needs_lock = number & KYMO_GATE_OFF;

		if (needs_lock && !store_lock())
			return;
		gate_apply(thread, number, true);
		if (needs_lock)
			store_unlock();
	}
	mark_seen(thread, last);
}

void gate_begin_thread(struct kymo_thread *thread)
{
	apply_windows_now();
	mark_seen(thread, number_now());
	thread->gated = thread->gate_seen & KYMO_GATE_OFF;
	thread->blocked += thread->gated;
}

static void apply_windows_locking(uint64_t now)
{
	if (!store_lock())
		return;
	apply_windows(now);
	store_unlock();
}

/* A handler that interrupted an enter, or this, leaves the change to the interrupted code. */
static bool is_interrupted(const struct kymo_thread *thread)
{
	return thread->busy && stack_mark_is_alive(thread->busy, stack_mark());
}

bool kymo_admits_slow(struct kymo_thread *thread)
{
	KEEP_ERRNO();
	uint64_t now;

	if (!thread->record || session.state != KYMO_RUNTIME_ACTIVE)
		return false;
	if (gate_has_windows() && !is_interrupted(thread)) {
		now = kymo_now(thread);
		if (is_due(now))
			apply_windows_locking(now);
	}
	if (gate_is_behind(thread) && !is_interrupted(thread) && user_acquire(thread)) {
		gate_follow(thread);
		user_release(thread);
	}
	/* A thread that could not follow now enters nothing that would be closed at an earlier
	 * time. */
	return thread->blocked == 0 && thread->gate_seen == number_now();
}

bool gate_is_open(uint64_t now, uint64_t *since_out)
{
	uint32_t number;

	if (is_due(now))
		apply_windows_locking(now);
	number = number_now();
	*since_out = gateword_time(store.header, number);
	return !(number & KYMO_GATE_OFF);
}

int gate_configure(const struct settings *settings, struct problem *problem)
{
	int status = periods_from_settings(settings, &windows.periods, problem);

	if (status == KYMO_OK)
		selected_configure(settings_text(settings, SET_SELECTED_REGIONS));
	return status;
}

/* From the pairs in the recording so far; windows estimate times early anyway. */
static double ticks_per_ns(const struct kymo_header *header)
{
	const struct kymo_clock_pair *first = &header->pairs[0];
	const struct kymo_clock_pair *last = &header->pairs[header->pair_count - 1];

	if (!clock_is_ticks() || last->monotonic_ns <= first->monotonic_ns)
		return 1;
	return (double)(last->ticks - first->ticks) /
	       (double)(last->monotonic_ns - first->monotonic_ns);
}

/* CPU time does not advance while other processes run. */
static uint64_t clock_at(clockid_t clock, uint64_t ticks)
{
	if (clock == CLOCK_PROCESS_CPUTIME_ID)
		return usage_clock_ns(clock);
	return clock_ns_at(clock, ticks, windows.ticks_per_ns);
}

static void open_windows(uint64_t ticks)
{
	long cpu_count = sysconf(_SC_NPROCESSORS_CONF);

	windows.read_ns = clock_at;
	windows.ticks_per_ns = ticks_per_ns(store.header);
	windows.cpu_count = cpu_count > 0 ? (unsigned)cpu_count : 1;
	windows_begin(&windows, ticks);
	if (!windows.is_on)
		gate_change(KYMO_GATE_BY_WINDOW, true, store.header->start_ticks);
	__atomic_store_n(&ask_ticks, windows.check_ticks, __ATOMIC_RELAXED);
}

/* `kymo ctl` makes the file before it scans for recordings, and a recording has its name before
 * it checks for the file. */
static void apply_stopped_file(void)
{
	char path[sizeof(session.directory) + sizeof(STOPPED_FILE) + 1];

	snprintf(path, sizeof(path), "%s/" STOPPED_FILE, session.directory);
	gate_change(KYMO_GATE_BY_CONTROL, access(path, F_OK) == 0, ticks_now());
}

void gate_open(void)
{
	open_windows(ticks_now());
	apply_stopped_file();
	if (selected_regions)
		gate_change(KYMO_GATE_BY_REGION, true, store.header->start_ticks);
}

uint32_t gate_latest(void)
{
	apply_windows_now();
	return number_now();
}

/* Keeps the parity, but differs from what the threads saw last. */
uint32_t gate_shut(void)
{
	return __atomic_fetch_add(&store.header->gate, 2, __ATOMIC_SEQ_CST);
}

void gate_fork_before(void)
{
	apply_windows_now();
	fork_header = *store.header;
}

/* The program's windows continue; what `kymo ctl` did since is known from its file. */
void gate_fork_child(const struct kymo_thread *before)
{
	struct kymo_header *header = store.header;

	header->gate_word = fork_header.gate_word;
	header->gate_freed_ticks = fork_header.gate_freed_ticks;
	memcpy(header->gate_log, fork_header.gate_log, sizeof(header->gate_log));
	windows_fork(&windows, ticks_now());
	apply_stopped_file();
	if (selected_regions)
		gate_change(KYMO_GATE_BY_REGION, !selected_fork(before), ticks_now());
}
