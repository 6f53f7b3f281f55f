/* Rare steps from a frame to its caller, over a stack that is written down here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#ifdef __x86_64__

#include "object/unwind/x86_64/unwind_step.h"

#define STACK UINT64_C(0x10000)
#define CODE  UINT64_C(0x400000)

struct memory {
	uint64_t words[16]; /* from STACK on */
	bool has_calls;	    /* return addresses are plausible */
};

static bool memory_read(void *context, uint64_t address, uint64_t *word_out)
{
	const struct memory *memory = context;

	if (address < STACK || address >= STACK + sizeof(memory->words) || address % 8)
		return false;
	*word_out = memory->words[(address - STACK) / 8];
	return true;
}

static uint64_t memory_row(void *context, uint64_t at, uint64_t next)
{
	(void)context, (void)at, (void)next;
	return 0;
}

static bool memory_saved(void *context, uint64_t pc, unsigned number, int32_t *offset_out)
{
	(void)context, (void)pc, (void)number, (void)offset_out;
	return false;
}

static bool memory_is_code(void *context, uint64_t address)
{
	(void)context;
	return address >= CODE;
}

static bool memory_is_return(void *context, uint64_t address)
{
	(void)address;
	return ((const struct memory *)context)->has_calls;
}

static bool memory_is_return_of(void *context, uint64_t address, uint64_t pc)
{
	(void)pc;
	return memory_is_return(context, address);
}

/* One step; *at is where it leads. */
static enum step take(struct memory *memory, const struct cfi_row *row, struct unwind_registers *at)
{
	const struct reader reader = {
		.read = memory_read,
		.row = memory_row,
		.saved = memory_saved,
		.is_code = memory_is_code,
		.is_return = memory_is_return,
		.is_return_of = memory_is_return_of,
		.context = memory,
	};
	const struct unwind_registers from = *at;
	const struct unwind_frame frame = {.address = at->pc, .low = at->sp};
	const struct walked walked = {&from, &frame, 1};
	uint64_t word = 0;

	if (row)
		memcpy(&word, row, sizeof(word));
	return unwind_step_rare(&reader, word, &walked, at);
}

static void test_row_leads_to_the_caller(void **state)
{
	const struct cfi_row row = {
		.cfa = CFI_CFA_STACK, .cfa_offset = 32, .frame_offset = -16, .return_offset = -8};
	struct memory memory = {.words = {[2] = STACK + 0x70, [3] = CODE + 5}};
	struct unwind_registers at = {.pc = CODE, .sp = STACK};

	(void)state;
	assert_int_equal(take(&memory, &row, &at), STEP_CALLER);
	assert_int_equal(at.pc, CODE + 5);
	assert_int_equal(at.sp, STACK + 32);
	assert_int_equal(at.fp, STACK + 0x70);
}

static void test_realigned_stack_has_its_cfa_in_memory(void **state)
{
	const struct cfi_row row = {.cfa = CFI_CFA_FRAME_DEREF,
				    .cfa_offset = -8,
				    .frame_offset = CFI_FRAME_KEPT,
				    .return_offset = -8};
	struct memory memory = {.words = {[1] = STACK + 64, [7] = CODE + 5}};
	struct unwind_registers at = {.pc = CODE, .sp = STACK, .fp = STACK + 16};

	(void)state;
	assert_int_equal(take(&memory, &row, &at), STEP_CALLER);
	assert_int_equal(at.sp, STACK + 64);
	assert_int_equal(at.fp, STACK + 16);
}

static void test_stack_never_goes_down(void **state)
{
	const struct cfi_row row = {.cfa = CFI_CFA_FRAME,
				    .cfa_offset = 16,
				    .frame_offset = CFI_FRAME_KEPT,
				    .return_offset = -8};
	struct memory memory = {.words = {[1] = CODE + 5}};

	(void)state;
	for (uint64_t fp = STACK; fp <= STACK + 17; fp += 17) { /* too low; not aligned */
		struct unwind_registers at = {.pc = CODE, .sp = STACK + 16, .fp = fp};

		assert_int_equal(take(&memory, &row, &at), STEP_TORN);
		assert_int_equal(at.pc, CODE);
	}
}

static void test_ends_are_told_apart(void **state)
{
	struct cfi_row row = {.cfa = CFI_CFA_OUTERMOST};
	struct memory memory = {.has_calls = true};
	struct unwind_registers at = {.pc = CODE, .sp = STACK, .fp = 0};

	(void)state;
	assert_int_equal(take(&memory, &row, &at), STEP_COMPLETE);
	row.cfa = CFI_CFA_NONE;
	row.cfa_offset = 1; /* a row, which says that nothing is known */
	assert_int_equal(take(&memory, &row, &at), STEP_LOST);
	row = (struct cfi_row){.cfa = CFI_CFA_STACK, .cfa_offset = 8, .return_offset = -8};
	assert_int_equal(take(&memory, &row, &at), STEP_COMPLETE); /* a return address of 0 */
	row.cfa_offset = 4096;					   /* what cannot be read */
	assert_int_equal(take(&memory, &row, &at), STEP_TORN);
	at.pc = 5;
	assert_int_equal(take(&memory, NULL, &at), STEP_NOWHERE);
}

static void test_without_a_row_the_frame_pointer_leads(void **state)
{
	struct memory memory = {.words = {[4] = STACK + 0x70, [5] = CODE + 5}, .has_calls = true};
	struct unwind_registers at = {.pc = CODE, .sp = STACK, .fp = STACK + 32};

	(void)state;
	assert_int_equal(take(&memory, NULL, &at), STEP_CALLER);
	assert_int_equal(at.pc, CODE + 5);
	assert_int_equal(at.sp, STACK + 48);
	assert_int_equal(at.fp, STACK + 0x70);
	/* Nothing is called in front of what lies there. */
	memory.has_calls = false;
	at = (struct unwind_registers){.pc = CODE, .sp = STACK, .fp = STACK + 32};
	assert_int_equal(take(&memory, NULL, &at), STEP_LOST);
	/* It points below the stack, or nowhere. */
	memory.has_calls = true;
	at.sp = STACK + 40;
	assert_int_equal(take(&memory, NULL, &at), STEP_LOST);
	at.fp = 0;
	assert_int_equal(take(&memory, NULL, &at), STEP_COMPLETE);
}

static void test_calls_are_known_by_their_last_bytes(void **state)
{
	static const uint8_t direct[UNWIND_CALL_MAX] = {0x90, 0x90, 0xe8, 0xf0, 0xff, 0xff, 0xff},
			     register_target[UNWIND_CALL_MAX] = {[5] = 0xff, [6] = 0xd0},
			     through_memory[UNWIND_CALL_MAX] = {[1] = 0xff, [2] = 0x15},
			     jump[UNWIND_CALL_MAX] = {[1] = 0xff, [2] = 0x25};

	(void)state;
	assert_int_equal(unwind_called_directly(direct, CODE), CODE - 16);
	assert_int_equal(unwind_called_directly(jump, CODE), 0);
	assert_true(unwind_is_indirect_call(register_target));
	assert_true(unwind_is_indirect_call(through_memory));
	assert_false(unwind_is_indirect_call(direct));
	assert_false(unwind_is_indirect_call(jump));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row_leads_to_the_caller),
		cmocka_unit_test(test_realigned_stack_has_its_cfa_in_memory),
		cmocka_unit_test(test_stack_never_goes_down),
		cmocka_unit_test(test_ends_are_told_apart),
		cmocka_unit_test(test_without_a_row_the_frame_pointer_leads),
		cmocka_unit_test(test_calls_are_known_by_their_last_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0; /* what it asks for is of another processor */
}

#endif
