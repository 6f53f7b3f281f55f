/* The bytes of a symbol, and the elements that all of its parts consist of. */
#include "object/names/rust_reader.h"

#include <stdio.h>

#include "object/names/rust_punycode.h"

#define DEPTH_MAX  200u
#define OUTPUT_MAX 16384u /* back references can multiply */

void rust_fail(struct rust_reader *reader)
{
	reader->has_failed = true;
}

char rust_peek(const struct rust_reader *reader)
{
	return reader->at < reader->size && !reader->has_failed ? reader->symbol[reader->at] : '\0';
}

char rust_take(struct rust_reader *reader)
{
	char byte = rust_peek(reader);

	if (byte)
		reader->at++;
	else
		rust_fail(reader);
	return byte;
}

bool rust_take_if(struct rust_reader *reader, char byte)
{
	if (rust_peek(reader) != byte)
		return false;
	reader->at++;
	return true;
}

void rust_put(struct rust_reader *reader, const char *text)
{
	if (reader->is_silent || reader->has_failed)
		return;
	textbuf_text(&reader->out, text);
	if (reader->out.length > OUTPUT_MAX)
		rust_fail(reader);
}

bool rust_enter(struct rust_reader *reader)
{
	if (++reader->depth > DEPTH_MAX)
		rust_fail(reader);
	return !reader->has_failed;
}

void rust_leave(struct rust_reader *reader)
{
	reader->depth--;
}

static uint64_t reader_read_decimal(struct rust_reader *reader)
{
	uint64_t value = 0;

	if (rust_peek(reader) < '0' || rust_peek(reader) > '9')
		rust_fail(reader);
	if (rust_take_if(reader, '0'))
		return 0;
	while (rust_peek(reader) >= '0' && rust_peek(reader) <= '9') {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(rust_take(reader) - '0'), &value))
			rust_fail(reader);
	}
	return value;
}

static int digit_of_62(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (byte >= 'a' && byte <= 'z')
		return byte - 'a' + 10;
	return byte >= 'A' && byte <= 'Z' ? byte - 'A' + 36 : -1;
}

uint64_t rust_read_base_62(struct rust_reader *reader)
{
	uint64_t value = 0;

	if (rust_take_if(reader, '_'))
		return 0;
	while (!reader->has_failed && !rust_take_if(reader, '_')) {
		int digit = digit_of_62(rust_take(reader));

		if (digit < 0 || __builtin_mul_overflow(value, 62, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			rust_fail(reader);
	}
	if (__builtin_add_overflow(value, 1, &value))
		rust_fail(reader);
	return value;
}

uint64_t rust_read_marked(struct rust_reader *reader, char mark)
{
	uint64_t value;

	if (!rust_take_if(reader, mark))
		return 0;
	value = rust_read_base_62(reader);
	if (__builtin_add_overflow(value, 1, &value))
		rust_fail(reader);
	return value;
}

struct rust_identifier rust_read_plain_identifier(struct rust_reader *reader)
{
	struct rust_identifier identifier = {.is_punycode = rust_take_if(reader, 'u')};
	uint64_t size = reader_read_decimal(reader);

	rust_take_if(reader, '_');
	if (reader->has_failed || size > reader->size - reader->at) {
		rust_fail(reader);
		return (struct rust_identifier){"", 0, false};
	}
	identifier.at = reader->symbol + reader->at;
	identifier.size = (size_t)size;
	reader->at += (size_t)size;
	return identifier;
}

struct rust_identifier rust_read_identifier(struct rust_reader *reader, uint64_t *disambiguator_out)
{
	*disambiguator_out = rust_read_marked(reader, 's');
	return rust_read_plain_identifier(reader);
}

void rust_put_identifier(struct rust_reader *reader, const struct rust_identifier *identifier)
{
	if (reader->is_silent || reader->has_failed)
		return;
	if (!identifier->is_punycode)
		textbuf_bytes(&reader->out, identifier->at, identifier->size);
	else if (!rust_put_punycode(identifier->at, identifier->size, &reader->out))
		rust_fail(reader);
}

bool rust_enter_backref(struct rust_reader *reader, size_t *back_out)
{
	size_t begin = reader->at - 1;
	uint64_t to = rust_read_base_62(reader);

	*back_out = reader->at;
	if (reader->has_failed || to >= begin) {
		rust_fail(reader);
		return false;
	}
	/* Silent parts need not be read twice. */
	if (reader->is_silent || !rust_enter(reader))
		return false;
	reader->at = (size_t)to;
	return true;
}

void rust_leave_backref(struct rust_reader *reader, size_t back)
{
	reader->at = back;
	rust_leave(reader);
}

void rust_put_lifetime(struct rust_reader *reader, uint64_t index)
{
	char text[32];
	uint64_t depth;

	if (index == 0) {
		rust_put(reader, "'_");
		return;
	}
	if (index > reader->lifetimes) {
		rust_fail(reader);
		return;
	}
	depth = reader->lifetimes - index;
	if (depth < 26)
		snprintf(text, sizeof(text), "'%c", (char)('a' + depth));
	else
		snprintf(text, sizeof(text), "'_%llu", (unsigned long long)depth);
	rust_put(reader, text);
}

uint64_t rust_read_binder(struct rust_reader *reader)
{
	uint64_t count = rust_read_marked(reader, 'G');

	if (count > OUTPUT_MAX)
		rust_fail(reader);
	if (reader->has_failed || count == 0)
		return 0;
	rust_put(reader, "for<");
	for (uint64_t i = 0; i < count && !reader->has_failed; i++) {
		rust_put(reader, i ? ", " : "");
		reader->lifetimes++;
		rust_put_lifetime(reader, 1);
	}
	rust_put(reader, "> ");
	return count;
}
