/* Encoded pointers (LSB, "DWARF Exception Header Encoding"). */
#include "object/unwind/cfi_section.h"

#define PE_FORMAT      0x0fu
#define PE_APPLICATION 0x70u
#define PE_INDIRECT    0x80u

enum { PE_ULEB = 1, PE_UDATA2, PE_UDATA4, PE_UDATA8, PE_SLEB = 9, PE_SDATA2, PE_SDATA8 = 12 };
enum { PE_ABSOLUTE = 0, PE_PCREL = 0x10 };

/* Address of the bytes in the running process. */
static uint64_t section_address_of(const struct cfi_section *section, const uint8_t *at)
{
	uintptr_t place = (uintptr_t)at, header = (uintptr_t)section->header;

	if (section->header && place >= header && place - header < section->header_size)
		return section->header_address + (place - header);
	return section->frames_address + (place - (uintptr_t)section->frames);
}

uint64_t cfi_value(struct cfi_bytes *bytes, uint8_t encoding)
{
	switch (encoding & PE_FORMAT) {
	case CFI_PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		return cfi_u64(bytes);
	case PE_ULEB:
		return cfi_uleb(bytes);
	case PE_UDATA2:
		return cfi_u16(bytes);
	case PE_UDATA4:
		return cfi_u32(bytes);
	case PE_SLEB:
		return (uint64_t)cfi_sleb(bytes);
	case PE_SDATA2:
		return (uint64_t)(int64_t)(int16_t)cfi_u16(bytes);
	case CFI_PE_SDATA4:
		return (uint64_t)(int64_t)(int32_t)cfi_u32(bytes);
	default:
		bytes->is_bad = true;
		return 0;
	}
}

uint64_t cfi_pointer(const struct cfi_section *section, struct cfi_bytes *bytes, uint8_t encoding)
{
	uint64_t base = 0, value;

	switch (encoding & (PE_APPLICATION | PE_INDIRECT)) {
	case PE_ABSOLUTE:
		break;
	case PE_PCREL:
		base = section_address_of(section, bytes->at);
		break;
	case CFI_PE_DATAREL:
		base = section->header_address;
		break;
	default:
		bytes->is_bad = true;
		return 0;
	}
	value = cfi_value(bytes, encoding);
	return value ? base + value : 0; /* as unwinders treat it: 0 is not relative */
}
