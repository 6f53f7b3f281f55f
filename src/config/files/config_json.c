/* Configuration as JSON: one object, whose members are settings or contain them. Strict RFC 8259,
 * except that lists hold scalars only.  The parser stops at the first error. */
#include "config/files/config_json.h"

#include <ctype.h>
#include <string.h>

#include "config/files/config_tree.h"

struct json_reader {
	const char *at, *end;
	unsigned int line;
	struct config_tree tree;
	struct textbuf token;
	const char *reason;
};

static void skip_blanks(struct json_reader *reader)
{
	while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) != NULL &&
	       *reader->at != '\0') {
		reader->line += *reader->at == '\n';
		reader->at++;
	}
}

static bool json_fail(struct json_reader *reader, const char *reason)
{
	reader->reason = reason;
	return false;
}

/* Skips blanks; if the next character is this one, consumes it. */
static bool json_accept(struct json_reader *reader, char character)
{
	skip_blanks(reader);
	if (reader->at >= reader->end || *reader->at != character)
		return false;
	reader->at++;
	return true;
}

static bool json_read_hex(struct json_reader *reader, unsigned int *out)
{
	unsigned int value = 0, i;
	int digit;

	if (reader->end - reader->at < 4)
		return false;
	for (i = 0; i < 4; i++) {
		digit = tolower((unsigned char)*reader->at++);
		if (!isxdigit(digit))
			return false;
		value = value * 16 +
			(unsigned int)(isdigit(digit) ? digit - '0' : digit - 'a' + 10);
	}
	*out = value;
	return true;
}

static void put_utf8(struct textbuf *text, unsigned int code)
{
	if (code < 0x80) {
		textbuf_char(text, (char)code);
	} else if (code < 0x800) {
		textbuf_char(text, (char)(0xc0 | code >> 6));
		textbuf_char(text, (char)(0x80 | (code & 0x3f)));
	} else if (code < 0x10000) {
		textbuf_char(text, (char)(0xe0 | code >> 12));
		textbuf_char(text, (char)(0x80 | (code >> 6 & 0x3f)));
		textbuf_char(text, (char)(0x80 | (code & 0x3f)));
	} else {
		textbuf_char(text, (char)(0xf0 | code >> 18));
		textbuf_char(text, (char)(0x80 | (code >> 12 & 0x3f)));
		textbuf_char(text, (char)(0x80 | (code >> 6 & 0x3f)));
		textbuf_char(text, (char)(0x80 | (code & 0x3f)));
	}
}

/* After "\u". */
static bool read_unicode(struct json_reader *reader)
{
	unsigned int code, low;

	if (!json_read_hex(reader, &code) || code == 0)
		return json_fail(reader, "wrong \\u in a string");
	if (code >= 0xd800 && code < 0xdc00) {
		if (reader->end - reader->at < 6 || reader->at[0] != '\\' || reader->at[1] != 'u')
			return json_fail(reader, "half of a \\u pair in a string");
		reader->at += 2;
		if (!json_read_hex(reader, &low) || low < 0xdc00 || low > 0xdfff)
			return json_fail(reader, "half of a \\u pair in a string");
		code = 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
	} else if (code >= 0xdc00 && code < 0xe000) {
		return json_fail(reader, "half of a \\u pair in a string");
	}
	put_utf8(&reader->token, code);
	return true;
}

static bool read_escape(struct json_reader *reader)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (reader->at >= reader->end)
		return json_fail(reader, "a string is not closed");
	if (*reader->at == 'u') {
		reader->at++;
		return read_unicode(reader);
	}
	found = memchr(names, *reader->at, sizeof(names) - 1);
	if (found == NULL)
		return json_fail(reader, "unknown escape in a string");
	textbuf_char(&reader->token, values[found - names]);
	reader->at++;
	return true;
}

/* After the opening quote; the text is appended to token. */
static bool json_read_string(struct json_reader *reader)
{
	char character;

	textbuf_clear(&reader->token);
	textbuf_text(&reader->token, "");
	while (reader->at < reader->end) {
		character = *reader->at;
		if (character == '\n')
			break;
		if ((unsigned char)character < 0x20)
			return json_fail(reader,
					 "a control character in a string; write it escaped");
		reader->at++;
		if (character == '"')
			return true;
		if (character != '\\')
			textbuf_char(&reader->token, character);
		else if (!read_escape(reader))
			return false;
	}
	return json_fail(reader, "a string is not closed");
}

static bool json_is_number(const char *text)
{
	const char *at = text + (*text == '-');

	if (!isdigit((unsigned char)*at) || (at[0] == '0' && isdigit((unsigned char)at[1])))
		return false;
	at += strspn(at, "0123456789");
	if (*at == '.') {
		if (!isdigit((unsigned char)*++at))
			return false;
		at += strspn(at, "0123456789");
	}
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '+' || *at == '-';
		if (!isdigit((unsigned char)*at))
			return false;
		at += strspn(at, "0123456789");
	}
	return *at == '\0';
}

/* A string, number, true, false or null; null gives no value. */
static bool read_scalar(struct json_reader *reader)
{
	if (json_accept(reader, '"')) {
		if (!json_read_string(reader))
			return false;
		config_tree_value(&reader->tree, &reader->token);
		return true;
	}
	textbuf_clear(&reader->token);
	textbuf_text(&reader->token, "");
	while (reader->at < reader->end &&
	       (isalnum((unsigned char)*reader->at) || strchr("+-.", *reader->at) != NULL) &&
	       *reader->at != '\0')
		textbuf_char(&reader->token, *reader->at++);
	if (reader->token.has_failed)
		return json_fail(reader, "out of memory");
	if (strcmp(reader->token.data, "null") == 0)
		return true;
	if (strcmp(reader->token.data, "true") != 0 && strcmp(reader->token.data, "false") != 0 &&
	    !json_is_number(reader->token.data))
		return json_fail(reader,
				 "expected a value: a string in double quotes, a number, true "
				 "or false");
	config_tree_value(&reader->tree, &reader->token);
	return true;
}

/* After the opening bracket. */
static bool json_read_list(struct json_reader *reader)
{
	if (json_accept(reader, ']')) {
		config_tree_value(&reader->tree, &(struct textbuf){0});
		return true;
	}
	do {
		skip_blanks(reader);
		if (!read_scalar(reader))
			return false;
	} while (json_accept(reader, ','));
	return json_accept(reader, ']') || json_fail(reader, "expected ',' or ']' in a list");
}

/* Reads a key and the colon, then opens the key. */
static bool read_key(struct json_reader *reader)
{
	struct textbuf *key;

	if (reader->tree.depth == CONFIG_TREE_DEPTH)
		return json_fail(reader, "nested too deeply");
	if (!json_accept(reader, '"'))
		return json_fail(reader, "expected a name in double quotes");
	if (!json_read_string(reader))
		return false;
	key = &reader->tree.keys[reader->tree.depth];
	textbuf_clear(key);
	textbuf_bytes(key, reader->token.data, reader->token.length);
	key->has_failed = key->has_failed || reader->token.has_failed;
	if (!json_accept(reader, ':'))
		return json_fail(reader, "expected ':' after a name");
	config_tree_open(&reader->tree);
	return true;
}

/* After the outermost '{': members, level by level, without recursion. */
static bool read_members(struct json_reader *reader, enum kymo_status *status)
{
	bool has_member = false; /* before the cursor, in the object at the cursor */

	for (;;) {
		if (json_accept(reader, '}')) {
			if (reader->tree.depth == 0)
				return true;
			*status = config_tree_close(&reader->tree, reader->line);
			has_member = true;
		} else {
			if (has_member && !json_accept(reader, ','))
				return json_fail(reader, "expected ',' or '}'");
			if (!read_key(reader))
				return false;
			has_member = false;
			if (json_accept(reader, '{'))
				continue;
			if (!(json_accept(reader, '[') ? json_read_list(reader)
						       : read_scalar(reader)))
				return false;
			*status = config_tree_close(&reader->tree, reader->line);
			has_member = true;
		}
		if (*status != KYMO_OK)
			return true;
	}
}

static enum kymo_status json_parse(const char *text, size_t length, const struct config_sink *sink,
				   bool has_sections, struct problem *problem)
{
	struct json_reader reader = {
		.at = text,
		.end = text + length,
		.line = 1,
		.tree = {.sink = sink, .problem = problem, .has_sections = has_sections}};
	enum kymo_status status = KYMO_OK;
	bool is_understood;

	is_understood = json_accept(&reader, '{') ? read_members(&reader, &status)
						  : json_fail(&reader, "expected '{'");
	if (is_understood && status == KYMO_OK) {
		skip_blanks(&reader);
		if (reader.at < reader.end)
			is_understood = json_fail(&reader, "text after the closing '}'");
	}
	if (!is_understood)
		status = sink->malformed(sink->object, reader.reason, reader.line, problem);
	config_tree_release(&reader.tree);
	textbuf_release(&reader.token);
	return status;
}

enum kymo_status config_parse_json(const char *text, size_t length, const struct config_sink *sink,
				   struct problem *problem)
{
	return json_parse(text, length, sink, false, problem);
}

enum kymo_status config_parse_sections(const char *text, size_t length,
				       const struct config_sink *sink, struct problem *problem)
{
	return json_parse(text, length, sink, true, problem);
}
