/* What a thread did when a sample was taken. */
#include "model/samples/sampled_frames.h"

#include "model/samples/sampled_class.h"
#include "model/samples/sampled_threads.h"
#include "sampled_tables_fixture.h"

static void test_classes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
		struct sampled_fixture sampled = begin();
		struct sampled_thread thread;

		put(&sampled, KYMO_SAMPLE_REALTIME, 10,
		    STACK(&sampled, native(PROGRAM + 1), leaves[i].leaf), leaves[i].cpu_units);
		thread = thread_of(&sampled);
		/* Of what computed, what had no processor is runnable. */
		assert_float_equal(thread.class_ns[leaves[i].class] +
					   thread.class_ns[SAMPLED_RUNNABLE],
				   10 * UNIT, 1e-6);
		assert_true(leaves[i].class == SAMPLED_KERNEL ||
			    thread.class_ns[SAMPLED_RUNNABLE] == 0);
		end(&sampled);
	}
}

static void test_names_of_classes(void **state)
{
	(void)state;
	for (int class = 0; class < SAMPLED_CLASSES; class ++)
		assert_string_not_equal(sampled_class_name((enum sampled_class) class), "unknown");
	assert_string_equal(sampled_class_name(SAMPLED_CLASSES), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_names_of_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
