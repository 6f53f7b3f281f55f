/* Rows of .eh_frame are found by address, and nothing is read beside damaged sections. */
#include "cfi_fixture.h"

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

static bool is_covered(const struct maker *maker, uint64_t pc)
{
	struct cfi_section section = section_of(maker);
	struct cfi_row row;

	return cfi_find(&section, pc, &row, NULL, NULL);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(along_a_function),	 cmocka_unit_test(among_many),
		cmocka_unit_test(with_a_strange_header), cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(changed_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
