/* Reading DWARF's numbers from bytes that may be truncated or malformed.  A read that does not fit
 * marks the reader as bad and returns 0; users of the reader check once, after the last read.
 * Context: any. */
#ifndef KYMO_CFI_BYTES_H
#define KYMO_CFI_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cfi_bytes {
	const uint8_t *at;
	const uint8_t *end;
	bool is_bad;
};

static inline size_t cfi_left(const struct cfi_bytes *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

static inline void cfi_take(struct cfi_bytes *bytes, void *to, size_t size)
{
	if (cfi_left(bytes) < size) {
		bytes->is_bad = true;
		bytes->at = bytes->end;
		memset(to, 0, size);
		return;
	}
	memcpy(to, bytes->at, size);
	bytes->at += size;
}

static inline void cfi_skip(struct cfi_bytes *bytes, uint64_t size)
{
	if (cfi_left(bytes) < size) {
		bytes->is_bad = true;
		bytes->at = bytes->end;
		return;
	}
	bytes->at += size;
}

/* cfi_u8(), cfi_u16(), cfi_u32(), cfi_u64(): the next number of so many bits. */
#define CFI_NUMBER(bits)                                                                           \
	static inline uint##bits##_t cfi_u##bits(struct cfi_bytes *bytes)                          \
	{                                                                                          \
		uint##bits##_t value;                                                              \
                                                                                                   \
		cfi_take(bytes, &value, sizeof(value));                                            \
		return value;                                                                      \
	}
CFI_NUMBER(8)
CFI_NUMBER(16)
CFI_NUMBER(32)
CFI_NUMBER(64)
#undef CFI_NUMBER

/* A LEB128 number; shift_out: position of its next bits; last_out: its last byte. */
static inline uint64_t cfi_leb(struct cfi_bytes *bytes, unsigned *shift_out, uint8_t *last_out)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = cfi_u8(bytes);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && !bytes->is_bad);
	*shift_out = shift;
	*last_out = byte;
	return value;
}

static inline uint64_t cfi_uleb(struct cfi_bytes *bytes)
{
	unsigned shift;
	uint8_t last;

	return cfi_leb(bytes, &shift, &last);
}

static inline int64_t cfi_sleb(struct cfi_bytes *bytes)
{
	unsigned shift;
	uint8_t last;
	uint64_t value = cfi_leb(bytes, &shift, &last);

	if (shift < 64 && (last & 0x40))
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}

#endif
