/* Each form of instruction, expression and augmentation gives its row, or is refused. */
#include "cfi_fixture.h"

struct form {
	const char *name;
	uint8_t size;
	uint8_t program[24];
	struct cfi_row row;
};

#define STACK(offset, frame)                                                                       \
	{                                                                                          \
		(offset), (frame), CFI_CFA_STACK, -8                                               \
	}
#define PLAIN STACK(8, CFI_FRAME_KEPT)
#define NONE                                                                                       \
	{                                                                                          \
		0, 0, CFI_CFA_NONE, 0                                                              \
	}

static const struct form forms[] = {
	{"nothing", 0, {0}, PLAIN},
	{"def_cfa", 4, {0x0c, RBP, 0x90, 0x01}, {144, CFI_FRAME_KEPT, CFI_CFA_FRAME, -8}},
	{"def_cfa_sf", 3, {0x12, RSP, 0x7c}, STACK(32, CFI_FRAME_KEPT)},
	{"def_cfa_offset_sf", 2, {0x13, 0x7d}, STACK(24, CFI_FRAME_KEPT)},
	{"offset_extended", 3, {0x05, RBP, 3}, STACK(8, -24)},
	{"offset_extended_sf", 3, {0x11, RBP, 0x7f}, STACK(8, 8)},
	{"negative_offset_extended", 3, {0x2f, RBP, 4}, STACK(8, 32)},
	{"restore", 3, {0x86, 2, 0xc6}, PLAIN},
	{"restore_extended", 4, {0x86, 2, 0x06, RBP}, PLAIN},
	{"same_value", 4, {0x86, 2, 0x08, RBP}, PLAIN},
	{"args_size", 3, {0x2e, 0x80, 0x01}, PLAIN},
	{"others", 10, {0x83, 4, 0x8c, 5, 0x09, RDI, R10, 0x07, 2, 0x00}, PLAIN},
	{"set_loc behind", 6, {0x01, 0x00, 0x10, 0x00, 0x00, 0x00}, PLAIN},
	{"remember, restore", 6, {0x0a, 0x0e, 64, 0x86, 2, 0x0b}, PLAIN},
	{"frame pointer elsewhere", 3, {0x09, RBP, R10}, NONE},
	{"val_offset", 3, {0x14, RBP, 2}, NONE},
	{"stack pointer saved", 3, {0x05, RSP, 2}, NONE},
	{"by r10", 3, {0x0c, R10, 0}, {0, CFI_FRAME_KEPT, CFI_CFA_REGISTER + R10, -8}},
	{"by rip", 3, {0x0c, RIP, 0}, NONE},
	{"undefined return", 2, {0x07, RIP}, {0, 0, CFI_CFA_OUTERMOST, 0}},
	{"return in rdi", 3, {0x09, RIP, RDI}, {8, CFI_FRAME_KEPT, CFI_CFA_STACK, INT8_MIN + RDI}},
	{"return in no register", 3, {0x09, RIP, 40}, NONE},
	{"return far away", 4, {0x05, RIP, 0x80, 0x01}, NONE},
	{"rbp far away", 5, {0x05, RBP, 0x80, 0x80, 0x01}, NONE},
	{"CFA far away", 7, {0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, NONE},
	{"unknown instruction", 1, {0x3f}, NONE},
	{"restore without remember", 1, {0x0b}, NONE},
	{"remembered too often", 12, {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}, NONE},
	{"deref",
	 6,
	 {0x0f, 3, 0x76, 0x78, 0x06, 0x00},
	 {-8, CFI_FRAME_KEPT, CFI_CFA_FRAME_DEREF, -8}},
	{"deref of rsp, plus 8",
	 8,
	 {0x0f, 6, 0x77, 0x98, 0x01, 0x06, 0x23, 0x08},
	 {152, CFI_FRAME_KEPT, CFI_CFA_STACK_DEREF, -8}},
	{"deref of rsp, plus 16", 7, {0x0f, 5, 0x77, 0x08, 0x06, 0x23, 0x10}, NONE},
	{"sum as an expression", 4, {0x0f, 2, 0x77, 0x18}, STACK(24, CFI_FRAME_KEPT)},
	{"lazy binding",
	 13,
	 {0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22},
	 {11, CFI_FRAME_KEPT, CFI_CFA_PLT, -8}},
	{"another expression", 5, {0x0f, 3, 0x77, 0x08, 0x1f}, NONE},
	{"empty expression", 2, {0x0f, 0}, NONE},
	{"expression without end", 4, {0x0f, 100, 0x77, 0x08}, NONE},
};

static void each_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct maker maker = {.frames_size = 0};
		struct cfi_row row;

		describe(&maker, common(&maker), START, SIZE, forms[i].program, forms[i].size);
		row = row_at(&maker, START + 1);
		if (memcmp(&row, &forms[i].row, sizeof(row)) != 0)
			fail_msg("%s: %d %d %d %d", forms[i].name, row.cfa_offset, row.frame_offset,
				 row.cfa, row.return_offset);
	}
}

/* gcc's prologue of a function that aligns its stack: the CFA goes from r10 to memory. */
static void while_a_stack_is_realigned(void **state)
{
	static const uint8_t program[] = {
		0x45, 0x0c, R10, 0,		/* lea 8(%rsp), %r10 */
		0x48, 0x10, RBP, 2,    0x76, 0, /* rbp is at rbp + 0 */
		0x42, 0x0f, 3,	 0x76, 0x78, 6, /* push %r10 */
		0x50, 0x0c, R10, 0,    0x44, 0x0c, RSP, 8,
	};
	struct maker maker = {.frames_size = 0};

	(void)state;
	describe(&maker, common(&maker), START, SIZE, program, sizeof(program));
	check(row_at(&maker, START), CFI_CFA_STACK, 8, CFI_FRAME_KEPT, -8);
	check(row_at(&maker, START + 5), CFI_CFA_REGISTER + R10, 0, CFI_FRAME_KEPT, -8);
	check(row_at(&maker, START + 13), CFI_CFA_REGISTER + R10, 0, 1, -8);
	check(row_at(&maker, START + 15), CFI_CFA_FRAME_DEREF, -8, 1, -8);
	check(row_at(&maker, START + 31), CFI_CFA_REGISTER + R10, 0, 1, -8);
}

static void frame_pointer_by_expressions(void **state)
{
	static const uint8_t by_frame[] = {0x0c, RBP, 16, 0x10, RBP, 2, 0x76, 0};
	static const uint8_t by_stack[] = {0x0c, RSP, 48, 0x10, RBP, 2, 0x77, 24};
	struct maker maker = {.frames_size = 0};
	size_t entry = common(&maker);

	(void)state;
	describe(&maker, entry, START, SIZE, by_frame, sizeof(by_frame));
	describe(&maker, entry, START + SIZE, SIZE, by_stack, sizeof(by_stack));
	check(row_at(&maker, START), CFI_CFA_FRAME, 16, -16, -8);
	check(row_at(&maker, START + SIZE), CFI_CFA_STACK, 48, -24, -8);
}

static bool is_understood(uint8_t version, const char *letters, const char *data, uint8_t size,
			  uint8_t *cfa_out)
{
	struct maker maker = {.frames_size = 0};
	struct cfi_section section;
	size_t entry = common_with(&maker, version, letters, data, size);
	struct cfi_row row;

	describe(&maker, entry, START, SIZE, "", 0);
	section = section_of(&maker);
	if (!cfi_find(&section, START, &row, NULL, NULL))
		return false;
	*cfa_out = row.cfa;
	return true;
}

static void augmentations(void **state)
{
	uint8_t cfa;

	(void)state;
	assert_true(is_understood(1, "zR", "\x1b", 1, &cfa) && cfa == CFI_CFA_STACK);
	assert_true(is_understood(3, "zR", "\x1b", 1, &cfa) && cfa == CFI_CFA_STACK);
	assert_true(is_understood(4, "zR", "\x1b", 1, &cfa) && cfa == CFI_CFA_STACK);
	assert_true(is_understood(1, "zPLR", "\x9b\1\2\3\4\x1b\x1b", 7, &cfa) &&
		    cfa == CFI_CFA_STACK);
	assert_true(is_understood(1, "zPR", "\x00\1\2\3\4\5\6\7\x08\x1b", 10, &cfa));
	assert_true(is_understood(1, "zRS", "\x1b", 1, &cfa) && cfa == CFI_CFA_SIGNAL);
	assert_true(is_understood(1, "zPLRB", "\x9b\1\2\3\4\x1b\x1b", 7, &cfa));
	assert_false(is_understood(1, "zQR", "\x1b\x1b", 2, &cfa)); /* Q may have any size */
	assert_false(is_understood(1, "eh", "", 0, &cfa));
	assert_false(is_understood(2, "zR", "\x1b", 1, &cfa));
	assert_false(is_understood(1, "zR", "\x9b", 1, &cfa)); /* an address of an address */
	assert_false(is_understood(1, "zR", "\x0f", 1, &cfa));
}

/* CFA rsp + 1, rsp one word below it, the return address at rsp - 8, turned over in bit 46. */
static void second_places(void **state)
{
	uint8_t turned[] = {0x0c, RSP,	8,    0x14, RSP,  1,  0x10, RIP,
			    7,	  0x77, 0x78, 0x31, 0x08, 46, 0x24, 0x27};
	uint8_t without_xor[] = {0x0c, RSP,  8,	   0x14, RSP,  1,    0x10, RIP,
				 17,   0x77, 0x78, 0x31, 0x08, 46,   0x24, 0x22, /* a + b */
				 0x77, 0x78, 0x31, 0x08, 46,   0x24, 0x1a,	 /* - 2 (a AND b) */
				 0x31, 0x24, 0x1c};
	struct maker maker = {.frames_size = 0}, other = {.frames_size = 0};
	struct maker different = {.frames_size = 0};

	(void)state;
	describe(&maker, common(&maker), START, SIZE, turned, sizeof(turned));
	check(row_at(&maker, START), CFI_CFA_SHADOW, 0, CFI_FRAME_KEPT, -8);
	describe(&other, common(&other), START, SIZE, without_xor, sizeof(without_xor));
	check(row_at(&other, START), CFI_CFA_SHADOW, 0, CFI_FRAME_KEPT, -8);
	without_xor[17] = 0x70; /* of another address */
	describe(&different, common(&different), START, SIZE, without_xor, sizeof(without_xor));
	assert_int_equal(row_at(&different, START).cfa, CFI_CFA_NONE);
}

static void other_registers(void **state)
{
	static const uint8_t program[] = {0x0e, 32, 0x83, 4, 0x41, 0x09, RBX, R10};
	struct maker maker = {.frames_size = 0};
	struct cfi_section section;
	int32_t offset = 0;

	(void)state;
	describe(&maker, common(&maker), START, SIZE, program, sizeof(program));
	section = section_of(&maker);
	assert_true(cfi_find_register(&section, START, RBX, &offset));
	assert_int_equal(offset, -32);
	assert_true(cfi_find_register(&section, START, 12, &offset));
	assert_int_equal(offset, CFI_FRAME_KEPT);
	assert_false(cfi_find_register(&section, START + 1, RBX, &offset));
	assert_false(cfi_find_register(&section, START + SIZE, RBX, &offset));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form),
		cmocka_unit_test(while_a_stack_is_realigned),
		cmocka_unit_test(frame_pointer_by_expressions),
		cmocka_unit_test(augmentations),
		cmocka_unit_test(second_places),
		cmocka_unit_test(other_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
