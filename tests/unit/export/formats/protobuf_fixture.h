/* Protocol buffers taken apart: fields of messages.  Include cmocka.h before. */
#ifndef KYMO_PROTOBUF_FIXTURE_H
#define KYMO_PROTOBUF_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "export/formats/protobuf.h"

struct message {
	const unsigned char *at, *end;
};

struct field {
	uint32_t number;
	uint64_t value;		/* varint or fixed64 */
	struct message content; /* of bytes, else empty */
};

static inline uint64_t read_varint(struct message *message)
{
	uint64_t value = 0;

	for (int shift = 0;; shift += 7) {
		assert_true(message->at < message->end && shift < 70);
		value |= (uint64_t)(*message->at & 0x7f) << shift;
		if (!(*message->at++ & 0x80))
			return value;
	}
}

static inline bool next_field(struct message *message, struct field *out)
{
	uint64_t tag;

	if (message->at == message->end)
		return false;
	tag = read_varint(message);
	*out = (struct field){.number = (uint32_t)(tag >> 3)};
	switch (tag & 7) {
	case PROTOBUF_VARINT:
		out->value = read_varint(message);
		break;
	case PROTOBUF_FIXED64:
		assert_true(message->end - message->at >= 8);
		memcpy(&out->value, message->at, 8);
		message->at += 8;
		break;
	case PROTOBUF_BYTES: {
		uint64_t size = read_varint(message);

		assert_true(size <= (uint64_t)(message->end - message->at));
		out->content = (struct message){message->at, message->at + size};
		message->at += size;
		break;
	}
	default:
		fail_msg("wire type %d", (int)(tag & 7));
	}
	return true;
}

/* The field of a message, which must be there. */
static inline struct field get(struct message message, uint32_t number)
{
	struct field field;

	while (next_field(&message, &field)) {
		if (field.number == number)
			return field;
	}
	fail_msg("no field %u", number);
	return field;
}

static inline bool has(struct message message, uint32_t number)
{
	struct field field;

	while (next_field(&message, &field)) {
		if (field.number == number)
			return true;
	}
	return false;
}

static inline bool equals(struct message message, const char *text)
{
	return (size_t)(message.end - message.at) == strlen(text) &&
	       memcmp(message.at, text, strlen(text)) == 0;
}

#endif
