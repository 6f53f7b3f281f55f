/* The GIL's times of each thread, and waiting as a region on its call path.
 *
 * Times are added up in the thread's own record here and written as points of series, at most
 * one every few milliseconds: the series rise, their last points are the totals.  The rest is
 * written when the recording closes, for all threads. */
#include "collectors/gil/gil_thread.h"

#include "collectors/wrap.h"
#include "platform/systemclock.h"
#include "runtime/control/sampling.h"
#include "runtime/store/seriestable.h"
#include "runtime/threads/helper.h"

#define THREADS_MAX 4096
#define POINTS_NS   10000000u /* minimum between the points of a thread */

struct gil_thread {
	uint64_t held_since, wanted_since; /* ns; 0 = not now */
	uint64_t held, waited;		   /* ns */
	uint64_t takes, changes;
	uint64_t written; /* ns, when the last points were written */
	struct kymo_points points;
	uint32_t number; /* of the thread */
	uint32_t series[4];
	bool is_entered; /* the region of waiting is open */
};

static struct gil_thread threads[THREADS_MAX];
static uint32_t thread_count;
static uint32_t last_holder;	       /* number + 1 */
static uint32_t waiting;	       /* region */
static struct kymo_points last_points; /* of all threads, for when the recording closes */

static __thread struct gil_thread *own __attribute__((tls_model("initial-exec")));

enum { HELD, WAITED, TAKES, CHANGES };
static const struct {
	const char *name, *unit;
} series_table[] = {
	[HELD] = {"GIL held", "sec"},
	[WAITED] = {"GIL waited", "sec"},
	[TAKES] = {"GIL taken", ""},
	[CHANGES] = {"GIL handed over", ""},
};

/* NULL: there are too many threads, or this one is not recorded. */
static struct gil_thread *thread_state_of(struct kymo_thread *thread)
{
	uint32_t index;

	if (kymo_likely(own != NULL))
		return own;
	index = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
	if (index >= THREADS_MAX) {
		__atomic_fetch_sub(&thread_count, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	own = &threads[index];
	own->number = kymo_thread_number(thread);
	for (size_t i = 0; i < sizeof(series_table) / sizeof(*series_table); i++)
		own->series[i] = kymo_series_define_for(series_table[i].name, series_table[i].unit,
							own->number);
	return own;
}

/* since may be later than now, in another thread. */
static uint64_t elapsed(uint64_t since, uint64_t now)
{
	return since && now > since ? now - since : 0;
}

/* now: ns, and the same in ticks. */
static void write_points(const struct gil_thread *state, struct kymo_points *points, uint64_t now,
			 uint64_t ticks)
{
	uint64_t held = elapsed(__atomic_load_n(&state->held_since, __ATOMIC_RELAXED), now);
	uint64_t waited = elapsed(__atomic_load_n(&state->wanted_since, __ATOMIC_RELAXED), now);
	const double values[] = {
		[HELD] = (double)(state->held + held) * 1e-9,
		[WAITED] = (double)(state->waited + waited) * 1e-9,
		[TAKES] = (double)state->takes,
		[CHANGES] = (double)state->changes,
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (state->series[i])
			kymo_points_append(points, state->series[i], ticks, values[i]);
}

void gil_is_wanted(void)
{
	struct kymo_thread *thread = kymo_thread();
	struct gil_thread *state = thread->record ? thread_state_of(thread) : NULL;

	if (!state || state->wanted_since)
		return;
	state->wanted_since = systemclock_ns(CLOCK_MONOTONIC);
	state->is_entered = kymo_admits(thread) && kymo_region_enter(thread, waiting);
}

void gil_was_taken(void)
{
	struct kymo_thread *thread = kymo_thread();
	struct gil_thread *state = thread->record ? thread_state_of(thread) : NULL;
	uint32_t holder;
	uint64_t now;

	if (!state)
		return;
	now = systemclock_ns(CLOCK_MONOTONIC);
	if (state->wanted_since) {
		state->waited += now - state->wanted_since;
		state->wanted_since = 0;
		if (state->is_entered)
			kymo_region_leave(thread, waiting);
		state->is_entered = false;
	}
	holder = state->number + 1;
	state->changes += __atomic_exchange_n(&last_holder, holder, __ATOMIC_RELAXED) != holder;
	state->takes++;
	state->held_since = now;
}

void gil_is_dropped(void)
{
	struct kymo_thread *thread = kymo_thread();
	struct gil_thread *state = thread->record ? thread_state_of(thread) : NULL;
	uint64_t now;

	if (!state)
		return;
	now = systemclock_ns(CLOCK_MONOTONIC);
	if (state->held_since)
		state->held += now - state->held_since;
	state->held_since = 0;
	if (now - state->written < POINTS_NS)
		return;
	state->written = now;
	write_points(state, &state->points, now, kymo_now(thread));
}

static void close_points(void)
{
	uint32_t count = __atomic_load_n(&thread_count, __ATOMIC_RELAXED);
	struct kymo_thread *thread = kymo_thread();
	uint64_t now = systemclock_ns(CLOCK_MONOTONIC);

	for (uint32_t i = 0; i < count && i < THREADS_MAX; i++)
		write_points(&threads[i], &last_points, now, kymo_now(thread));
}

/* A child has one thread, which holds the GIL, and a recording of its own. */
static void thread_go_on(bool is_forked)
{
	if (!is_forked)
		return;
	for (uint32_t i = 0; i < thread_count && i < THREADS_MAX; i++)
		threads[i] = (struct gil_thread){0};
	last_points = (struct kymo_points){0};
	thread_count = last_holder = 0;
	own = NULL;
}

static const struct kymo_helper helper = {close_points, thread_go_on};

void gil_thread_begin(void)
{
	struct kymo_region_spec region = {.kind = KYMO_REGION_PTHREAD,
					  .name = "waiting for the GIL"};

	waiting = kymo_region_intern(&region);
	kymo_helper_register(&helper);
}
