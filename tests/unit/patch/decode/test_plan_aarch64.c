/* Instructions of AArch64: what they are, and the distances in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "patch/apply/patchmoved.h"
#include "patch/decode/aarch64/patchcode.h"
#include "patch/plan/aarch64/planpieces.h"
#include "patch/plan/aarch64/planlink.h"

#define HERE UINT64_C(0x10000)

static void instructions_are_told_apart(void **state)
{
	static const struct {
		uint32_t word;
		enum arm_kind kind;
		uint64_t target; /* 0 = none */
		unsigned by;
	} all[] = {
		{0xd65f03c0, ARM_RETURN, 0, 30},	  /* ret */
		{0xd65f0bff, ARM_RETURN, 0, 30},	  /* retaa */
		{0xd61f0200, ARM_JUMP_BY, 0, 16},	  /* br x16 */
		{0xd63f0020, ARM_CALL_BY, 0, 1},	  /* blr x1 */
		{0xd71f0a11, ARM_JUMP_BY, 0, 16},	  /* braa x16, x17 */
		{0x14000002, ARM_JUMP, HERE + 8, 0},	  /* b */
		{0x17ffffff, ARM_JUMP, HERE - 4, 0},	  /* b */
		{0x94000400, ARM_CALL, HERE + 0x1000, 0}, /* bl */
		{0x54000041, ARM_CONDITIONAL, HERE + 8, 0},
		{0xb4ffffe3, ARM_CONDITIONAL, HERE - 4, 0}, /* cbz x3 */
		{0x3707ffe3, ARM_CONDITIONAL, HERE - 4, 0}, /* tbnz w3, #0 */
		{0x30000001, ARM_ADDRESS, HERE + 1, 1},	    /* adr x1 */
		{0xb0000010, ARM_PAGE, HERE + 0x1000, 16},  /* adrp x16 */
		{0xf0fffff0, ARM_PAGE, HERE - 0x1000, 16},  /* adrp x16 */
		{0x58000045, ARM_LOAD, HERE + 8, 5},	    /* ldr x5 */
		{0xd503233f, ARM_LANDING, 0, 0},	    /* paciasp */
		{0xd503245f, ARM_LANDING, 0, 0},	    /* bti c */
		{0xd503201f, ARM_PLAIN, 0, 0},		    /* nop */
		{0xd4000001, ARM_PLAIN, 0, 0},		    /* svc #0 */
		{0xd4207d00, ARM_STOP, 0, 0},		    /* brk */
		{0xd69f03e0, ARM_UNSUPPORTED, 0, 0},	    /* eret */
		{0xa9bf7bfd, ARM_PLAIN, 0, 0},		    /* stp x29, x30, [sp, #-16]! */
		{0x00000000, ARM_UNKNOWN, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct arm_code code;

		armcode_decode(all[i].word, HERE, &code);
		assert_int_equal(code.kind, all[i].kind);
		if (all[i].target)
			assert_int_equal(code.target, all[i].target);
		if (all[i].by && all[i].kind != ARM_RETURN)
			assert_int_equal(code.by, all[i].by);
	}
}

static uint64_t target_of(uint32_t word, uint64_t address)
{
	struct arm_code code;

	armcode_decode(word, address, &code);
	return code.target;
}

/* Below zero is above everything: a library's code lies in front of its first address. */
static void distances_are_filled_in(void **state)
{
	static const uint64_t places[] = {0x20000, 0x7ff0000, UINT64_MAX - 0x3ffffff};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct plan_link page = {.form = PLAN_FORM_PAGE};
		uint8_t bytes[4];
		uint32_t word;

		assert_true(armlink_jump(HERE, places[i], bytes));
		memcpy(&word, bytes, sizeof(word));
		assert_int_equal(target_of(word, HERE), places[i]);
		word = 0x90000010;
		memcpy(bytes, &word, sizeof(word));
		assert_true(armlink_set(&page, bytes, places[i], HERE + 0x123));
		memcpy(&word, bytes, sizeof(word));
		assert_int_equal(target_of(word, places[i]), HERE);
	}
	assert_false(armlink_jump(HERE, HERE + (UINT64_C(1) << 27), (uint8_t[4]){0}));
	assert_true(armlink_jump(HERE, HERE + (UINT64_C(1) << 27) - 4, (uint8_t[4]){0}));
	assert_false(armlink_jump(HERE, HERE + 2, (uint8_t[4]){0}));
}

static void code_moves(void **state)
{
	static const int64_t moves[] = {0x1000, -0x1000, 0x4000000, -0x4000000};
	static const uint32_t words[] = {0x14000000, 0x94000010, 0xb0000010, 0x90000001};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++) {
			uint32_t moved = moved_word(EM_AARCH64, words[k], -moves[i]);

			/* Elsewhere it leads to the same place. */
			assert_int_equal(target_of(moved, HERE + (uint64_t)moves[i]),
					 target_of(words[k], HERE));
			assert_int_equal(moved_word(EM_AARCH64, moved, moves[i]), words[k]);
		}
	assert_int_equal(moved_word(EM_X86_64, 5, -7), (uint32_t)-2);
}

/* What comes before a record is done, and what comes behind has not begun. */
static void serialized_records_have_barriers_around(void **state)
{
	static const uint32_t isb = 0xd5033fdf;

	(void)state;
	for (unsigned is_serialized = 0; is_serialized < 2; is_serialized++) {
		struct plan_kind kind = {PATCH_COST_FULL,
					 is_serialized ? PLAN_VARIANT_SERIALIZED : 0};
		struct plan_blob blob;
		struct plan_out to = {&blob, false};
		unsigned count = 0;

		planblob_init(&blob, kind);
		arm_time(to);
		arm_commit(to);
		assert_false(blob.is_failed);
		for (size_t at = 0; at < blob.hot.size; at += sizeof(isb))
			count += memcmp(blob.hot.bytes + at, &isb, sizeof(isb)) == 0;
		assert_int_equal(count, is_serialized ? 2 : 0);
		assert_int_equal(memcmp(blob.hot.bytes, &isb, sizeof(isb)) == 0, is_serialized);
		planblob_release(&blob);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_told_apart),
		cmocka_unit_test(distances_are_filled_in),
		cmocka_unit_test(code_moves),
		cmocka_unit_test(serialized_records_have_barriers_around),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
