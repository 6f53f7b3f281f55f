/* Threads that are left to sleep: the timer on their CPU clock that tells that they run, and the
 * samples that they slept through.  The kernel's timers and the stream are stand-ins. */
#include "collectors/sampler/sampler_rest.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "collectors/sampler/sampler_kinds.h"
#include "collectors/sampler/sampler_rest.h"
#include "collectors/sampler/sampler_timer.h"

#define PERIOD	     1000000u
#define PUTS_MAX     200
#define GUARD_NUMBER 7

struct sampler_plan sampler_plan;

static bool has_guards;
static unsigned guards_made, guards_set;
static uint64_t guard_due;
static struct sample_record puts_[PUTS_MAX];
static size_t put_count;

uint64_t sampler_timer_draw(struct sampler_thread *self, uint64_t period)
{
	(void)self;
	return period;
}

bool sampler_guard_new(struct sampler_thread *self, int *id_out)
{
	(void)self;
	guards_made++;
	*id_out = GUARD_NUMBER;
	return has_guards;
}

void sampler_guard_set(int id, uint64_t due_ns)
{
	assert_int_equal(id, GUARD_NUMBER);
	guards_set++;
	guard_due = due_ns;
}

clockid_t sampler_cpu_clock(int system_id)
{
	(void)system_id;
	return CLOCK_THREAD_CPUTIME_ID;
}

bool sampler_stream_put(struct sampler_thread *self, const struct sample_record *record)
{
	(void)self;
	assert_in_range(put_count, 0, PUTS_MAX - 1);
	puts_[put_count++] = *record;
	return true;
}

bool kymo_sample_admits(const struct kymo_thread *thread, uint64_t *opened_out)
{
	(void)thread, (void)opened_out;
	return false;
}

static struct sampler_thread self;

static int begin(void **state)
{
	(void)state;
	memset(&self, 0, sizeof(self));
	memset(&sampler_plan, 0, sizeof(sampler_plan));
	sampler_plan.kind[REALTIME].is_on = true;
	sampler_plan.kind[REALTIME].period = PERIOD;
	self.ns_per_tick = 1;
	has_guards = true;
	guards_made = guards_set = 0;
	guard_due = 0;
	put_count = 0;
	return 0;
}

/* A signal meets the thread; returns the distance to the next one. */
static uint64_t meet(uint64_t ticks, uint64_t cpu_ns, bool is_waiting, uint32_t stack)
{
	const struct sample_record record = {
		.kind = KYMO_SAMPLE_REALTIME, .ticks = ticks, .stack = stack};
	uint64_t period = PERIOD;

	self.is_waiting = is_waiting;
	self.rest.has_sample = false;
	sampler_rest_catch_up(&self, &record, cpu_ns);
	self.seen_cpu_ns = cpu_ns;
	sampler_rest_begin(&self, &period);
	return period;
}

static void test_guard_before_rest(void **state)
{
	(void)state;
	assert_int_equal(meet(PERIOD, 500, false, 1), PERIOD);
	assert_int_equal(guards_made, 0);
	assert_int_equal(meet(2 * PERIOD, 600, true, 2), REST_NS);
	assert_int_equal(guards_made, 1);
	assert_int_equal(guard_due, 600 + PERIOD / 2); /* it runs that long unseen, no longer */
	/* It slept on: the guard still is to come, and is not armed again. */
	assert_int_equal(meet(10 * PERIOD, 700, true, 2), REST_NS);
	assert_int_equal(guards_set, 1);
	/* It ran, so that the guard has come: for the next rest there is to be one again. */
	meet(20 * PERIOD, 600 + PERIOD, false, 1);
	assert_int_equal(meet(21 * PERIOD, 700 + PERIOD, true, 2), REST_NS);
	assert_int_equal(guards_made, 1);
	assert_int_equal(guards_set, 2);
	assert_int_equal(guard_due, 700 + PERIOD + PERIOD / 2);
}

static void test_no_rest_without_guard(void **state)
{
	(void)state;
	has_guards = false;
	assert_int_equal(meet(PERIOD, 500, true, 1), PERIOD);
	assert_int_equal(meet(2 * PERIOD, 500, true, 1), PERIOD);
	assert_int_equal(guards_made, 1); /* asked for once */
	assert_int_equal(put_count, 0);
}

static void test_pause(void **state)
{
	(void)state;
	meet(PERIOD, 500, true, 1);
	sampler_rest_pause(&self);
	assert_int_equal(guard_due, 0);
	meet(10 * PERIOD, 500, true, 1); /* resumed */
	assert_int_equal(guard_due, 500 + PERIOD / 2);
}

/* The sleep's samples end where it began to run, by its CPU time. */
static void test_what_was_slept_through(void **state)
{
	(void)state;
	meet(10 * PERIOD, 0, true, 3);
	meet(16 * PERIOD, 2 * PERIOD, false, 4);
	assert_int_equal(put_count, 4);
	for (size_t i = 0; i < put_count; i++) {
		assert_int_equal(puts_[i].stack, 3);
		assert_in_range(puts_[i].ticks, 11 * PERIOD, 14 * PERIOD);
	}
	assert_int_equal(puts_[3].ticks, 14 * PERIOD);
}

/* Who ran without being met is woken at the full rate for a while. */
static void test_missed(void **state)
{
	(void)state;
	meet(PERIOD, 0, true, 3);
	assert_int_equal(meet(9 * PERIOD, MISSED_NS + 1, true, 3), PERIOD);
	for (unsigned i = 1; i < AWAKE; i++)
		assert_int_equal(meet((9 + i) * PERIOD, MISSED_NS + 1, true, 3), PERIOD);
	assert_int_equal(meet((9 + AWAKE) * PERIOD, MISSED_NS + 1, true, 3), REST_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_guard_before_rest, begin),
		cmocka_unit_test_setup(test_no_rest_without_guard, begin),
		cmocka_unit_test_setup(test_pause, begin),
		cmocka_unit_test_setup(test_what_was_slept_through, begin),
		cmocka_unit_test_setup(test_missed, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
