/* The location of a module's unwind tables, and reading addresses from them.  Context: any. */
#ifndef KYMO_CFI_SECTION_H
#define KYMO_CFI_SECTION_H

#include "object/unwind/cfi_bytes.h"

/* One module's unwind tables, at their current addresses: in the process itself the mapped
 * segments, for another process its file. */
struct cfi_section {
	const uint8_t *header; /* .eh_frame_hdr; NULL = none: frames is searched from its start */
	size_t header_size;
	uint64_t header_address; /* in the running process */
	const uint8_t *frames;	 /* .eh_frame */
	size_t frames_size;
	uint64_t frames_address;
};

/* DW_EH_PE_*: the encoding of an address, and its base. */
enum {
	CFI_PE_ABSPTR = 0,
	CFI_PE_SDATA4 = 11,
	CFI_PE_DATAREL = 0x30,
	CFI_PE_OMIT = 0xff, /* no value */
};

/* The number at bytes, without its base. */
uint64_t cfi_value(struct cfi_bytes *bytes, uint8_t encoding);

/* The address at bytes; encodings that cannot be resolved here mark the reader as bad. */
uint64_t cfi_pointer(const struct cfi_section *section, struct cfi_bytes *bytes, uint8_t encoding);

#endif
