/* Which processors' files are analysed, and what each brings. */
#include "patch/analyse/patchprocessor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>

#include <cmocka.h>

static void test_by_machine(void **state)
{
	(void)state;
	assert_ptr_equal(patchprocessor_of(EM_X86_64), &patchprocessor_x86_64);
	assert_ptr_equal(patchprocessor_of(EM_AARCH64), &patchprocessor_aarch64);
	assert_null(patchprocessor_of(EM_386));
	assert_null(patchprocessor_of(EM_RISCV));
	assert_null(patchprocessor_of(EM_NONE));
}

static void check(const struct patch_processor *processor, uint16_t machine)
{
	assert_int_equal(processor->machine, machine);
	assert_true(processor->sweep && processor->superset && processor->is_entry &&
		    processor->decide && processor->stub);
	assert_true(processor->emit_shared && processor->emit_function && processor->jump);
	assert_true(processor->jump_distance_at < processor->jump_bytes);
	assert_true(!processor->frames_common == !processor->frames_common_size);
	assert_int_not_equal(processor->relocations[0], 0);
}

static void test_nothing_is_missing(void **state)
{
	(void)state;
	check(&patchprocessor_x86_64, EM_X86_64);
	check(&patchprocessor_aarch64, EM_AARCH64);
}

/* The jump that is written: E9 and a distance of 32 bits. */
static void test_jumps(void **state)
{
	const struct patch_processor *processor = patchprocessor_of(EM_X86_64);
	uint8_t bytes[16] = {0};

	(void)state;
	assert_int_equal(processor->jump_bytes, 5);
	assert_true(processor->jump(0x1000, 0x1105, bytes));
	assert_memory_equal(bytes, "\xe9\x00\x01\x00\x00", 5);
	assert_true(processor->jump(0x1000, 0x1000, bytes));
	assert_memory_equal(bytes, "\xe9\xfb\xff\xff\xff", 5);
	assert_false(processor->jump(0x1000, UINT64_C(0x100001000), bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_machine),
		cmocka_unit_test(test_nothing_is_missing),
		cmocka_unit_test(test_jumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
