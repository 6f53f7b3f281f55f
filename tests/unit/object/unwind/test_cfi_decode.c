/* Call frame instructions one at a time. */
#include "object/unwind/cfi_decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define AT 0x1000u

static const struct cfi_section section;
static const struct cfi_entry entry = {.code_alignment = 4, .data_alignment = -8};

/* One instruction that takes all of the bytes; cut anywhere, it is none. */
static struct cfi_step decode(const char *text, size_t size)
{
	struct cfi_step step;

	for (size_t length = 0; length <= size; length++) {
		uint8_t *copy = malloc(length ? length : 1); /* exact, for the sanitizers */
		struct cfi_bytes bytes = {copy, copy + length, false};
		bool is_known;

		memcpy(copy, text, length);
		is_known = cfi_decode(&section, &entry, AT, &bytes, &step);
		assert_int_equal(is_known, length == size);
		if (is_known)
			assert_int_equal(cfi_left(&bytes), 0);
		free(copy);
	}
	return step;
}
#define DECODE(text) decode(text, sizeof(text) - 1)

static void assert_rule(struct cfi_step step, uint64_t number, enum cfi_rule_kind kind,
			int64_t value)
{
	assert_int_equal(step.kind, CFI_STEP_RULE);
	assert_int_equal(step.number, number);
	assert_int_equal(step.rule.kind, kind);
	assert_int_equal(step.rule.value, value);
}

static void test_rules(void **state)
{
	(void)state;
	assert_rule(DECODE("\x86\x02"), 6, CFI_RULE_OFFSET, -16);
	assert_rule(DECODE("\x05\x21\x03"), 33, CFI_RULE_OFFSET, -24);
	assert_rule(DECODE("\x11\x06\x7f"), 6, CFI_RULE_OFFSET, 8);
	assert_rule(DECODE("\x2f\x06\x02"), 6, CFI_RULE_OFFSET, 16); /* GNU: the other way */
	assert_rule(DECODE("\x14\x06\x02"), 6, CFI_RULE_VAL_OFFSET, -16);
	assert_rule(DECODE("\x15\x06\x7e"), 6, CFI_RULE_VAL_OFFSET, 16);
	assert_rule(DECODE("\x09\x06\x0a"), 6, CFI_RULE_REGISTER, 10);
	assert_rule(DECODE("\x07\x06"), 6, CFI_RULE_UNDEFINED, 0);
	assert_rule(DECODE("\x08\x06"), 6, CFI_RULE_SAME_VALUE, 0);
	assert_rule(DECODE("\x10\x06\x02\x77\x08"), 6, CFI_RULE_EXPRESSION, 0);
	assert_rule(DECODE("\x16\x06\x01\x77"), 6, CFI_RULE_VAL_EXPRESSION, 0);
}

static void test_the_frame_address(void **state)
{
	struct cfi_step step = DECODE("\x0c\x07\x10");

	(void)state;
	assert_true(step.kind == CFI_STEP_CFA && step.number == 7 && step.offset == 16);
	step = DECODE("\x12\x07\x7e"); /* factored */
	assert_true(step.kind == CFI_STEP_CFA && step.number == 7 && step.offset == 16);
	step = DECODE("\x0e\x10");
	assert_true(step.kind == CFI_STEP_CFA_OFFSET && step.offset == 16);
	step = DECODE("\x13\x7e");
	assert_true(step.kind == CFI_STEP_CFA_OFFSET && step.offset == 16);
	step = DECODE("\x0d\x06");
	assert_true(step.kind == CFI_STEP_CFA_REGISTER && step.number == 6);
	step = DECODE("\x0f\x03\x77\x08\x06");
	assert_int_equal(step.kind, CFI_STEP_CFA_EXPRESSION);
	assert_int_equal(step.rule.expression.end - step.rule.expression.at, 3);
}

static void test_locations(void **state)
{
	(void)state;
	assert_int_equal(DECODE("\x43").location, AT + 3 * 4);
	assert_int_equal(DECODE("\x02\xff").location, AT + 255 * 4);
	assert_int_equal(DECODE("\x03\x00\x01").location, AT + 256 * 4);
	assert_int_equal(DECODE("\x04\x00\x00\x01\x00").location, AT + 65536 * 4);
	assert_int_equal(DECODE("\x01\x00\x20\x00\x00\x00\x00\x00\x00").location, 0x2000);
	assert_int_equal(DECODE("\x43").kind, CFI_STEP_ADVANCE);
}

static void test_the_rest(void **state)
{
	(void)state;
	assert_int_equal(DECODE("\x00").kind, CFI_STEP_NOTHING);
	assert_int_equal(DECODE("\x2e\x90\x01").kind, CFI_STEP_NOTHING);
	assert_int_equal(DECODE("\x0a").kind, CFI_STEP_REMEMBER);
	assert_int_equal(DECODE("\x0b").kind, CFI_STEP_RECALL);
	assert_int_equal(DECODE("\x2d").kind, CFI_STEP_SIGN);
	assert_int_equal(DECODE("\xc6").kind, CFI_STEP_RESTORE);
	assert_int_equal(DECODE("\xc6").number, 6);
	assert_int_equal(DECODE("\x06\x21").number, 33);
}

static void test_what_is_not_known(void **state)
{
	static const uint8_t codes[] = {0x17, 0x1d, 0x20, 0x30, 0x3f};

	(void)state;
	for (size_t i = 0; i < sizeof(codes); i++) {
		const uint8_t code[] = {codes[i], 1, 1, 1, 1, 1, 1, 1, 1};
		struct cfi_bytes bytes = {code, code + sizeof(code), false};
		struct cfi_step step;

		assert_false(cfi_decode(&section, &entry, AT, &bytes, &step));
	}
}

/* A block that claims more than there is. */
static void test_blocks_end_inside(void **state)
{
	static const uint8_t code[] = {0x0f, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x77};
	struct cfi_bytes bytes = {code, code + sizeof(code), false};
	struct cfi_step step;

	(void)state;
	assert_false(cfi_decode(&section, &entry, AT, &bytes, &step));
	assert_int_equal(step.rule.expression.end - step.rule.expression.at, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_the_frame_address),
		cmocka_unit_test(test_locations),
		cmocka_unit_test(test_the_rest),
		cmocka_unit_test(test_what_is_not_known),
		cmocka_unit_test(test_blocks_end_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
