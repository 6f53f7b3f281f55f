/* Programs of frame descriptions, and the states they come to. */
#include "object/unwind/cfi_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define START 0x5000u
#define CFA   7u /* any number will do here */
#define RA    16u

static const struct cfi_section section;
/* def_cfa 7, 8; offset 16 at cfa-8 */
static const uint8_t initial[] = {0x0c, CFA, 8, 0x80 | RA, 1};

static struct cfi_entry entry_of(const uint8_t *program, size_t size)
{
	return (struct cfi_entry){.start = START,
				  .end = START + 0x40,
				  .code_alignment = 1,
				  .data_alignment = -8,
				  .return_register = RA,
				  .initial = {initial, initial + sizeof(initial), false},
				  .program = {program, program + size, false}};
}

static bool run(const uint8_t *program, size_t size, uint64_t pc, struct cfi_state *state)
{
	struct cfi_entry entry = entry_of(program, size);

	return cfi_run(&section, &entry, pc, CFI_NONE_REQUESTED, state);
}
#define RUN(pc, state, ...)                                                                        \
	run((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), pc, state)

static void test_up_to_the_address(void **unused)
{
	/* advance 1; def_cfa_offset 16; advance 3; def_cfa_register 6 */
	static const uint8_t program[] = {0x41, 0x0e, 16, 0x43, 0x0d, 6};
	struct cfi_state state;

	(void)unused;
	assert_true(run(program, sizeof(program), START, &state));
	assert_true(state.cfa_register == CFA && state.cfa_offset == 8);
	assert_true(state.rules[CFI_RETURN].kind == CFI_RULE_OFFSET &&
		    state.rules[CFI_RETURN].value == -8);
	for (uint64_t pc = START + 1; pc < START + 4; pc++) {
		assert_true(run(program, sizeof(program), pc, &state));
		assert_true(state.cfa_register == CFA && state.cfa_offset == 16);
	}
	assert_true(run(program, sizeof(program), START + 4, &state));
	assert_true(state.cfa_register == 6 && state.cfa_offset == 16);
}

static void test_remembered_states(void **unused)
{
	struct cfi_state state;

	(void)unused;
	assert_true(RUN(START, &state, 0x0a, 0x0e, 32, 0x0a, 0x0e, 64, 0x0b));
	assert_int_equal(state.cfa_offset, 32);
	assert_true(RUN(START, &state, 0x0a, 0x0e, 32, 0x0a, 0x0e, 64, 0x0b, 0x0b));
	assert_int_equal(state.cfa_offset, 8);
	assert_false(RUN(START, &state, 0x0b)); /* nothing was remembered */
	assert_true(RUN(START, &state, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a));
	assert_false(RUN(START, &state, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a));
}

/* As the common entry has it; there itself that means nothing. */
static void test_restored_rules(void **unused)
{
	static const uint8_t restore[] = {0xc0 | RA};
	struct cfi_entry entry = entry_of(restore, sizeof(restore));
	struct cfi_state state;

	(void)unused;
	assert_true(RUN(START, &state, 0x07, RA, 0xc0 | RA));
	assert_int_equal(state.rules[CFI_RETURN].kind, CFI_RULE_OFFSET);
	entry.initial = entry.program;
	assert_false(cfi_run(&section, &entry, START, CFI_NONE_REQUESTED, &state));
}

static void test_another_register_that_is_asked_for(void **unused)
{
	static const uint8_t program[] = {0x80 | 12, 3};
	struct cfi_entry entry = entry_of(program, sizeof(program));
	struct cfi_state state;

	(void)unused;
	assert_true(cfi_run(&section, &entry, START, 12, &state));
	assert_true(state.rules[CFI_REQUESTED].kind == CFI_RULE_OFFSET &&
		    state.rules[CFI_REQUESTED].value == -24);
	assert_true(cfi_run(&section, &entry, START, 13, &state));
	assert_int_equal(state.rules[CFI_REQUESTED].kind, CFI_RULE_UNSPECIFIED);
}

static void test_locations_never_go_back(void **unused)
{
	struct cfi_state state;

	(void)unused;
	/* set_loc before the start */
	assert_false(RUN(START, &state, 0x01, 0x00, 0x10, 0, 0, 0, 0, 0, 0));
	assert_false(RUN(START, &state, 0x3f)); /* no instruction */
}

static void test_endless_programs_end(void **unused)
{
	const size_t size = (1u << 16) + 1;
	uint8_t *program = calloc(size, 1); /* nops */
	struct cfi_state state;

	(void)unused;
	assert_true(run(program, size - 1, START, &state));
	assert_false(run(program, size, START, &state));
	free(program);
}

struct told {
	uint64_t next;
	unsigned count;
};

static void tell(void *context, uint64_t start, uint64_t end, const struct cfi_state *state)
{
	struct told *told = context;

	assert_int_equal(start, told->next);
	assert_true(end > start);
	assert_int_equal(state->cfa_offset, 8 * (told->count + 1));
	told->next = end;
	told->count++;
}

static void test_all_states_follow_each_other(void **unused)
{
	static const uint8_t program[] = {0x41, 0x0e, 16,   0x40, 0x43, 0x0e,
					  24,	0x02, 0x20, 0x0e, 32};
	struct cfi_entry entry = entry_of(program, sizeof(program));
	struct told told = {START, 0};

	(void)unused;
	assert_true(cfi_run_all(&section, &entry, tell, &told));
	assert_int_equal(told.count, 4);
	assert_int_equal(told.next, START + 0x40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_up_to_the_address),
		cmocka_unit_test(test_remembered_states),
		cmocka_unit_test(test_restored_rules),
		cmocka_unit_test(test_another_register_that_is_asked_for),
		cmocka_unit_test(test_locations_never_go_back),
		cmocka_unit_test(test_endless_programs_end),
		cmocka_unit_test(test_all_states_follow_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
