/* Copies and calls of a plan: taken when all of them fit, and not otherwise. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "patch/read/planread_throttle.h"

static struct plan_header header;
static struct plan_copy copies[2];
static struct plan_call calls[3];
static const struct plan plan = {.header = &header, .copies = copies, .calls = calls};

/* Two functions are copied; the first one's copy has two calls, the other's one. */
static int set_up(void **state)
{
	(void)state;
	header = (struct plan_header){.variant = PLAN_VARIANT_THROTTLE,
				      .function_count = 10,
				      .code_size = 100,
				      .text_start = 0x1000,
				      .text_end = 0x2000,
				      .copy_count = 2,
				      .call_count = 3};
	copies[0] = (struct plan_copy){
		.function = 3, .code = 0, .counter_at = 8, .first_call = 0, .call_count = 2};
	copies[1] = (struct plan_copy){
		.function = 4, .code = 50, .counter_at = 96, .first_call = 2, .call_count = 1};
	calls[0].distance_at = 1;
	calls[1].distance_at = 64;
	calls[2].distance_at = 0xffc;
	return 0;
}

static void test_good(void **state)
{
	(void)state;
	assert_true(planread_throttle(&plan));
}

static void test_copies(void **state)
{
	(void)state;
	copies[1].function = 3; /* twice */
	assert_false(planread_throttle(&plan));
	copies[1].function = 10; /* there is none */
	assert_false(planread_throttle(&plan));
	set_up(state);
	copies[1].counter_at = 97; /* beyond the code */
	assert_false(planread_throttle(&plan));
	copies[1].counter_at = 49; /* before the copy */
	assert_false(planread_throttle(&plan));
	set_up(state);
	header.code_size = 3;
	assert_false(planread_throttle(&plan));
}

static void test_calls_belong_to_one_copy_each(void **state)
{
	(void)state;
	copies[1].first_call = 1;
	assert_false(planread_throttle(&plan));
	set_up(state);
	copies[1].call_count = 2;
	assert_false(planread_throttle(&plan));
	copies[1].call_count = 0; /* the last one is nobody's */
	assert_false(planread_throttle(&plan));
}

/* In the text, and so that the distance can be written at once. */
static void test_calls_can_be_written(void **state)
{
	static const uint64_t wrong[] = {0, 0xffd, 0x1000, UINT64_MAX, 61, 62, 63};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		calls[1].distance_at = (__typeof__(calls[1].distance_at))wrong[i];
		assert_false(planread_throttle(&plan));
	}
	calls[1].distance_at = 60;
	assert_true(planread_throttle(&plan));
}

static void test_other_variants_have_none(void **state)
{
	(void)state;
	header.variant = 0;
	assert_false(planread_throttle(&plan));
	header.copy_count = 0;
	assert_false(planread_throttle(&plan));
	header.call_count = 0;
	assert_true(planread_throttle(&plan));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_good, set_up),
		cmocka_unit_test_setup(test_copies, set_up),
		cmocka_unit_test_setup(test_calls_belong_to_one_copy_each, set_up),
		cmocka_unit_test_setup(test_calls_can_be_written, set_up),
		cmocka_unit_test_setup(test_other_variants_have_none, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
