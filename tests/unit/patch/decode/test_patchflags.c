/* What instructions do with the flags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "patch/decode/x86_64/patchcode.h"
#include "patch/decode/x86_64/patchflags.h"

static enum patch_code_flags flags_of(const unsigned char *bytes, size_t size)
{
	struct patch_code code;

	assert_true(patchcode_decode(bytes, size, &code));
	return patchcode_flags(&code);
}

#define FLAGS(...)                                                                                 \
	flags_of((const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__}))

static void test_arithmetic(void **state)
{
	(void)state;
	assert_int_equal(FLAGS(0x01, 0xc8), PATCH_FLAGS_WRITES);	/* add eax, ecx */
	assert_int_equal(FLAGS(0x11, 0xc8), PATCH_FLAGS_READS);		/* adc */
	assert_int_equal(FLAGS(0x19, 0xc8), PATCH_FLAGS_READS);		/* sbb */
	assert_int_equal(FLAGS(0x39, 0xc8), PATCH_FLAGS_COMPARE);	/* cmp */
	assert_int_equal(FLAGS(0x83, 0xf8, 0x01), PATCH_FLAGS_COMPARE); /* cmp eax, 1 */
	assert_int_equal(FLAGS(0x83, 0xc0, 0x01), PATCH_FLAGS_WRITES);	/* add eax, 1 */
	assert_int_equal(FLAGS(0x83, 0xd0, 0x01), PATCH_FLAGS_READS);	/* adc eax, 1 */
	assert_int_equal(FLAGS(0x85, 0xc0), PATCH_FLAGS_COMPARE);	/* test */
	assert_int_equal(FLAGS(0x0f, 0xaf, 0xc1), PATCH_FLAGS_WRITES);	/* imul */
	assert_int_equal(FLAGS(0xff, 0xc0), PATCH_FLAGS_SOME);		/* inc keeps carry */
	assert_int_equal(FLAGS(0xf7, 0xd0), PATCH_FLAGS_NONE);		/* not */
	assert_int_equal(FLAGS(0xf7, 0xd8), PATCH_FLAGS_WRITES);	/* neg */
}

static void test_shifts(void **state)
{
	(void)state;
	assert_int_equal(FLAGS(0xd1, 0xe0), PATCH_FLAGS_SOME);	     /* shl eax, 1 */
	assert_int_equal(FLAGS(0xc1, 0xe8, 0x03), PATCH_FLAGS_SOME); /* shr eax, 3 */
	assert_int_equal(FLAGS(0xd1, 0xd0), PATCH_FLAGS_READS);	     /* rcl eax, 1 */
	assert_int_equal(FLAGS(0xd3, 0xd8), PATCH_FLAGS_READS);	     /* rcr eax, cl */
}

static void test_those_that_look(void **state)
{
	(void)state;
	assert_int_equal(FLAGS(0x74, 0x05), PATCH_FLAGS_READS);		    /* je */
	assert_int_equal(FLAGS(0x0f, 0x84, 0, 0, 0, 0), PATCH_FLAGS_READS); /* je, far */
	assert_int_equal(FLAGS(0x0f, 0x44, 0xc1), PATCH_FLAGS_READS);	    /* cmove */
	assert_int_equal(FLAGS(0x0f, 0x94, 0xc0), PATCH_FLAGS_READS);	    /* sete */
	assert_int_equal(FLAGS(0x9c), PATCH_FLAGS_READS);		    /* pushf */
	assert_int_equal(FLAGS(0xf5), PATCH_FLAGS_READS);		    /* cmc */
	assert_int_equal(FLAGS(0x9d), PATCH_FLAGS_COMPARE);		    /* popf */
	assert_int_equal(FLAGS(0xf8), PATCH_FLAGS_SOME);		    /* clc */
}

/* By its count it may compare nothing. */
static void test_repeated(void **state)
{
	(void)state;
	assert_int_equal(FLAGS(0xa6), PATCH_FLAGS_WRITES);
	assert_int_equal(FLAGS(0xf3, 0xa6), PATCH_FLAGS_SOME);
}

static void test_neither(void **state)
{
	(void)state;
	assert_int_equal(FLAGS(0x89, 0xc8), PATCH_FLAGS_NONE);		/* mov */
	assert_int_equal(FLAGS(0x8d, 0x00), PATCH_FLAGS_NONE);		/* lea */
	assert_int_equal(FLAGS(0x50), PATCH_FLAGS_NONE);		/* push */
	assert_int_equal(FLAGS(0xc3), PATCH_FLAGS_NONE);		/* ret */
	assert_int_equal(FLAGS(0x0f, 0x10, 0xc1), PATCH_FLAGS_NONE);	/* movups */
	assert_int_equal(FLAGS(0x0f, 0x2f, 0xc1), PATCH_FLAGS_COMPARE); /* comiss */
	assert_int_equal(FLAGS(0xc5, 0xf8, 0x2f, 0xc1), PATCH_FLAGS_COMPARE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arithmetic),	cmocka_unit_test(test_shifts),
		cmocka_unit_test(test_those_that_look), cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_neither),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
