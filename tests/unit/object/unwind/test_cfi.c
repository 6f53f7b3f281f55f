/* Rows from .eh_frame: sections made byte by byte. */
#include "object/unwind/cfi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_ADDRESS 0x20000u
#define HEADER_ADDRESS 0x10000u
#define START	       0x5000u /* of the function described */
#define SIZE	       0x40u

enum { RBX = 3, RDI = 5, RBP = 6, RSP = 7, R10 = 10, RIP = 16 };

struct maker {
	uint8_t frames[2048];
	size_t frames_size;
	uint8_t header[512];
	size_t header_size;
};

static void put(struct maker *maker, const void *bytes, size_t size)
{
	memcpy(maker->frames + maker->frames_size, bytes, size);
	maker->frames_size += size;
}

static void put_u32(struct maker *maker, uint32_t value)
{
	put(maker, &value, sizeof(value));
}

/* An entry's length goes in front when it is complete. */
static size_t begin(struct maker *maker)
{
	put_u32(maker, 0);
	return maker->frames_size;
}

static void end(struct maker *maker, size_t start)
{
	uint32_t size;

	while ((maker->frames_size - start) % 4 != 0)
		put(maker, "", 1); /* nop */
	size = (uint32_t)(maker->frames_size - start);
	memcpy(maker->frames + start - 4, &size, 4);
}

/* A common entry with an augmentation as given; its offset. */
static size_t common_with(struct maker *maker, uint8_t version, const char *letters,
			  const void *data, uint8_t data_size)
{
	static const uint8_t initial[] = {0x0c, RSP, 8, 0x80 | RIP, 1}; /* def_cfa, offset */
	size_t start = begin(maker);

	put_u32(maker, 0);
	put(maker, &version, 1);
	put(maker, letters, strlen(letters) + 1);
	if (version == 4)
		put(maker, "\x08\x00", 2);
	put(maker, "\x01\x78\x10", 3); /* code alignment 1, data alignment -8, return register */
	if (letters[0] == 'z') {
		put(maker, &data_size, 1);
		put(maker, data, data_size);
	}
	put(maker, initial, sizeof(initial));
	end(maker, start);
	return start - 4;
}

static size_t common(struct maker *maker)
{
	return common_with(maker, 1, "zR", "\x1b", 1); /* pcrel | sdata4 */
}

/* A description of [start, start + size) with pcrel | sdata4 addresses; its offset. */
static size_t describe(struct maker *maker, size_t common_entry, uint64_t start, uint32_t size,
		       const void *program, size_t program_size)
{
	size_t at = begin(maker);

	put_u32(maker, (uint32_t)(at - common_entry));
	put_u32(maker, (uint32_t)(start - (FRAMES_ADDRESS + maker->frames_size)));
	put_u32(maker, size);
	put(maker, "", 1); /* augmentation */
	put(maker, program, program_size);
	end(maker, at);
	return at - 4;
}

static struct cfi_section section_of(const struct maker *maker)
{
	return (struct cfi_section){
		.header = maker->header_size ? maker->header : NULL,
		.header_size = maker->header_size,
		.header_address = HEADER_ADDRESS,
		.frames = maker->frames,
		.frames_size = maker->frames_size,
		.frames_address = FRAMES_ADDRESS,
	};
}

static void begin_header(struct maker *maker, uint32_t count)
{
	int32_t frames = (int32_t)(FRAMES_ADDRESS - (HEADER_ADDRESS + 4));

	memcpy(maker->header, "\x01\x1b\x03\x3b", 4);
	memcpy(maker->header + 4, &frames, 4);
	memcpy(maker->header + 8, &count, 4);
	maker->header_size = 12;
}

static void add_to_header(struct maker *maker, uint64_t start, size_t entry)
{
	int32_t row[2] = {(int32_t)(start - HEADER_ADDRESS),
			  (int32_t)(FRAMES_ADDRESS + entry - HEADER_ADDRESS)};

	memcpy(maker->header + maker->header_size, row, sizeof(row));
	maker->header_size += sizeof(row);
}

static struct cfi_row row_at(const struct maker *maker, uint64_t pc)
{
	struct cfi_section section = section_of(maker);
	struct cfi_row row;

	assert_true(cfi_find(&section, pc, &row, NULL, NULL));
	return row;
}

static bool is_covered(const struct maker *maker, uint64_t pc)
{
	struct cfi_section section = section_of(maker);
	struct cfi_row row;

	return cfi_find(&section, pc, &row, NULL, NULL);
}

static void check(struct cfi_row row, uint8_t cfa, int32_t cfa_offset, int16_t frame_offset,
		  int8_t return_offset)
{
	assert_int_equal(row.cfa, cfa);
	assert_int_equal(row.cfa_offset, cfa_offset);
	assert_int_equal(row.frame_offset, frame_offset);
	assert_int_equal(row.return_offset, return_offset);
}

/* push %rbp; mov %rsp, %rbp; …; pop %rbp; ret */
static void along_a_function(void **state)
{
	static const uint8_t program[] = {
		0x41, 0x0e, 16,	  0x86, 2,	 /* advance 1: CFA +16, rbp at CFA - 16 */
		0x43, 0x0d, RBP,		 /* advance 3: CFA by rbp */
		0x02, 0x30, 0x0c, RSP,	8, 0xc6, /* advance1 48: CFA by rsp, rbp restored */
	};
	struct maker maker = {.frames_size = 0};
	struct cfi_section section;
	uint64_t start = 0, stop = 0;
	struct cfi_row row;

	(void)state;
	describe(&maker, common(&maker), START, SIZE, program, sizeof(program));
	check(row_at(&maker, START), CFI_CFA_STACK, 8, CFI_FRAME_KEPT, -8);
	check(row_at(&maker, START + 1), CFI_CFA_STACK, 16, -16, -8);
	check(row_at(&maker, START + 3), CFI_CFA_STACK, 16, -16, -8);
	check(row_at(&maker, START + 4), CFI_CFA_FRAME, 16, -16, -8);
	check(row_at(&maker, START + 51), CFI_CFA_FRAME, 16, -16, -8);
	check(row_at(&maker, START + 52), CFI_CFA_STACK, 8, CFI_FRAME_KEPT, -8);
	check(row_at(&maker, START + SIZE - 1), CFI_CFA_STACK, 8, CFI_FRAME_KEPT, -8);
	assert_false(is_covered(&maker, START - 1));
	assert_false(is_covered(&maker, START + SIZE));
	section = section_of(&maker);
	assert_true(cfi_find(&section, START + 9, &row, &start, &stop));
	assert_int_equal(start, START);
	assert_int_equal(stop, START + SIZE);
}

static void make_many(struct maker *maker, bool has_header)
{
	size_t first = common(maker), second;
	uint8_t program[] = {0x0e, 0};

	if (has_header)
		begin_header(maker, 4);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t start = START + i * 0x100;
		size_t entry;

		program[1] = (uint8_t)(16 + 8 * i);
		second = i == 2 ? common(maker) : first;
		entry = describe(maker, second, start, SIZE, program, sizeof(program));
		if (has_header)
			add_to_header(maker, start, entry);
	}
	put_u32(maker, 0);
}

static void among_many(void **state)
{
	for (int has_header = 0; has_header < 2; has_header++) {
		struct maker maker = {.frames_size = 0};

		(void)state;
		make_many(&maker, has_header);
		assert_false(is_covered(&maker, 1));
		for (unsigned i = 0; i < 4; i++) {
			uint64_t start = START + i * 0x100;

			assert_false(is_covered(&maker, start - 1));
			assert_int_equal(row_at(&maker, start).cfa_offset, 16 + 8 * (int)i);
			assert_int_equal(row_at(&maker, start + SIZE - 1).cfa_offset,
					 16 + 8 * (int)i);
			assert_false(is_covered(&maker, start + SIZE));
		}
	}
}

/* A table in another form than linkers write is not used, and not needed. */
static void with_a_strange_header(void **state)
{
	struct maker maker = {.frames_size = 0};

	(void)state;
	make_many(&maker, true);
	maker.header[3] = 0x1b;
	assert_int_equal(row_at(&maker, START + 0x100).cfa_offset, 24);
	maker.header[3] = 0x3b;
	maker.header[0] = 2;
	assert_int_equal(row_at(&maker, START + 0x100).cfa_offset, 24);
	maker.header[0] = 1;
	memset(maker.header + 8, 0x7f, 4); /* more rows than there are bytes */
	assert_int_equal(row_at(&maker, START + 0x100).cfa_offset, 24);
}

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

/* Exactly as large as they are, so that a sanitizer sees a read past their ends. */
static void find_in_copies(const struct maker *maker, size_t frames_size, size_t header_size)
{
	struct cfi_section section = section_of(maker);
	uint8_t *frames = malloc(frames_size + 1), *header = malloc(header_size + 1);
	struct cfi_row row;

	memcpy(frames + 1, maker->frames, frames_size);
	memcpy(header + 1, maker->header, header_size);
	section.frames = frames + 1;
	section.frames_size = frames_size;
	section.header = header_size ? header + 1 : NULL;
	section.header_size = header_size;
	for (uint64_t pc = START - 1; pc < START + 0x340; pc += 0x3f) {
		int32_t offset;

		cfi_find(&section, pc, &row, NULL, NULL);
		cfi_find_register(&section, pc, RBX, &offset);
	}
	free(frames);
	free(header);
}

static void cut_anywhere(void **state)
{
	struct maker maker = {.frames_size = 0};

	(void)state;
	make_many(&maker, true);
	for (size_t size = 0; size < maker.frames_size; size++)
		find_in_copies(&maker, size, maker.header_size);
	for (size_t size = 0; size < maker.header_size; size++)
		find_in_copies(&maker, maker.frames_size, size);
}

static void changed_anywhere(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	struct maker maker = {.frames_size = 0};

	(void)state;
	make_many(&maker, true);
	for (size_t i = 0; i < maker.frames_size + maker.header_size; i++) {
		uint8_t *byte = i < maker.frames_size ? &maker.frames[i]
						      : &maker.header[i - maker.frames_size];
		uint8_t before = *byte;

		for (size_t k = 0; k < sizeof(values); k++) {
			*byte = values[k];
			find_in_copies(&maker, maker.frames_size, maker.header_size);
			find_in_copies(&maker, maker.frames_size, 0);
		}
		*byte = before;
	}
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
		cmocka_unit_test(along_a_function),
		cmocka_unit_test(among_many),
		cmocka_unit_test(with_a_strange_header),
		cmocka_unit_test(each_form),
		cmocka_unit_test(while_a_stack_is_realigned),
		cmocka_unit_test(frame_pointer_by_expressions),
		cmocka_unit_test(augmentations),
		cmocka_unit_test(second_places),
		cmocka_unit_test(other_registers),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(changed_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
