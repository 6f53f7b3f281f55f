/* What the tests of .eh_frame share: sections made byte by byte, and the rows they give. */
#ifndef KYMO_CFI_FIXTURE_H
#define KYMO_CFI_FIXTURE_H

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

static inline void put(struct maker *maker, const void *bytes, size_t size)
{
	memcpy(maker->frames + maker->frames_size, bytes, size);
	maker->frames_size += size;
}

static inline void put_u32(struct maker *maker, uint32_t value)
{
	put(maker, &value, sizeof(value));
}

/* An entry's length goes in front when it is complete. */
static inline size_t begin(struct maker *maker)
{
	put_u32(maker, 0);
	return maker->frames_size;
}

static inline void end(struct maker *maker, size_t start)
{
	uint32_t size;

	while ((maker->frames_size - start) % 4 != 0)
		put(maker, "", 1); /* nop */
	size = (uint32_t)(maker->frames_size - start);
	memcpy(maker->frames + start - 4, &size, 4);
}

/* A common entry with an augmentation as given; its offset. */
static inline size_t common_with(struct maker *maker, uint8_t version, const char *letters,
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

static inline size_t common(struct maker *maker)
{
	return common_with(maker, 1, "zR", "\x1b", 1); /* pcrel | sdata4 */
}

/* A description of [start, start + size) with pcrel | sdata4 addresses; its offset. */
static inline size_t describe(struct maker *maker, size_t common_entry, uint64_t start,
			      uint32_t size, const void *program, size_t program_size)
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

static inline struct cfi_section section_of(const struct maker *maker)
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

static inline struct cfi_row row_at(const struct maker *maker, uint64_t pc)
{
	struct cfi_section section = section_of(maker);
	struct cfi_row row;

	assert_true(cfi_find(&section, pc, &row, NULL, NULL));
	return row;
}

static inline void check(struct cfi_row row, uint8_t cfa, int32_t cfa_offset, int16_t frame_offset,
			 int8_t return_offset)
{
	assert_int_equal(row.cfa, cfa);
	assert_int_equal(row.cfa_offset, cfa_offset);
	assert_int_equal(row.frame_offset, frame_offset);
	assert_int_equal(row.return_offset, return_offset);
}

#endif
