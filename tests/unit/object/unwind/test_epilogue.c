/* Code without descriptions, byte by byte. */
#include "object/unwind/epilogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include "object/code/x86_64/instruction.h"
#include "object/unwind/cfi.h"

#define TEXT(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

enum { RBX = 3, RBP = 6, RSP = 7 }; /* DWARF's numbers */

static bool follow(const uint8_t *code, size_t size, struct cfi_row *row)
{
	memset(row, 0, sizeof(*row));
	static uint64_t generation; /* nothing is known from before */

	return unwind_row_by_epilogue(code, 0, size, ++generation, row);
}

static void is_row(const uint8_t *code, size_t size, unsigned number, int32_t cfa_offset,
		   int16_t frame_offset)
{
	struct cfi_row row;

	assert_true(follow(code, size, &row));
	assert_int_equal(row.cfa, CFI_CFA_CODE + number);
	assert_int_equal(row.cfa_offset, cfa_offset);
	assert_int_equal(row.frame_offset, frame_offset);
	assert_int_equal(row.return_offset, -8);
}

static void is_none(const uint8_t *code, size_t size)
{
	struct cfi_row row;

	assert_false(follow(code, size, &row));
}

static void ways_out(void **state)
{
	(void)state;
	is_row(TEXT("\xc3"), RSP, 8, CFI_FRAME_KEPT);
	is_row(TEXT("\x5b\x5d\xc3"), RSP, 24, -16); /* pop rbx, rbp */
	is_row(TEXT("\x48\x83\xc4\x48\x5d\xc3"), RSP, 0x58, -16);
	is_row(TEXT("\xc9\xc3"), RBP, 16, -16);			    /* leave */
	is_row(TEXT("\x48\x8d\x65\xf8\x5b\x5d\xc3"), RBP, 16, -16); /* lea -8(%rbp), %rsp */
	is_row(TEXT("\x48\x89\xdc\x48\x8b\x2c\x24\x48\x83\xc4\x10\xc3"), RBX, 24, -24);
	is_row(TEXT("\x48\x8b\x6c\x24\x08\x48\x83\xc4\x10\xc3"), RSP, 24, -16);
	/* The whole of a function: what it saves is brought back. */
	is_row(TEXT("\x55\x48\x89\xe5\x48\x83\xec\x20\x31\xc0\xc9\xc3"), RSP, 8, CFI_FRAME_KEPT);
}

static void along_the_way(void **state)
{
	(void)state;
	is_row(TEXT("\xeb\x02\x0f\x0b\x5d\xc3"), RSP, 16, -16);	    /* jmp over ud2 */
	is_row(TEXT("\x74\x02\x5d\xc3\x0f\x0b"), RSP, 16, -16);	    /* je: not taken */
	is_row(TEXT("\xe8\x00\x00\x00\x00\x5d\xc3"), RSP, 16, -16); /* call */
	is_row(TEXT("\xc5\xfd\x11\x04\x24\x5d\xc3"), RSP, 16, -16); /* vmovupd to memory */
	is_none(TEXT("\x48\x83\xe4\xc0\xc3"));			    /* aligned, not kept */
	is_row(TEXT("\x48\x89\xe3\x48\x83\xe4\xc0\x48\x89\xdc\xc3"), RSP, 8, CFI_FRAME_KEPT);
	is_none(TEXT("\x31\xdb\x48\x89\xdc\xc3")); /* the register was used for a number */
	is_none(TEXT("\xbd\x01\x00\x00\x00\xc3")); /* and so was the frame pointer */
	is_none(TEXT("\xff\xe0"));		   /* jmp *%rax */
	is_none(TEXT("\xcc\xc3"));
	is_none(TEXT("\xf3\x0f\x1e\xfa\xc3")); /* another function begins */
	is_none(TEXT("\xeb\xfe"));	       /* a loop without end */
	is_none(TEXT("\xeb\x10\xc3"));	       /* out of the text */
	is_none(TEXT("\xeb\xf0\xc3"));
	is_none(TEXT("\x5d"));
	is_none(TEXT("\x06"));
}

/* Any bytes: whatever they are, nothing outside of them is read. */
static void any_bytes(void **state)
{
	struct cfi_row row;

	(void)state;
	srand(4711);
	for (int i = 0; i < 20000; i++) {
		size_t size = 1 + (size_t)rand() % 64, before = (size_t)rand() % size;
		uint8_t *code = malloc(size);

		for (size_t k = 0; k < size; k++)
			code[k] = (uint8_t)(rand() >> 8);
		unwind_row_by_epilogue(code + before, before, size - before, (uint64_t)i, &row);
		free(code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ways_out),
		cmocka_unit_test(along_the_way),
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
