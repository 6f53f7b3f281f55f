/* Paths, and whole symbols. */
#include "object/names/rust_symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object/names/rust_reader.h"

static void read_generic_argument(struct rust_reader *reader)
{
	if (rust_take_if(reader, 'L'))
		rust_put_lifetime(reader, rust_read_base_62(reader));
	else if (rust_take_if(reader, 'K'))
		rust_read_const(reader, false);
	else
		rust_read_type(reader);
}

void rust_read_arguments(struct rust_reader *reader)
{
	for (bool is_first = true; !reader->has_failed && !rust_take_if(reader, 'E');
	     is_first = false) {
		rust_put(reader, is_first ? "" : ", ");
		read_generic_argument(reader);
	}
}

/* "::name", "::{closure#2}". */
static void read_nested(struct rust_reader *reader, bool is_value)
{
	char namespace = rust_take(reader), text[32];
	bool is_special = namespace >= 'A' && namespace <= 'Z';
	uint64_t disambiguator;
	struct rust_identifier name;

	if (!is_special && !(namespace >= 'a' && namespace <= 'z'))
		rust_fail(reader);
	rust_read_path(reader, is_value);
	name = rust_read_identifier(reader, &disambiguator);
	if (!is_special) {
		rust_put(reader, name.size ? "::" : "");
		rust_put_identifier(reader, &name);
		return;
	}
	snprintf(text, sizeof(text), "%c", namespace);
	rust_put(reader, "::{");
	rust_put(reader, namespace == 'C' ? "closure" : namespace == 'S' ? "shim" : text);
	rust_put(reader, name.size ? ":" : "");
	rust_put_identifier(reader, &name);
	snprintf(text, sizeof(text), "#%llu}", (unsigned long long)disambiguator);
	rust_put(reader, text);
}

/* The path of an impl's location is not part of its functions' names. */
static void skip_impl_path(struct rust_reader *reader)
{
	bool was_silent = reader->is_silent;

	reader->is_silent = true;
	rust_read_marked(reader, 's');
	rust_read_path(reader, false);
	reader->is_silent = was_silent;
}

static void read_impl(struct rust_reader *reader, char tag)
{
	if (tag != 'Y')
		skip_impl_path(reader);
	rust_put(reader, "<");
	rust_read_type(reader);
	if (tag != 'M') {
		rust_put(reader, " as ");
		rust_read_path(reader, false);
	}
	rust_put(reader, ">");
}

static void read_path_of(struct rust_reader *reader, char tag, bool is_value)
{
	struct rust_identifier name;
	uint64_t disambiguator;
	size_t back;

	switch (tag) {
	case 'C':
		name = rust_read_identifier(reader, &disambiguator);
		rust_put_identifier(reader, &name);
		break;
	case 'N':
		read_nested(reader, is_value);
		break;
	case 'M':
	case 'X':
	case 'Y':
		read_impl(reader, tag);
		break;
	case 'I':
		rust_read_path(reader, is_value);
		rust_put(reader, is_value ? "::<" : "<");
		rust_read_arguments(reader);
		rust_put(reader, ">");
		break;
	case 'B':
		if (rust_enter_backref(reader, &back)) {
			rust_read_path(reader, is_value);
			rust_leave_backref(reader, back);
		}
		break;
	default:
		rust_fail(reader);
	}
}

void rust_read_path(struct rust_reader *reader, bool is_value)
{
	if (rust_enter(reader))
		read_path_of(reader, rust_take(reader), is_value);
	rust_leave(reader);
}

char *rust_symbol_name(const char *symbol)
{
	struct rust_reader reader = {.symbol = symbol, .size = strcspn(symbol, ".$")};

	/* Later versions of the scheme begin with a number. */
	if (reader.size == 0 || *symbol < 'A' || *symbol > 'Z')
		return NULL;
	rust_read_path(&reader, true);
	/* The crate that made this copy of a generic function. */
	if (!reader.has_failed && reader.at < reader.size) {
		reader.is_silent = true;
		rust_read_path(&reader, false);
	}
	if (!reader.has_failed && reader.at == reader.size && reader.out.length > 0) {
		textbuf_text(&reader.out, symbol + reader.size);
		return textbuf_take(&reader.out);
	}
	textbuf_release(&reader.out);
	return NULL;
}
