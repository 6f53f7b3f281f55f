/* What threads waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/samples/sampled_gil.h"
#include "model/samples/sampled_threads.h"
#include "model/samples/sampled_waits.h"
#include "sampled_fixture.h"

static struct sampled_waits *waits_of(struct sampled_fixture *sampled)
{
	struct sampled_waits *waits;

	open_samples(sampled);
	assert_int_equal(sampled_waits_new(sampled->recording, sampled->samples, &plain, &waits),
			 KYMO_OK);
	return waits;
}

static void assert_wait(const struct sampled_wait *wait, enum sampled_class class,
			const char *object, const char *function, uint64_t units)
{
	assert_int_equal(wait->class, class);
	if (object)
		assert_string_equal(wait->object, object);
	else
		assert_null(wait->object);
	if (function)
		assert_string_equal(wait->function, function);
	else
		assert_null(wait->function);
	assert_float_equal(wait->ns, (double)(units * UNIT), 1e-6);
}

static void test_what_is_waited_for(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t f = code_of_lines(&sampled, "f", 10);
	uint64_t helper = native(INTERPRETER + 1), libc = native(LIBC + 1);
	uint64_t lock = kernel(202) | (PROGRAM + 0x40), heap = kernel(202) | UINT64_C(0xabc000);
	uint64_t from_socket = descriptor(45, KYMO_DESCRIPTOR_SOCKET);
	struct sampled_waits *waits;

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 40, STACK(&sampled, python(f, 0), helper, libc, lock),
	    0);
	put(&sampled, KYMO_SAMPLE_REALTIME, 2, STACK(&sampled, python(f, 0), libc, lock), 0);
	put(&sampled, KYMO_SAMPLE_REALTIME, 30, STACK(&sampled, python(f, 2), helper, libc, lock),
	    0);
	put(&sampled, KYMO_SAMPLE_REALTIME, 20,
	    STACK(&sampled, python(f, 2), native(EXTENSION + 1), libc, heap), 0);
	put(&sampled, KYMO_SAMPLE_REALTIME, 10,
	    STACK(&sampled, python(f, 4), helper, libc, from_socket), 0);
	put(&sampled, KYMO_SAMPLE_REALTIME, 5, STACK(&sampled, libc, kernel(230)), 0);
	put(&sampled, KYMO_SAMPLE_REALTIME, 100, STACK(&sampled, python(f, 4)), 100);
	waits = waits_of(&sampled);
	assert_int_equal(waits->count, 5);
	assert_wait(&waits->waits[0], SAMPLED_LOCK, "prog+0x40", "f", 42);
	assert_int_equal(waits->waits[0].line, 10);
	assert_int_equal(waits->waits[0].count, 2);
	assert_string_equal(waits->waits[0].call, "futex");
	assert_float_equal(waits->waits[0].share.share, 42.0 / 207, 1e-9);
	assert_wait(&waits->waits[1], SAMPLED_LOCK, "prog+0x40", "f", 30);
	assert_int_equal(waits->waits[1].line, 11);
	assert_wait(&waits->waits[2], SAMPLED_LOCK, "0xabc000", "_multiarray.so+0x1", 20);
	assert_wait(&waits->waits[3], SAMPLED_NETWORK, "descriptor 5, socket", "f", 10);
	assert_wait(&waits->waits[4], SAMPLED_SLEEP, NULL, NULL, 5);
	assert_float_equal(waits->total_ns, 207 * UNIT, 1e-6);
	sampled_waits_free(waits);
	end(&sampled);
}

/* What the clock of the processor says counts, not how long a thread stood for one. */
static void test_idle_threads_run_next_to_nothing(void **state)
{
	const uint64_t ran[] = {1, 10};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct sampled_fixture sampled = begin();
		uint32_t f = code_of_lines(&sampled, "f", 10);
		struct sampled_waits *waits;

		put(&sampled, KYMO_SAMPLE_REALTIME, 90,
		    STACK(&sampled, native(LIBC + 1), kernel(230)), 0);
		put(&sampled, KYMO_SAMPLE_REALTIME, 10, STACK(&sampled, python(f, 4)), ran[i]);
		waits = waits_of(&sampled);
		assert_float_equal(waits->idle_ns, i == 0 ? 100 * UNIT : 0, 1e-6);
		sampled_waits_free(waits);
		end(&sampled);
	}
}

static void test_waits_and_threads_agree(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct sampled_fixture sampled =
			random_samples(seed * UINT64_C(0x9e3779b97f4a7c15));
		struct sampled_waits *waits = waits_of(&sampled);
		double classes[SAMPLED_CLASSES] = {0};
		struct sampled_threads *threads;

		assert_int_equal(sampled_threads_new(sampled.recording, sampled.samples, &threads),
				 KYMO_OK);
		for (size_t i = 0; i < waits->count; i++)
			classes[waits->waits[i].class] += waits->waits[i].ns;
		for (int class = SAMPLED_LOCK; class <= SAMPLED_OTHER; class ++) {
			for (size_t i = 0; i < threads->count; i++)
				classes[class] -= threads->threads[i].class_ns[class];
			assert_float_equal(classes[class], 0, 1e-3);
		}
		sampled_threads_free(threads);
		sampled_waits_free(waits);
		end(&sampled);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_waited_for),
		cmocka_unit_test(test_idle_threads_run_next_to_nothing),
		cmocka_unit_test(test_waits_and_threads_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
