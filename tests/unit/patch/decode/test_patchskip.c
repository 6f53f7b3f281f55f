/* The lengths of frequent instructions, beside what the whole decoder says of them. */
#include "patch/decode/x86_64/patchcode.h"
#include "patch/decode/x86_64/patchskip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* What was passed quickly is what it is when it is looked at. */
static unsigned check(const uint8_t *bytes)
{
	struct patch_code_skip skip;
	struct patch_code code;
	unsigned length = patchcode_skip(bytes, &skip);

	if (length == 0)
		return 0;
	assert_in_range(length, 1, 15);
	if (!patchcode_decode(bytes, PATCH_CODE_BYTES, &code))
		return 0; /* no program has it */
	assert_int_equal(length, code.length);
	assert_int_equal(code.kind, PATCH_CODE_PLAIN);
	assert_int_equal(skip.is_rip_relative, code.is_rip_relative);
	if (code.is_rip_relative)
		assert_int_equal(skip.displacement, code.displacement);
	if (code.is_memory) {
		assert_true(skip.is_memory);
		assert_true(skip.displacement == code.displacement ||
			    code.base == PATCH_NO_REGISTER);
	}
	return length;
}

static void any_bytes(void **state)
{
	uint64_t seed = 5;
	unsigned passed = 0;

	(void)state;
	for (int round = 0; round < 300000; round++) {
		uint8_t bytes[PATCH_CODE_BYTES];

		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[i] = (uint8_t)(seed >> 40);
		}
		passed += check(bytes) > 0;
	}
	assert_true(passed > 100000);
}

/* Every form of operands of every opcode. */
static void each_form(void **state)
{
	(void)state;
	for (unsigned opcode = 0; opcode < 512; opcode++) {
		for (unsigned modrm = 0; modrm < 256; modrm++) {
			const uint8_t one[PATCH_CODE_BYTES] = {0x48, (uint8_t)opcode,
							       (uint8_t)modrm, 0x25, 0x85},
				      two[PATCH_CODE_BYTES] = {0x0f, (uint8_t)opcode,
							       (uint8_t)modrm, 0x24, 0x85};

			check(opcode < 256 ? one : two);
		}
	}
}

static void what_is_branched_on_is_looked_at(void **state)
{
	static const char *const looked_at[] = {"\xc3",	    "\xe8\x01\x02\x03\x04",	"\x74\x05",
						"\xff\xe0", "\x0f\x84\x01\x02\x03\x04", "\xcc",
						"\x0f\x0b"};
	struct patch_code_skip skip;
	uint8_t bytes[PATCH_CODE_BYTES] = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(looked_at) / sizeof(*looked_at); i++) {
		memcpy(bytes, looked_at[i], strlen(looked_at[i]) + 1);
		if (bytes[0] != 0xcc)
			assert_int_equal(patchcode_skip(bytes, &skip), 0);
	}
}

/* What changes the stack pointer is told. */
static void moved_stacks(void **state)
{
	const uint8_t pop[PATCH_CODE_BYTES] = {0x5d}, load[PATCH_CODE_BYTES] = {0x48, 0x8b, 0xe0},
		      push[PATCH_CODE_BYTES] = {0x55}, add[PATCH_CODE_BYTES] = {0x48, 0x01, 0xc8};
	struct patch_code_skip skip;

	(void)state;
	assert_int_equal(patchcode_skip(pop, &skip), 1);
	assert_true(skip.moves_stack);
	assert_int_equal(patchcode_skip(load, &skip), 3);
	assert_true(skip.moves_stack);
	assert_int_equal(patchcode_skip(push, &skip), 1);
	assert_false(skip.moves_stack);
	assert_int_equal(patchcode_skip(add, &skip), 3);
	assert_false(skip.moves_stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(each_form),
		cmocka_unit_test(what_is_branched_on_is_looked_at),
		cmocka_unit_test(moved_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
