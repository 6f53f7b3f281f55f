/* Instructions by their lengths, and where they are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#if defined(__x86_64__)
#include "object/code/x86_64/instruction.h"

#define TEXT(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

static void decodes(const uint8_t *code, size_t size)
{
	struct instruction what;

	assert_true(instruction_decode(code, size, &what));
	assert_int_equal(what.length, size);
	for (size_t cut = 0; cut < size; cut++)
		assert_false(instruction_decode(code, cut, &what));
}

static void lengths(void **state)
{
	(void)state;
	decodes(TEXT("\xc3"));
	decodes(TEXT("\x55"));
	decodes(TEXT("\x41\x57"));
	decodes(TEXT("\x48\x89\xe5"));
	decodes(TEXT("\x48\x83\xe4\xc0"));
	decodes(TEXT("\x48\x81\xec\x80\x10\x00\x00"));
	decodes(TEXT("\x66\x81\xc1\x34\x12")); /* a short immediate */
	decodes(TEXT("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08"));
	decodes(TEXT("\xb8\x01\x02\x03\x04"));
	decodes(TEXT("\xf6\x04\x24\x01")); /* test has an immediate … */
	decodes(TEXT("\xf6\x14\x24"));	   /* … and not has none */
	decodes(TEXT("\x48\x8b\x84\xcc\x00\x01\x00\x00"));
	decodes(TEXT("\x48\x8b\x04\x25\x00\x01\x00\x00")); /* no base */
	decodes(TEXT("\x8b\x05\x00\x01\x00\x00"));	   /* relative to rip */
	decodes(TEXT("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00"));
	decodes(TEXT("\x0f\x84\x00\x01\x00\x00"));
	decodes(TEXT("\xe8\x00\x01\x00\x00"));
	decodes(TEXT("\x66\x0f\x3a\x16\xc0\x01"));	   /* pextrd */
	decodes(TEXT("\xc5\xf8\x77"));			   /* vzeroupper */
	decodes(TEXT("\xc4\xe2\xf5\xb8\x04\x24"));	   /* vfmadd231pd */
	decodes(TEXT("\xc4\xe3\x7d\x19\xc1\x01"));	   /* vextractf128 */
	decodes(TEXT("\x62\xf2\xfd\x48\xb8\x4c\x24\x01")); /* the same, of 512 bits */
}

/* Any bytes: never longer than what is there, and the same with more behind it. */
static void any_bytes(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (int round = 0; round < 200000; round++) {
		struct instruction what, more;
		uint8_t code[32];
		size_t size;

		for (size_t i = 0; i < sizeof(code); i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			code[i] = (uint8_t)(seed >> 40);
		}
		size = (seed >> 50) % 16;
		if (!instruction_decode(code, size, &what))
			continue;
		assert_in_range(what.length, 1, size);
		assert_true(instruction_decode(code, sizeof(code), &more));
		assert_int_equal(more.length, what.length);
	}
}

static void operands(void **state)
{
	struct instruction what;

	(void)state;
	assert_true(instruction_decode(TEXT("\x48\x8b\x84\xcc\x00\x01\x00\x00"), &what));
	assert_true(what.is_wide && what.has_modrm && what.reg == 0);
	assert_true(what.base == 4 && what.index == 1 && what.displacement == 0x100);
	assert_true(instruction_decode(TEXT("\x4d\x8b\x67\xf8"), &what)); /* -8(%r15), %r12 */
	assert_true(what.reg == 12 && what.base == 15 && what.displacement == -8);
	assert_true(instruction_decode(TEXT("\x8b\x05\x00\x01\x00\x00"), &what));
	assert_true(!what.is_wide && what.base == INSTRUCTION_NO_BASE);
	assert_true(instruction_decode(TEXT("\x48\x81\xec\x80\x10\x00\x00"), &what));
	assert_true(what.mod == 3 && what.rm == 4 && what.immediate == 0x1080);
	assert_true(instruction_decode(TEXT("\xeb\xfe"), &what));
	assert_int_equal(what.immediate, -2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths),
		cmocka_unit_test(operands),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0; /* no code is read there */
}

#endif
