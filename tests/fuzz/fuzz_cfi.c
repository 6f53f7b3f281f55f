/* Any bytes as .eh_frame_hdr and .eh_frame: whatever they say, nothing outside of them is
 * read, and what is found covers the address that was asked for.
 * Input: size of the header (2 bytes), address from the header's (4), header, frames. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "object/unwind/cfi.h"

#define ADDRESS 0x400000u
#define HEAD	6u
#define PROBES	8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct cfi_section *section, uint64_t pc)
{
	uint64_t start = 0, end = 0;
	struct cfi_row row;
	int32_t offset;

	if (cfi_find(section, pc, &row, &start, &end)) {
		if (pc < start || pc >= end)
			abort();
		if (row.cfa > CFI_CFA_OUTERMOST &&
		    (row.cfa < CFI_CFA_REGISTER || row.cfa >= CFI_CFA_REGISTER + 16))
			abort();
	} else if (cfi_find_register(section, pc, 3, &offset)) {
		abort();
	}
	cfi_find_register(section, pc, 12, &offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfi_section section = {.header_address = ADDRESS};
	uint16_t header_size;
	int32_t distance;
	uint8_t *header, *frames;

	if (size < HEAD)
		return 0;
	memcpy(&header_size, data, sizeof(header_size));
	memcpy(&distance, data + sizeof(header_size), sizeof(distance));
	data += HEAD;
	size -= HEAD;
	if (header_size > size)
		header_size = (uint16_t)size;
	header = malloc(header_size + 1u);
	frames = malloc(size - header_size + 1);
	if (!header || !frames)
		abort();
	memcpy(header + 1, data, header_size); /* not aligned, and ends where memory ends */
	memcpy(frames + 1, data + header_size, size - header_size);
	section.header = header_size ? header + 1 : NULL;
	section.header_size = header_size;
	section.frames = frames + 1;
	section.frames_size = size - header_size;
	section.frames_address = ADDRESS + header_size;
	for (unsigned i = 0; i < PROBES; i++)
		look(&section, ADDRESS + (uint64_t)(int64_t)distance + i * i);
	free(header);
	free(frames);
	return 0;
}
