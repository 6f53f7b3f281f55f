/* Time between two records that others had: all of it where nothing was in between, else what is
 * beyond short context switches. */
#include "collectors/functions/records/funcpatch_away.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct kymo_thread thread;
static struct funcpatch_thread self;
static uint64_t ticks, off_ticks; /* what the next look finds */
static bool is_restricted;

bool kymo_runtime_is_restricted(void)
{
	return is_restricted;
}

void kymo_sample_waits(struct kymo_thread *of)
{
	of->has_waits = true;
}

void switched_read(struct switched *switched)
{
	switched->ticks = ticks;
	switched->off_ticks = off_ticks;
}

void funcpatch_call_kept(void (*function)(void *), void *argument)
{
	function(argument);
}

static int begin(void **state)
{
	(void)state;
	memset(&thread, 0, sizeof(thread));
	self.thread = &thread;
	is_restricted = false;
	ticks = 1000;
	off_ticks = 0;
	funcpatch_away_begin(&self);
	return 0;
}

static uint64_t look(uint64_t passed, uint64_t off, uint64_t gone)
{
	ticks += passed;
	off_ticks += off;
	return funcpatch_away_measure(&self, gone);
}

/* Each time between two records was looked at: what is known is of that alone. */
static void test_one_gap(void **state)
{
	(void)state;
	assert_int_equal(look(1000, 400, 1000), 400);
	assert_true(self.away.is_crowded);
	assert_int_equal(look(1000, 1500, 1000), 1000); /* no more than the gap */
	assert_int_equal(look(1000, 0, 300), 300);	/* the rest is in those that follow */
	assert_int_equal(look(1000, 0, 1000), 200);
	assert_int_equal(look(1000, 0, 1000), 0);
	assert_false(self.away.is_crowded);
}

/* Brief switches are everywhere, and stay in the times. */
static void test_many_records_in_between(void **state)
{
	const uint64_t span = UINT64_C(1) << 30;

	(void)state;
	assert_int_equal(look(span, LONG_TICKS / 2, 8 * LONG_TICKS), 0);
	assert_int_equal(self.away.short_switches, LONG_TICKS / 2);
	assert_int_equal(look(span, 4 * LONG_TICKS, 8 * LONG_TICKS),
			 4 * LONG_TICKS - ticks_of_short_switches(&self.away, span));
	assert_true(ticks_of_short_switches(&self.away, span) > 0);
	assert_int_equal(self.away.short_switches,
			 LONG_TICKS / 2); /* a long one says nothing of these */
}

/* What others have most of is taken whole. */
static void test_a_crowd(void **state)
{
	const uint64_t span = UINT64_C(1) << 30;

	(void)state;
	assert_int_equal(look(span, LONG_TICKS / 2, 0), 0);
	assert_int_equal(look(span, span / 2, 0), span / 2);
}

static void test_nothing_is_known(void **state)
{
	(void)state;
	self.away.switched.ticks = 0; /* there was no look before */
	assert_int_equal(look(1000, 500, 1000), 0);
	is_restricted = true;
	assert_int_equal(look(1000, 500, 1000), 0);
	is_restricted = false;
	thread.has_waits = false;
	assert_int_equal(look(1000, 500, 1000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_one_gap, begin),
		cmocka_unit_test_setup(test_many_records_in_between, begin),
		cmocka_unit_test_setup(test_a_crowd, begin),
		cmocka_unit_test_setup(test_nothing_is_known, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
