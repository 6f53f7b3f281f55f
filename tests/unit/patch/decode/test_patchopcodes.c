/* What follows opcodes, by instructions whose lengths are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "patch/decode/x86_64/patchopcodes.h"

static void test_operands(void **state)
{
	(void)state;
	assert_int_equal(patchopcodes_one[0x89], M);	 /* mov r/m, r */
	assert_int_equal(patchopcodes_one[0x83], M | B); /* add r/m, imm8 */
	assert_int_equal(patchopcodes_one[0x81], M | Z); /* add r/m, imm32 */
	assert_int_equal(patchopcodes_one[0xe8], D);	 /* call */
	assert_int_equal(patchopcodes_one[0xeb], B);	 /* jmp, short */
	assert_int_equal(patchopcodes_one[0xc2], W);	 /* ret imm16 */
	assert_int_equal(patchopcodes_one[0xc8], W | B); /* enter */
	assert_int_equal(patchopcodes_one[0xc3], 0);	 /* ret */
	assert_int_equal(patchopcodes_one[0xb8], S);	 /* mov r, imm: of 64 bits with REX.W */
	assert_int_equal(patchopcodes_one[0xf7], M | S); /* test has an immediate, not does not */
}

/* Eight operations, in the same forms each. */
static void test_arithmetic_is_regular(void **state)
{
	(void)state;
	for (unsigned i = 0x08; i < 0x40; i += 8) {
		for (unsigned form = 0; form < 6; form++)
			assert_int_equal(patchopcodes_one[i + form], patchopcodes_one[form]);
	}
	for (unsigned i = 0; i < 16; i++) {
		assert_int_equal(patchopcodes_one[0x40 + i], P); /* REX */
		assert_int_equal(patchopcodes_one[0x50 + i], 0); /* push, pop */
		assert_int_equal(patchopcodes_one[0x70 + i], B); /* jcc */
		assert_int_equal(patchopcodes_two[0x80 + i], D);
		assert_int_equal(patchopcodes_two[0x40 + i], M); /* cmovcc */
		assert_int_equal(patchopcodes_two[0x90 + i], M); /* setcc */
	}
}

static void test_what_64_bit_mode_has_not(void **state)
{
	static const unsigned char none[] = {0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f,
					     0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x9a,
					     0xce, 0xd4, 0xd5, 0xd6, 0xea};

	(void)state;
	for (unsigned i = 0; i < sizeof(none); i++)
		assert_int_equal(patchopcodes_one[none[i]], X);
}

static void test_prefixes(void **state)
{
	static const unsigned char prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
						 0x66, 0x67, 0xf0, 0xf2, 0xf3};
	unsigned count = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(prefixes); i++)
		assert_int_equal(patchopcodes_one[prefixes[i]], P);
	for (unsigned i = 0; i < 256; i++) {
		count += patchopcodes_one[i] == P;
		assert_int_not_equal(patchopcodes_two[i] & P, P);
	}
	assert_int_equal(count, sizeof(prefixes) + 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_arithmetic_is_regular),
		cmocka_unit_test(test_what_64_bit_mode_has_not),
		cmocka_unit_test(test_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
