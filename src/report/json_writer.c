/* A writer of JSON without a stack: whether a comma is due depends on the last token only. */
#include "report/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"

#define TEXT_STEP 256 /* bytes escaped at a time at most */

static void begin_token(struct json_writer *writer)
{
	if (writer->needs_comma)
		putc(',', writer->out);
	writer->needs_comma = true;
}

static void begin_group(struct json_writer *writer, char bracket)
{
	begin_token(writer);
	putc(bracket, writer->out);
	writer->needs_comma = false;
}

static void end_group(struct json_writer *writer, char bracket)
{
	putc(bracket, writer->out);
	writer->needs_comma = true;
}

void json_begin_object(struct json_writer *writer)
{
	begin_group(writer, '{');
}

void json_end_object(struct json_writer *writer)
{
	end_group(writer, '}');
}

void json_begin_array(struct json_writer *writer)
{
	begin_group(writer, '[');
}

void json_end_array(struct json_writer *writer)
{
	end_group(writer, ']');
}

static void write_escaped(struct json_writer *writer, const char *text)
{
	char buffer[TEXT_STEP * JSON_ESCAPE_MAX + 1];
	size_t size = strlen(text) * JSON_ESCAPE_MAX + 1;
	char *escaped = size <= sizeof(buffer) ? buffer : malloc(size);

	if (escaped) {
		json_escape(text, escaped, size);
		fputs(escaped, writer->out);
	}
	if (escaped != buffer)
		free(escaped);
}

void json_key(struct json_writer *writer, const char *key)
{
	json_text(writer, key);
	putc(':', writer->out);
	writer->needs_comma = false;
}

void json_text(struct json_writer *writer, const char *text)
{
	begin_token(writer);
	if (!text) {
		fputs("null", writer->out);
		return;
	}
	putc('"', writer->out);
	write_escaped(writer, text);
	putc('"', writer->out);
}

void json_count(struct json_writer *writer, uint64_t number)
{
	begin_token(writer);
	fprintf(writer->out, "%" PRIu64, number);
}

void json_number(struct json_writer *writer, double number)
{
	begin_token(writer);
	if (!isfinite(number))
		fputs("null", writer->out);
	else if (fabs(number) < 1e15 && number == trunc(number))
		fprintf(writer->out, "%" PRId64, (int64_t)number);
	else
		fprintf(writer->out, "%.15g", number);
}

void json_bool(struct json_writer *writer, bool value)
{
	begin_token(writer);
	fputs(value ? "true" : "false", writer->out);
}

void json_pair_text(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	json_text(writer, text);
}

void json_pair_count(struct json_writer *writer, const char *key, uint64_t number)
{
	json_key(writer, key);
	json_count(writer, number);
}

void json_pair_number(struct json_writer *writer, const char *key, double number)
{
	json_key(writer, key);
	json_number(writer, number);
}

void json_pair_bool(struct json_writer *writer, const char *key, bool value)
{
	json_key(writer, key);
	json_bool(writer, value);
}

void json_line(struct json_writer *writer)
{
	if (writer->needs_comma)
		putc(',', writer->out);
	writer->needs_comma = false;
	putc('\n', writer->out);
}
