/* Protocol buffer wire format, written forwards into a sufficiently large buffer of the caller.
 *
 * Each function writes at out and returns the end.  A message of known length is written in place;
 * other messages are opened and closed, and their length takes four bytes (a padded varint, which
 * every parser accepts). Inline because a trace has hundreds of millions of these. */
#ifndef KYMO_PROTOBUF_H
#define KYMO_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PROTOBUF_VARINT_MAX  10
#define PROTOBUF_LENGTH_SIZE 4 /* of a message that is opened and closed */

enum protobuf_wire { PROTOBUF_VARINT = 0, PROTOBUF_FIXED64 = 1, PROTOBUF_BYTES = 2 };

static inline unsigned char *protobuf_varint(unsigned char *out, uint64_t value)
{
	while (value >= 0x80) {
		*out++ = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	*out++ = (unsigned char)value;
	return out;
}

static inline size_t protobuf_varint_size(uint64_t value)
{
	return (size_t)(63 - __builtin_clzll(value | 1)) / 7 + 1;
}

static inline unsigned char *protobuf_tag(unsigned char *out, uint32_t field,
					  enum protobuf_wire wire)
{
	return protobuf_varint(out, (uint64_t)field << 3 | wire);
}

static inline unsigned char *protobuf_uint(unsigned char *out, uint32_t field, uint64_t value)
{
	return protobuf_varint(protobuf_tag(out, field, PROTOBUF_VARINT), value);
}

static inline unsigned char *protobuf_fixed64(unsigned char *out, uint32_t field, uint64_t value)
{
	out = protobuf_tag(out, field, PROTOBUF_FIXED64);
	for (int i = 0; i < 8; i++)
		*out++ = (unsigned char)(value >> 8 * i);
	return out;
}

static inline unsigned char *protobuf_double(unsigned char *out, uint32_t field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return protobuf_fixed64(out, field, bits);
}

static inline unsigned char *protobuf_bytes(unsigned char *out, uint32_t field, const void *data,
					    size_t size)
{
	out = protobuf_varint(protobuf_tag(out, field, PROTOBUF_BYTES), size);
	memcpy(out, data, size);
	return out + size;
}

static inline unsigned char *protobuf_string(unsigned char *out, uint32_t field, const char *text)
{
	return protobuf_bytes(out, field, text, strlen(text));
}

/* Begin a message; its content starts at the returned address. */
static inline unsigned char *protobuf_open(unsigned char *out, uint32_t field)
{
	return protobuf_tag(out, field, PROTOBUF_BYTES) + PROTOBUF_LENGTH_SIZE;
}

/* End the message whose content began at content (as protobuf_open() returned it) and
 * ends at out; below 256 MiB. */
static inline void protobuf_close(unsigned char *content, const unsigned char *out)
{
	size_t length = (size_t)(out - content);

	for (int i = 0; i < PROTOBUF_LENGTH_SIZE; i++) {
		unsigned char more = i < PROTOBUF_LENGTH_SIZE - 1 ? 0x80 : 0;

		content[i - PROTOBUF_LENGTH_SIZE] = (unsigned char)(length >> 7 * i & 0x7f) | more;
	}
}

#endif
