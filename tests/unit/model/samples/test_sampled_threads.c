/* What threads did by their samples, and how sure shares are. */
#include "model/samples/sampled_tree.h"

#include "model/samples/sampled_kinds.h"
#include "model/samples/sampled_threads.h"
#include "sampled_tables_fixture.h"

static void test_the_gil(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t f = synthetic_code(sampled.synthetic, "f", "/src/a.py", 1);
	uint32_t works = STACK(&sampled, python(f, 0));
	uint32_t waits = STACK(&sampled, python(f, 0), native(LIBC + 1), kernel(202) | 0x2040);
	struct sampled_thread thread;

	(void)state;
	synthetic_sample(sampled.synthetic, 0, KYMO_SAMPLE_REALTIME, KYMO_GIL_HELD, 30 * UNIT,
			 works, 30 * UNIT, SYNTHETIC_NONE);
	synthetic_sample(sampled.synthetic, 0, KYMO_SAMPLE_REALTIME, KYMO_GIL_WAITED_FOR, 50 * UNIT,
			 waits, 0, SYNTHETIC_NONE);
	synthetic_sample(sampled.synthetic, 0, KYMO_SAMPLE_REALTIME, KYMO_GIL_NOT_HELD, 55 * UNIT,
			 waits, 0, SYNTHETIC_NONE);
	sampled.time = 55;
	thread = thread_of(&sampled);
	assert_float_equal(thread.gil_held_ns, 30 * UNIT, 1e-6);
	assert_float_equal(thread.gil_wait_ns, 20 * UNIT, 1e-6);
	assert_float_equal(thread.class_ns[SAMPLED_PYTHON], 30 * UNIT, 1e-6);
	assert_float_equal(thread.class_ns[SAMPLED_GIL], 20 * UNIT, 1e-6);
	assert_float_equal(thread.class_ns[SAMPLED_LOCK], 5 * UNIT, 1e-6);
	assert_float_equal(thread.wall_ns, 55 * UNIT, 1e-6);
	end(&sampled);
}

/* A thread that was found computing all the time and had a processor for a third of it; and
 * one that ran half of the time, which samples err about. */
static void test_without_a_processor(void **state)
{
	struct sampled_fixture crowded = begin(), alternating = begin();
	uint32_t works = STACK(&crowded, native(PROGRAM + 1)), waits;
	struct sampled_thread thread;

	(void)state;
	for (int i = 0; i < 100; i++)
		put(&crowded, KYMO_SAMPLE_REALTIME, 9, works, 3);
	thread = thread_of(&crowded);
	assert_float_equal(thread.class_ns[SAMPLED_NATIVE], 300 * UNIT, 1e-3);
	assert_float_equal(thread.class_ns[SAMPLED_RUNNABLE], 600 * UNIT, 1e-3);
	assert_float_equal(thread.cpu_ns, 300 * UNIT, 1e-3);
	end(&crowded);

	works = STACK(&alternating, native(PROGRAM + 1));
	waits = STACK(&alternating, native(PROGRAM + 1), kernel(230));
	for (int i = 0; i < 100; i++)
		put(&alternating, KYMO_SAMPLE_REALTIME, 10, i % 100 < 52 ? works : waits, 5);
	thread = thread_of(&alternating);
	assert_true(thread.class_ns[SAMPLED_RUNNABLE] == 0);
	assert_float_equal(thread.class_ns[SAMPLED_NATIVE], 520 * UNIT, 1e-3);
	assert_float_equal(thread.class_ns[SAMPLED_SLEEP], 480 * UNIT, 1e-3);
	end(&alternating);
}

static void test_any_threads_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct sampled_fixture sampled =
			random_samples(seed * UINT64_C(0x9e3779b97f4a7c15));
		struct sampled_threads *threads;

		open_samples(&sampled);
		assert_int_equal(sampled_threads_new(sampled.recording, sampled.samples, &threads),
				 KYMO_OK);
		assert_int_equal(threads->count, 2);
		for (size_t i = 0; i < threads->count; i++) {
			const struct sampled_thread *thread = &threads->threads[i];
			double sum = 0;

			for (int class = 0; class < SAMPLED_CLASSES; class ++) {
				assert_true(thread->class_ns[class] >= 0);
				sum += thread->class_ns[class];
			}
			assert_float_equal(sum, thread->wall_ns, 1e-3);
			assert_true(thread->gil_held_ns + thread->gil_wait_ns <=
				    thread->wall_ns + 1e-3);
		}
		sampled_threads_free(threads);
		end(&sampled);
	}
}

static void test_intervals(void **state)
{
	struct sampled_share half = sampled_interval(0.5, 100);

	(void)state;
	/* Wilson's interval as tables have it. */
	assert_float_equal(half.low, 0.4038315, 1e-5);
	assert_float_equal(half.high, 0.5961685, 1e-5);
	assert_true(sampled_interval(0, 10).low == 0);
	assert_float_equal(sampled_interval(0, 10).high, 0.2775402, 1e-5);
	assert_float_equal(sampled_interval(1, 10).low, 0.7224598, 1e-5);
	assert_true(sampled_interval(1, 10).high == 1);
	assert_true(sampled_interval(0.3, 0).low == 0 && sampled_interval(0.3, 0).high == 1);
	assert_true(sampled_interval(0.3, NAN).low == 0 && sampled_interval(0.3, NAN).high == 1);
	assert_true(sampled_interval(1.0000001, 1e6).share == 1);
	assert_true(sampled_interval(-1e-9, 1e6).low == 0);
	for (double n = 0.5; n < 1e9; n *= 3) {
		for (double share = 0; share <= 1; share += 1.0 / 64) {
			struct sampled_share interval = sampled_interval(share, n);

			assert_true(interval.low >= 0 && interval.high <= 1);
			assert_true(interval.low <= share && share <= interval.high);
		}
	}
}

/* The true share lies inside in at least 93 of 100 trials, of samples of equal weight and of
 * such that stand for different times. */
static void test_intervals_cover(void **state)
{
	static const double shares[] = {0.02, 0.1, 0.5, 0.8};
	enum { TRIALS = 4000, SAMPLES = 300 };
	uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);

	(void)state;
	for (int is_weighted = 0; is_weighted < 2; is_weighted++) {
		for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++) {
			int inside = 0;

			for (int trial = 0; trial < TRIALS; trial++) {
				double hit = 0, sum = 0, squares = 0;
				struct sampled_share interval;

				for (int i = 0; i < SAMPLES; i++) {
					double weight =
						is_weighted ? 1 + (double)(next_random(&seed) % 5)
							    : 1;
					double draw = (double)(next_random(&seed) >> 11) / 0x1p53;

					hit += draw < shares[k] ? weight : 0;
					sum += weight;
					squares += weight * weight;
				}
				interval = sampled_interval(hit / sum, sum * sum / squares);
				inside += interval.low <= shares[k] && shares[k] <= interval.high;
			}
			assert_true(inside >= TRIALS * 93 / 100);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_gil),
		cmocka_unit_test(test_without_a_processor),
		cmocka_unit_test(test_any_threads_add_up),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_intervals_cover),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
