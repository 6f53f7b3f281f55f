/* Constants in rustc's v0 names: arguments of generic functions.  Serves rust_reader.h. */
#include "object/names/rust_reader.h"

#include <stdio.h>
#include <string.h>

#include "object/names/rust_punycode.h"
#include "object/names/rust_symbol.h"

static int hex_digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static struct rust_identifier const_read_hex(struct rust_reader *reader)
{
	struct rust_identifier digits = {.at = reader->symbol + reader->at};

	while (!reader->has_failed && !rust_take_if(reader, '_')) {
		if (hex_digit(rust_take(reader)) < 0)
			rust_fail(reader);
		digits.size++;
	}
	return reader->has_failed ? (struct rust_identifier){"", 0, false} : digits;
}

/* False: it has more than 64 bits. */
static bool const_value_of(const struct rust_identifier *digits, uint64_t *value_out)
{
	size_t first = 0;

	while (first < digits->size && digits->at[first] == '0')
		first++;
	*value_out = 0;
	if (digits->size - first > 16)
		return false;
	for (; first < digits->size; first++)
		*value_out = *value_out << 4 | (uint64_t)hex_digit(digits->at[first]);
	return true;
}

static void read_number(struct rust_reader *reader, bool is_signed)
{
	struct rust_identifier digits;
	uint64_t value;
	char text[32];

	rust_put(reader, is_signed && rust_take_if(reader, 'n') ? "-" : "");
	digits = const_read_hex(reader);
	if (const_value_of(&digits, &value)) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
		rust_put(reader, text);
	} else {
		rust_put(reader, "0x");
		rust_put_identifier(reader, &digits);
	}
}

static void put_character(struct rust_reader *reader, uint32_t code, char quote)
{
	static const char escaped[] = "\t\r\n\\", letters[] = "trn\\";
	const char *found = code && code < 0x80 ? strchr(escaped, (int)code) : NULL;
	char text[16] = "";

	if (found)
		snprintf(text, sizeof(text), "\\%c", letters[found - escaped]);
	else if (code == (uint32_t)quote)
		snprintf(text, sizeof(text), "\\%c", quote);
	else if (code < 0x20 || code == 0x7f)
		snprintf(text, sizeof(text), "\\u{%x}", (unsigned int)code);
	rust_put(reader, text);
	if (!*text && !reader->is_silent && !reader->has_failed &&
	    !rust_put_code(code, &reader->out))
		rust_fail(reader);
}

static void read_character(struct rust_reader *reader)
{
	struct rust_identifier digits = const_read_hex(reader);
	uint64_t value;

	if (!const_value_of(&digits, &value) || value > 0x10ffff)
		rust_fail(reader);
	rust_put(reader, "'");
	put_character(reader, (uint32_t)value, '\'');
	rust_put(reader, "'");
}

/* Bytes of UTF-8, two digits each. */
static void const_read_string(struct rust_reader *reader)
{
	struct rust_identifier digits = const_read_hex(reader);

	if (digits.size % 2)
		rust_fail(reader);
	rust_put(reader, "\"");
	for (size_t i = 0; i + 1 < digits.size && !reader->has_failed; i += 2) {
		int byte = hex_digit(digits.at[i]) << 4 | hex_digit(digits.at[i + 1]);

		if (byte < 0x80)
			put_character(reader, (uint32_t)byte, '"');
		else if (!reader->is_silent)
			textbuf_char(&reader->out, (char)byte);
	}
	rust_put(reader, "\"");
}

static void read_bool(struct rust_reader *reader)
{
	struct rust_identifier digits = const_read_hex(reader);
	uint64_t value;

	if (!const_value_of(&digits, &value) || value > 1)
		rust_fail(reader);
	rust_put(reader, value == 1 ? "true" : "false");
}

static void read_element(struct rust_reader *reader)
{
	rust_read_const(reader, true);
}

static void read_fields(struct rust_reader *reader)
{
	rust_put(reader, " { ");
	for (bool is_first = true; !reader->has_failed && !rust_take_if(reader, 'E');
	     is_first = false) {
		uint64_t disambiguator;
		struct rust_identifier name = rust_read_identifier(reader, &disambiguator);

		rust_put(reader, is_first ? "" : ", ");
		rust_put_identifier(reader, &name);
		rust_put(reader, ": ");
		rust_read_const(reader, true);
	}
	rust_put(reader, " }");
}

/* "(a, b)", "[a, b]", up to 'E'. */
static void read_values(struct rust_reader *reader, const char *begin, const char *end)
{
	rust_put(reader, begin);
	for (bool is_first = true; !reader->has_failed && !rust_take_if(reader, 'E');
	     is_first = false) {
		rust_put(reader, is_first ? "" : ", ");
		rust_read_const(reader, true);
	}
	rust_put(reader, end);
}

static void read_variant(struct rust_reader *reader)
{
	char form;

	rust_read_path(reader, true);
	form = rust_take(reader);
	if (form == 'S') {
		read_fields(reader);
	} else if (form == 'T') {
		read_values(reader, "(", ")");
	} else if (form != 'U') {
		rust_fail(reader);
	}
}

/* Those that are in braces as generic arguments. */
static bool read_compound(struct rust_reader *reader, char tag)
{
	switch (tag) {
	case 'e':
		rust_put(reader, "*");
		const_read_string(reader);
		return true;
	case 'R':
	case 'Q':
		if (tag == 'R' && rust_take_if(reader, 'e')) {
			const_read_string(reader);
			return true;
		}
		rust_put(reader, tag == 'R' ? "&" : "&mut ");
		rust_read_const(reader, true);
		return true;
	case 'A':
		read_values(reader, "[", "]");
		return true;
	case 'T':
		rust_read_tuple(reader, read_element);
		return true;
	case 'V':
		read_variant(reader);
		return true;
	default:
		return false;
	}
}

static void read_const_of(struct rust_reader *reader, char tag, bool is_value)
{
	bool has_braces = !is_value && tag && strchr("eRQATV", tag) &&
			  !(tag == 'R' && rust_peek(reader) == 'e');
	size_t back;

	rust_put(reader, has_braces ? "{" : "");
	if (tag == 'p') {
		rust_put(reader, "_");
	} else if (tag == 'B') {
		if (rust_enter_backref(reader, &back)) {
			rust_read_const(reader, is_value);
			rust_leave_backref(reader, back);
		}
	} else if (tag == 'b') {
		read_bool(reader);
	} else if (tag == 'c') {
		read_character(reader);
	} else if (tag && strchr("hmtyoj", tag)) {
		read_number(reader, false);
	} else if (tag && strchr("almsxni", tag)) {
		read_number(reader, tag != 'm');
	} else if (!read_compound(reader, tag)) {
		rust_fail(reader);
	}
	rust_put(reader, has_braces ? "}" : "");
}

void rust_read_const(struct rust_reader *reader, bool is_value)
{
	if (rust_enter(reader))
		read_const_of(reader, rust_take(reader), is_value);
	rust_leave(reader);
}
