/* Who held the GIL while others waited. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/samples/sampled_gil.h"
#include "model/samples/sampled_waits.h"
#include "sampled_fixture.h"

/* A sample of wall time of any thread, up to a time in units. */
static void put_gil(struct sampled_fixture *sampled, uint32_t thread, enum kymo_gil_state gil,
		    uint64_t until, uint32_t stack)
{
	synthetic_sample(sampled->synthetic, thread, KYMO_SAMPLE_REALTIME, gil, until * UNIT, stack,
			 SYNTHETIC_NONE, SYNTHETIC_NONE);
	sampled->time = until > sampled->time ? until : sampled->time;
}

static struct sampled_gil *gil_of(struct sampled_fixture *sampled)
{
	struct sampled_gil *gil;

	open_samples(sampled);
	assert_int_equal(sampled_gil_new(sampled->recording, sampled->samples, &plain, &gil),
			 KYMO_OK);
	return gil;
}

/* holder  |--f:10 held--------40|--f:11 held--60|--not--80|
 * waiter      |--waits 30--|--held by g 50--|--waits 55--|--not----80|
 * other                  20|--waits-------45|-- */
static void test_who_holds_the_gil(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t f = code_of_lines(&sampled, "f", 10), g = code_of_lines(&sampled, "g", 20);
	uint32_t others[2], stacks[2];
	struct sampled_gil *gil;

	(void)state;
	for (int i = 0; i < 2; i++) {
		others[i] = synthetic_thread(sampled.synthetic, 0, NULL, 0);
		synthetic_sample(sampled.synthetic, others[i], KYMO_SAMPLE_BEGIN, 0,
				 (i ? 20 : 10) * UNIT, 0, SYNTHETIC_NONE, SYNTHETIC_NONE);
		stacks[i] = synthetic_stack(sampled.synthetic, others[i], 0, python(g, 0));
	}
	put_gil(&sampled, 0, KYMO_GIL_HELD, 40, STACK(&sampled, python(f, 0)));
	put_gil(&sampled, 0, KYMO_GIL_HELD, 60, STACK(&sampled, python(f, 2)));
	put_gil(&sampled, 0, KYMO_GIL_NOT_HELD, 80, STACK(&sampled, python(f, 2)));
	put_gil(&sampled, others[0], KYMO_GIL_WAITED_FOR, 30, stacks[0]);
	put_gil(&sampled, others[0], KYMO_GIL_HELD, 50, stacks[0]);
	put_gil(&sampled, others[0], KYMO_GIL_WAITED_FOR, 55, stacks[0]);
	put_gil(&sampled, others[0], KYMO_GIL_NOT_HELD, 80, stacks[0]);
	put_gil(&sampled, others[1], KYMO_GIL_WAITED_FOR, 45, stacks[1]);
	gil = gil_of(&sampled);
	assert_int_equal(gil->thread_count, 3);
	assert_float_equal(gil->threads[0].held_ns, 60 * UNIT, 1e-6);
	assert_float_equal(gil->threads[0].wait_ns, 0, 1e-6);
	assert_int_equal(gil->threads[0].hold_count, 1);
	assert_float_equal(gil->threads[0].held.share, 60.0 / 80, 1e-9);
	assert_float_equal(gil->threads[1].held_ns, 20 * UNIT, 1e-6);
	assert_float_equal(gil->threads[1].wait_ns, 25 * UNIT, 1e-6);
	assert_int_equal(gil->threads[1].wait_count, 2);
	assert_float_equal(gil->threads[2].wait_ns, 25 * UNIT, 1e-6);
	/* Somebody waited from 10 to 45 and from 50 to 55. */
	assert_float_equal(gil->contended_ns, 40 * UNIT, 1e-6);
	assert_float_equal(gil->wait_ns, 50 * UNIT, 1e-6);
	assert_int_equal(gil->line_count, 3);
	/* f:10 from 0 to 40: 30 of contention, of which 10 with two that waited. */
	assert_string_equal(gil->lines[0].function, "f");
	assert_int_equal(gil->lines[0].line, 10);
	assert_float_equal(gil->lines[0].blocking_ns, 30 * UNIT, 1e-6);
	assert_float_equal(gil->lines[0].waited_ns, 40 * UNIT, 1e-6);
	assert_float_equal(gil->lines[0].held_ns, 40 * UNIT, 1e-6);
	/* g:20 from 30 to 50; f:11 from 40 to 60. */
	assert_string_equal(gil->lines[1].function, "g");
	assert_float_equal(gil->lines[1].blocking_ns, 15 * UNIT, 1e-6);
	assert_int_equal(gil->lines[2].line, 11);
	assert_float_equal(gil->lines[2].blocking_ns, 10 * UNIT, 1e-6);
	assert_float_equal(gil->threads[0].blocking_ns, 40 * UNIT, 1e-6);
	sampled_gil_free(gil);
	end(&sampled);
}

/* A pause of sampling belongs to nobody, and a thread that sees no GIL is left out. */
static void test_pauses_and_threads_without_a_gil(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t stack = STACK(&sampled, native(PROGRAM + 1));
	struct sampled_gil *gil;
	uint32_t other = synthetic_thread(sampled.synthetic, 0, NULL, 0);

	(void)state;
	put_gil(&sampled, 0, KYMO_GIL_WAITED_FOR, 10, stack);
	synthetic_sample(sampled.synthetic, 0, KYMO_SAMPLE_BEGIN, 0, 50 * UNIT, 0, SYNTHETIC_NONE,
			 SYNTHETIC_NONE);
	put_gil(&sampled, 0, KYMO_GIL_HELD, 60, stack);
	put_gil(&sampled, other, KYMO_GIL_UNKNOWN, 60, 0);
	gil = gil_of(&sampled);
	assert_int_equal(gil->thread_count, 1);
	assert_float_equal(gil->contended_ns, 10 * UNIT, 1e-6);
	assert_float_equal(gil->held_ns, 10 * UNIT, 1e-6);
	assert_int_equal(gil->line_count, 1);
	assert_string_equal(gil->lines[0].function, "[no Python frame]");
	sampled_gil_free(gil);
	end(&sampled);
}

static void test_any_gil_adds_up(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct sampled_fixture sampled =
			random_samples(seed * UINT64_C(0x9e3779b97f4a7c15));
		struct sampled_gil *gil = gil_of(&sampled);
		double held = 0, wait = 0;

		for (size_t i = 0; i < gil->line_count; i++) {
			const struct sampled_gil_line *line = &gil->lines[i];

			held += line->held_ns;
			assert_true(line->blocking_ns >= 0);
			assert_true(line->blocking_ns <= line->held_ns + 1e-3);
			assert_true(line->blocking_ns <= line->waited_ns + 1e-3);
		}
		for (size_t i = 0; i < gil->thread_count; i++)
			wait += gil->threads[i].wait_ns;
		assert_float_equal(held, gil->held_ns, 1e-3);
		assert_float_equal(wait, gil->wait_ns, 1e-3);
		assert_true(gil->contended_ns <= gil->wait_ns + 1e-3);
		assert_true(gil->held_ns > 0 && gil->wait_ns > 0);
		sampled_gil_free(gil);
		end(&sampled);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_holds_the_gil),
		cmocka_unit_test(test_pauses_and_threads_without_a_gil),
		cmocka_unit_test(test_any_gil_adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
