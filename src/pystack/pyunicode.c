/* PEP 393: one, two or four bytes per character; after the header, or, if not compact, elsewhere.
 * ASCII has a shorter header.  Characters are read in blocks. */
#include "pystack/pyunicode.h"

#include <string.h>

#define HEAD_MAX    80u
#define BLOCK	    256u
#define REPLACEMENT 0xfffdu
#define LENGTH_MAX  (UINT64_C(1) << 40)

struct text {
	uint64_t address, length;
	uint32_t kind; /* bytes a character */
};

static bool read_head(const struct pylayout *layout, struct pyreader *reader, uint64_t object,
		      struct text *text, uint64_t *type_out)
{
	unsigned char head[HEAD_MAX];
	uint32_t state;
	bool is_compact, is_ascii;

	if (!pyread_is_object(object) || layout->object.compact_data + 8 > HEAD_MAX ||
	    !pyread_checked(reader, object, head, layout->object.ascii_data))
		return false;
	*type_out = pyread_field(head, layout->object.type);
	text->length = pyread_field(head, layout->object.length);
	state = pyread_field32(head, layout->object.state) >> layout->object.kind_shift;
	text->kind = state & 7;
	is_compact = state >> 3 & 1;
	is_ascii = state >> 4 & 1;
	if ((text->kind != 1 && text->kind != 2 && text->kind != 4) ||
	    (is_ascii && text->kind != 1) || text->length > LENGTH_MAX)
		return false;
	if (is_compact)
		text->address = object + (is_ascii ? layout->object.ascii_data
						   : layout->object.compact_data);
	else if (!pyread_checked(reader, object + layout->object.unicode_data, &text->address,
				 sizeof(text->address)))
		return false;
	return true;
}

static uint32_t character_at(const unsigned char *block, size_t index, uint32_t kind)
{
	uint32_t character = 0;

	memcpy(&character, block + index * kind, kind); /* of a little-endian machine */
	return character;
}

/* Its UTF-8 encoding; 0 = there is no such character. */
static size_t encode(uint32_t character, char *to)
{
	if (character == 0) /* would end the text */
		character = REPLACEMENT;
	if (character < 0x80) {
		to[0] = (char)character;
		return 1;
	}
	if (character < 0x800) {
		to[0] = (char)(0xc0 | character >> 6);
		to[1] = (char)(0x80 | (character & 0x3f));
		return 2;
	}
	if (character < 0x10000) {
		to[0] = (char)(0xe0 | character >> 12);
		to[1] = (char)(0x80 | (character >> 6 & 0x3f));
		to[2] = (char)(0x80 | (character & 0x3f));
		return 3;
	}
	if (character > 0x10ffff)
		return 0;
	to[0] = (char)(0xf0 | character >> 18);
	to[1] = (char)(0x80 | (character >> 12 & 0x3f));
	to[2] = (char)(0x80 | (character >> 6 & 0x3f));
	to[3] = (char)(0x80 | (character & 0x3f));
	return 4;
}

bool pyunicode_read(const struct pylayout *layout, struct pyreader *reader, uint64_t object,
		    char *to, size_t size, uint64_t *type_out)
{
	unsigned char block[BLOCK];
	struct text text;
	size_t used = 0;
	char bytes[4];

	to[0] = '\0';
	if (!read_head(layout, reader, object, &text, type_out))
		return false;
	for (uint64_t done = 0; done < text.length;) {
		uint64_t count = text.length - done;

		if (count > BLOCK / text.kind)
			count = BLOCK / text.kind;
		if (!pyread_checked(reader, text.address + done * text.kind, block,
				    count * text.kind))
			return false;
		for (uint64_t i = 0; i < count; i++) {
			size_t length = encode(character_at(block, i, text.kind), bytes);

			if (length == 0)
				return false;
			if (used + length >= size)
				return true;
			memcpy(to + used, bytes, length);
			used += length;
			to[used] = '\0';
		}
		done += count;
	}
	return true;
}
