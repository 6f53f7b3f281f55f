/* The counters of throttled functions, and the selection of functions to throttle. */
#include "collectors/functions/funcpatch.h"

#include <stdio.h>
#include <time.h>

#include "base/partitionpoint.h"
#include "base/threadlocal.h"
#include "collectors/functions/modules/funcpatch_switch.h"
#include "patch/apply/patchapply_throttle.h"
#include "platform/code/rawmemory.h"
#include "platform/usage.h"
#include "runtime/store/note.h"
#include "runtime/threads/helper.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/records/funcpatch_cost.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/threads/funcpatch_switching.h"
#include "collectors/functions/counts/funcpatch_throttle.h"
#include "runtime/control/sampling.h"

#define NOTE_KEY     "functions"
#define WHOLE	     100000000.0 /* of the budget's unit: 100 percent */
#define JUMPS_PS     700u	 /* a jump there and one back, not calibrated */
#define TICK_NS	     10000000u
#define KEEP_EVERY   10u /* in ticks of the helper */
#define SPACE_MAX    50u /* between two measurements, if there is nothing to do */
#define LEAST_CPU_NS UINT64_C(2000000)

__thread uint64_t funcpatch_throttle_counters[FUNCPATCH_THROTTLED_MAX]
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

static struct {
	uint32_t id;
	uint64_t since;
} slots[FUNCPATCH_THROTTLED_MAX];
static unsigned slot_count; /* incremented by the helper when the slot is visible; atomic */
static uint32_t module_count;
static bool is_off;  /* the helper has seen that recording is off */
static int error;    /* why text could not be changed */
static bool is_over; /* the budget is exceeded, and nothing more can be done */

void funcpatch_throttle_init(void)
{
	module_count = funcpatch_is_attached ? 0 : funcpatch_module_count;
}

bool funcpatch_throttle_is_wanted(void)
{
	return funcpatch_settings.budget > 0 && module_count > 0;
}

uint32_t funcpatch_throttle_modules(void)
{
	return module_count;
}

bool funcpatch_throttle_is_on(uint32_t id)
{
	for (unsigned i = 0; i < slot_count; i++)
		if (slots[i].id == id)
			return true;
	return false;
}

/* They are at the same offset from a thread's state in every thread. */
static uint64_t *counters_of(const struct patch_thread_state *hot)
{
	return (uint64_t *)((uintptr_t)hot + (threadlocal_address(funcpatch_throttle_counters) -
					      threadlocal_address(&funcpatch_thread_state)));
}

static uint64_t read_counter(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

void funcpatch_throttle_begin(struct funcpatch_thread *self)
{
	const uint64_t payload = FUNCPATCH_THROTTLED_MAX * sizeof(struct kymo_throttled);
	const uint64_t *counters = counters_of(self->hot);
	struct kymo_chunk *chunk;

	self->throttle = (struct funcpatch_throttle_thread){.records = NULL};
	if (!funcpatch_throttle_is_wanted())
		return;
	chunk = kymo_sample_chunk(self->thread, KYMO_CHUNK_THROTTLED, payload,
				  sizeof(struct kymo_throttled), 0);
	if (chunk)
		self->throttle.records = (struct kymo_throttled *)(chunk + 1);
	for (unsigned i = 0; i < FUNCPATCH_THROTTLED_MAX; i++)
		self->throttle.off[i] = read_counter(&counters[i]);
}

void funcpatch_throttle_keep(struct funcpatch_thread *thread)
{
	unsigned count = __atomic_load_n(&slot_count, __ATOMIC_ACQUIRE);
	struct funcpatch_throttle_thread *throttle = &thread->throttle;
	const uint64_t *counters = counters_of(thread->hot);

	for (unsigned i = 0; i < count && throttle->records; i++) {
		uint64_t calls = is_off ? throttle->off[i] : read_counter(&counters[i]);

		if (calls == throttle->left_out[i])
			continue;
		throttle->records[i].id = slots[i].id;
		throttle->records[i].since = slots[i].since;
		__atomic_store_n(&throttle->records[i].calls, calls - throttle->left_out[i],
				 __ATOMIC_RELEASE);
	}
}

void funcpatch_throttle_forget(const struct patch_thread_state *hot)
{
	uint64_t *counters = counters_of(hot);

	for (unsigned i = 0; i < FUNCPATCH_THROTTLED_MAX; i++)
		counters[i] = 0;
}

static void throttle_keep(struct funcpatch_thread *thread, void *unused)
{
	(void)unused;
	funcpatch_throttle_keep(thread);
}

static void keep_all(bool is_open)
{
	uint64_t before;

	funcpatch_lock(&before);
	if (is_open || __atomic_load_n(&funcpatch_is_open, __ATOMIC_ACQUIRE))
		funcpatch_threads_each(throttle_keep, NULL);
	funcpatch_unlock(before);
}

void funcpatch_throttle_close(void)
{
	char text[160];

	if (!funcpatch_throttle_is_wanted())
		return;
	keep_all(true);
	if (error != 0) {
		snprintf(text, sizeof(text),
			 "the budget was exceeded: the program's code may not be changed while it "
			 "runs (error %d)",
			 error);
		kymo_note_add(KYMO_NOTE_LOSS, NOTE_KEY, text);
	} else if (is_over) {
		kymo_note_add(KYMO_NOTE_LOSS, NOTE_KEY,
			      "the budget was exceeded: functions that cannot be only counted "
			      "are called too often");
	}
}

/* Copies do not test the switch: what they count while it is off is subtracted. */
static void turn(struct funcpatch_thread *thread, void *unused)
{
	struct funcpatch_throttle_thread *throttle = &thread->throttle;
	const uint64_t *counters = counters_of(thread->hot);

	(void)unused;
	for (unsigned i = 0; i < FUNCPATCH_THROTTLED_MAX; i++) {
		uint64_t now = read_counter(&counters[i]);

		if (is_off)
			throttle->left_out[i] += now - throttle->off[i];
		else
			throttle->off[i] = now;
	}
}

static void throttle_follow(void)
{
	bool is_off_now = funcpatch_is_switched_off() || funcpatch_gate_is_stopped();
	uint64_t before;

	if (is_off_now == is_off)
		return;
	funcpatch_lock(&before);
	if (__atomic_load_n(&funcpatch_is_open, __ATOMIC_ACQUIRE)) {
		funcpatch_threads_each(turn, NULL);
		is_off = is_off_now;
	}
	funcpatch_unlock(before);
}

static const struct plan_copy *throttle_copy_of(const struct plan *plan, uint32_t function)
{
	const uint64_t count = plan->header->copy_count;
	uint64_t at = partition_point(count, i, plan->copies[i].function < function);

	return at < count && plan->copies[at].function == function ? &plan->copies[at] : NULL;
}

/* The functions of one module among the selected ones. */
static void throttle_in_module(struct funcpatch_module *module,
			       const struct funcpatch_throttle_rate *rates, unsigned count)
{
	struct patch_throttle throttled[FUNCPATCH_THROTTLED_MAX];
	uint64_t now = kymo_helper_now();
	unsigned wanted = 0, first = slot_count;

	for (unsigned i = 0; i < count && first + wanted < FUNCPATCH_THROTTLED_MAX; i++) {
		uint32_t index = rates[i].id - module->first_id;
		const uint64_t *counter = &funcpatch_throttle_counters[first + wanted];

		if (index >= module->count)
			continue;
		throttled[wanted] = (struct patch_throttle){
			.copy = throttle_copy_of(&module->applied.plan, index),
			.counter = (int32_t)(threadlocal_address(counter) -
					     funcpatch_thread_pointer()),
		};
		if (!throttled[wanted].copy)
			continue;
		slots[first + wanted].id = rates[i].id;
		slots[first + wanted++].since = now;
	}
	__atomic_store_n(&slot_count, first + wanted, __ATOMIC_RELEASE);
	if (wanted > 0 && error == 0)
		error = patchapply_throttle(&module->applied, throttled, wanted);
}

static void throttle_in_modules(const struct funcpatch_throttle_rate *rates, unsigned count)
{
	for (uint32_t i = 0; i < module_count; i++)
		throttle_in_module(&funcpatch_modules[i], rates, count);
}

/* How many of the most-called functions have to be throttled so that the rest costs half of the
 * budget. */
static unsigned how_many(const struct funcpatch_throttle_rate *rates, unsigned count,
			 uint64_t calls, uint64_t cpu_ns)
{
	uint64_t cost_ps = funcpatch_cost_ps() + JUMPS_PS;
	uint64_t spent_ns = calls * cost_ps / 1000;
	uint64_t own_ns = cpu_ns > spent_ns ? cpu_ns - spent_ns : cpu_ns / 10;
	/* For hours of many threads, while recording was off, the product exceeds 64 bits. */
	uint64_t may_ns = (uint64_t)((double)own_ns * funcpatch_settings.budget / WHOLE);
	unsigned taken = 0;

	is_over = spent_ns > may_ns && count == 0;
	if (spent_ns <= may_ns)
		return 0;
	while (taken < count && calls * cost_ps / 1000 > may_ns / 2) {
		calls -= rates[taken].calls < calls ? rates[taken].calls : calls;
		taken++;
	}
	return taken;
}

/* True if a function was throttled. */
static bool throttle_check(void)
{
	static uint64_t last_ns;
	struct funcpatch_throttle_rate rates[FUNCPATCH_THROTTLED_MAX];
	uint64_t now_ns = usage_clock_ns(CLOCK_PROCESS_CPUTIME_ID), calls;
	unsigned count, taken;

	if (last_ns != 0 && now_ns - last_ns < LEAST_CPU_NS)
		return false;
	count = funcpatch_throttle_measure(rates, FUNCPATCH_THROTTLED_MAX - slot_count, &calls);
	taken = last_ns == 0 ? 0 : how_many(rates, count, calls, now_ns - last_ns);
	last_ns = now_ns;
	if (taken > 0)
		throttle_in_modules(rates, taken);
	return taken > 0;
}

void funcpatch_throttle_tick(void)
{
	static uint64_t last_ns;
	static unsigned until_keep, until_check, space;
	uint64_t now_ns = usage_clock_ns(CLOCK_MONOTONIC);

	if (now_ns - last_ns < TICK_NS)
		return;
	last_ns = now_ns;
	throttle_follow();
	if (until_keep-- == 0) {
		keep_all(false);
		until_keep = KEEP_EVERY;
	}
	if (error != 0 || is_off || until_check-- > 0)
		return;
	space = throttle_check() ? 0 : space * 2 + 1;
	if (space > SPACE_MAX)
		space = SPACE_MAX;
	until_check = space;
}
