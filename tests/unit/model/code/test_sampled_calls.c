/* System calls that threads wait in, and what their descriptors tell. */
#include "model/code/sampled_calls.h"

#include "model/samples/sampled_tables_fixture.h"

static void test_descriptors_tell_what_is_waited_for(void **state)
{
	static const enum sampled_class expected[] = {
		[KYMO_DESCRIPTOR_UNKNOWN] = SAMPLED_IO,	 [KYMO_DESCRIPTOR_FILE] = SAMPLED_IO,
		[KYMO_DESCRIPTOR_PIPE] = SAMPLED_IO,	 [KYMO_DESCRIPTOR_SOCKET] = SAMPLED_NETWORK,
		[KYMO_DESCRIPTOR_TERMINAL] = SAMPLED_IO, [KYMO_DESCRIPTOR_OTHER] = SAMPLED_OTHER,
	};

	(void)state;
	for (int kind = 0; kind <= KYMO_DESCRIPTOR_OTHER; kind++) {
		struct sampled_fixture sampled = begin();

		put(&sampled, KYMO_SAMPLE_REALTIME, 10,
		    STACK(&sampled, native(PROGRAM + 1),
			  descriptor(0, (enum kymo_descriptor_kind)kind)),
		    0);
		assert_float_equal(thread_of(&sampled).class_ns[expected[kind]], 10 * UNIT, 1e-6);
		end(&sampled);
	}
}

static void test_calls_by_their_functions(void **state)
{
	static const struct {
		const char *function;
		enum sampled_class class; /* SAMPLED_CLASSES = it is no wait */
	} cases[] = {
		{"read", SAMPLED_IO},
		{"__libc_read", SAMPLED_IO},
		{"__GI___read_nocancel", SAMPLED_IO},
		{"__pthread_cond_wait", SAMPLED_LOCK},
		{"pthread_cond_timedwait", SAMPLED_LOCK},
		{"__futex_abstimed_wait_common64", SAMPLED_LOCK},
		{"epoll_wait", SAMPLED_NETWORK},
		{"recv", SAMPLED_NETWORK},
		{"clock_nanosleep", SAMPLED_SLEEP},
		{"wait4", SAMPLED_CHILD},
		{"memcpy", SAMPLED_CLASSES},
		{"getpid", SAMPLED_CLASSES},
		{"reader", SAMPLED_CLASSES},
		{"rea", SAMPLED_CLASSES},
		{"__", SAMPLED_CLASSES},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sampled_call *call = sampled_call_named(cases[i].function);

		assert_int_equal(call ? call->class : SAMPLED_CLASSES, cases[i].class);
	}
	assert_string_equal(sampled_call_find(202)->name, "futex");
	assert_null(sampled_call_find(400)); /* between the two ranges that are used */
	assert_null(sampled_call_find(UINT32_MAX));
	assert_true(sampled_call_is_sleep(UINT64_C(271) << 48));
	assert_false(sampled_call_is_sleep(UINT64_C(271) << 48 | UINT64_C(1) << 32));
	assert_string_equal(sampled_call_find((uint32_t)(sampled_call_sleep() >> 48))->name,
			    "clock_nanosleep");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptors_tell_what_is_waited_for),
		cmocka_unit_test(test_calls_by_their_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
