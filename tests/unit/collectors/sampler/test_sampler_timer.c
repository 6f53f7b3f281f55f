/* When signals are due: distances around the period that add up, and what is done about those that
 * come late.  The kernel's timers and events are stand-ins. */
#include "collectors/sampler/sampler_timer.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PERIOD UINT64_C(1000000)
#define TIMER  5
#define EVENT  6

struct sampler_plan sampler_plan;

static struct sampler_thread self;
static clockid_t created; /* clock of the latest timer */
static uint64_t set_ns;	  /* what it was set to */
static bool has_timers, has_event, is_chosen;
static unsigned rearmed, stopped, closed;
static uint64_t rearmed_period;

long sampler_system_call(long number, long first, long second, long third, long fourth)
{
	const struct itimerspec *when = (const struct itimerspec *)third;

	(void)second, (void)fourth;
	if (number == SYS_timer_create) {
		created = (clockid_t)first;
		*(int *)third = TIMER;
		return has_timers ? 0 : -EAGAIN;
	}
	assert_int_equal(number, SYS_timer_settime);
	set_ns = (uint64_t)when->it_value.tv_sec * NS_PER_SECOND + (uint64_t)when->it_value.tv_nsec;
	return 0;
}

bool sampler_threads_has(const struct sampler_threads *threads, uint32_t number)
{
	(void)threads, (void)number;
	return is_chosen;
}

int sampler_event_open(const struct sampler_kind *kind, uint64_t period)
{
	(void)kind;
	assert_in_range(period, 1, PERIOD);
	return has_event ? EVENT : -1;
}

uint64_t sampler_event_id(int descriptor)
{
	assert_int_equal(descriptor, EVENT);
	return 77;
}

void sampler_event_rearm(int descriptor, uint64_t period)
{
	(void)descriptor;
	rearmed++;
	rearmed_period = period;
}

void sampler_event_stop(int descriptor)
{
	(void)descriptor;
	stopped++;
}

bool sampler_event_is_open(const struct sampler_timer *timer)
{
	(void)timer;
	return false;
}

void sampler_event_close(const struct sampler_timer *timer)
{
	(void)timer;
	closed++;
}

void sampler_rest_reset(struct sampler_thread *state)
{
	(void)state;
}

void sampler_rest_begin(struct sampler_thread *state, uint64_t *period)
{
	(void)state, (void)period;
}

void sampler_rest_pause(struct sampler_thread *state)
{
	(void)state;
}

void sampler_rest_end(struct sampler_thread *state)
{
	(void)state;
}

static int begin(void **state)
{
	(void)state;
	memset(&self, 0, sizeof(self));
	memset(&sampler_plan, 0, sizeof(sampler_plan));
	self.random = 1;
	self.system_id = 1234;
	sampler_plan.kind[0] = (struct sampler_kind){
		.is_on = true, .signal = 60, .engine = SAMPLER_WALL, .period = PERIOD};
	sampler_plan.has_jitter = true;
	has_timers = has_event = is_chosen = true;
	rearmed = stopped = closed = 0;
	return 0;
}

/* From half a period to one and a half, a period in the mean. */
static void test_distances(void **state)
{
	uint64_t sum = 0;

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t distance = sampler_timer_draw(&self, PERIOD);

		assert_in_range(distance, PERIOD / 2, PERIOD + PERIOD / 2);
		sum += distance;
	}
	assert_in_range(sum / 10000, PERIOD * 98 / 100, PERIOD * 102 / 100);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(sampler_timer_draw(&self, 1), 1); /* each event */
		assert_in_range(sampler_timer_draw(&self, 2), 1, 3);
	}
	sampler_plan.has_jitter = false;
	assert_int_equal(sampler_timer_draw(&self, PERIOD), PERIOD);
}

static void test_the_first_signal(void **state)
{
	uint64_t before = usage_clock_ns(CLOCK_MONOTONIC);

	(void)state;
	sampler_plan.kind[0].start_ns = before + UINT64_C(3600) * NS_PER_SECOND; /* a delay */
	assert_true(sampler_timers_begin(&self));
	assert_int_equal(created, CLOCK_MONOTONIC);
	assert_in_range(set_ns - sampler_plan.kind[0].start_ns, 1, PERIOD);
	sampler_plan.kind[0].engine = SAMPLER_CPU;
	assert_true(sampler_timers_begin(&self));
	assert_int_equal(created, sampler_cpu_clock(1234));
	assert_true(set_ns < sampler_plan.kind[0].start_ns); /* another clock */
}

static void test_threads_that_are_not_sampled(void **state)
{
	(void)state;
	is_chosen = false;
	assert_true(sampler_timers_begin(&self));
	assert_int_equal(self.timer[0].engine, SAMPLER_NONE);
	is_chosen = true;
	has_timers = false;
	assert_false(sampler_timers_begin(&self));
	assert_int_equal(self.timer[0].engine, SAMPLER_NONE);
	has_timers = true;
	self.start_ns = 100;
	sampler_plan.kind[0].end_ns = 100;
	assert_true(sampler_timers_begin(&self));
	assert_int_equal(self.timer[0].engine, SAMPLER_NONE);
}

/* Who gets no event has the timer that was chosen for that. */
static void test_events_and_what_stands_in_for_them(void **state)
{
	(void)state;
	sampler_plan.kind[0].engine = SAMPLER_EVENT;
	sampler_plan.kind[0].otherwise = SAMPLER_CPU;
	assert_true(sampler_timers_begin(&self));
	assert_int_equal(self.timer[0].engine, SAMPLER_EVENT);
	assert_int_equal(self.timer[0].event_id, 77);
	sampler_timer_next(&self, 0, 0);
	assert_int_equal(rearmed_period, self.timer[0].period);
	sampler_timers_pause(&self);
	sampler_timers_end(&self);
	assert_int_equal(stopped, 1);
	assert_int_equal(closed, 1);
	has_event = false;
	assert_true(sampler_timers_begin(&self));
	assert_int_equal(self.timer[0].engine, SAMPLER_CPU);
	sampler_plan.kind[0].otherwise = SAMPLER_NONE;
	assert_false(sampler_timers_begin(&self));
}

/* The next one is counted from when this one was due, however late it came. */
static void test_distances_add_up(void **state)
{
	uint64_t due;

	(void)state;
	sampler_plan.has_jitter = false;
	assert_true(sampler_timers_begin(&self));
	due = self.timer[0].due_ns;
	sampler_timer_next(&self, 0, due + PERIOD / 3);
	assert_int_equal(set_ns, due + PERIOD);
	sampler_timer_next(&self, 0, due + 100 * PERIOD); /* it was stopped */
	assert_in_range(set_ns - due, 100 * PERIOD + 1, 101 * PERIOD);
	sampler_plan.kind[0].end_ns = due;
	set_ns = 0;
	sampler_timer_next(&self, 0, due + 101 * PERIOD);
	assert_int_equal(set_ns, 0); /* it is over */
}

/* Waiting threads that are woken late are woken less often, until they are in time. */
static void test_late_signals_of_who_waits(void **state)
{
	struct sampler_timer *timer = &self.timer[0];

	(void)state;
	assert_true(sampler_timers_begin(&self));
	self.is_waiting = true;
	for (unsigned i = 0; i < 20; i++)
		sampler_timer_next(&self, 0, timer->due_ns + 2 * (PERIOD << timer->period_shift));
	assert_int_equal(timer->period_shift, PERIOD_SHIFT_MAX);
	sampler_timer_next(&self, 0, timer->due_ns);
	assert_int_equal(timer->period_shift, PERIOD_SHIFT_MAX - 1);
	self.is_waiting = false;
	sampler_timer_next(&self, 0, timer->due_ns + 2 * PERIOD);
	assert_int_equal(timer->period_shift, PERIOD_SHIFT_MAX - 2);
}

static void test_pause_and_resume(void **state)
{
	uint64_t due;

	(void)state;
	assert_true(sampler_timers_begin(&self));
	due = set_ns;
	sampler_timers_pause(&self);
	assert_int_equal(set_ns, 0);
	sampler_timers_resume(&self);
	assert_int_equal(set_ns, due);
	sampler_timers_forget(&self);
	assert_int_equal(self.timer[0].engine, SAMPLER_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_distances, begin),
		cmocka_unit_test_setup(test_the_first_signal, begin),
		cmocka_unit_test_setup(test_threads_that_are_not_sampled, begin),
		cmocka_unit_test_setup(test_events_and_what_stands_in_for_them, begin),
		cmocka_unit_test_setup(test_distances_add_up, begin),
		cmocka_unit_test_setup(test_late_signals_of_who_waits, begin),
		cmocka_unit_test_setup(test_pause_and_resume, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
