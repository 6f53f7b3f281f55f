/* A writer of JSON without a stack: whether a comma is needed depends on the last token only. */
#include "text/json_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "base/text/jsontext.h"
#include "base/text/plaintext.h"
#include "base/text/textbuf.h"

#define MASKED_MAX 65536 /* bytes of a text that are searched for secrets */
#define TEXT_STEP  256	 /* bytes escaped at a time at most */

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

static bool writer_is_plain(const char *text)
{
	for (; *text; text++) {
		if (*text < 0x20 || *text > 0x7e || *text == '"' || *text == '\\')
			return false;
	}
	return true;
}

static void writer_write_escaped(struct json_writer *writer, const char *text)
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

/* Text that passes writer_is_plain() is written unchanged. */
static void write_shown(struct json_writer *writer, const char *text)
{
	struct textbuf clean = {0};

	writer_write_escaped(writer, plaintext_of(&clean, text));
	textbuf_release(&clean);
}

void json_text(struct json_writer *writer, const char *text)
{
	begin_token(writer);
	if (!text) {
		fputs("null", writer->out);
		return;
	}
	putc('"', writer->out);
	if (writer_is_plain(text))
		fputs(text, writer->out);
	else if (writer->is_shown)
		write_shown(writer, text);
	else
		writer_write_escaped(writer, text);
	putc('"', writer->out);
}

/* Digits of number, right-aligned before end; returns their start.  A profile of many call paths
 * has tens of millions of numbers, for which printf takes most of the time. */
static char *put_digits(char *end, uint64_t number)
{
	do
		*--end = (char)('0' + number % 10);
	while (number /= 10);
	return end;
}

void json_text_masked(struct json_writer *writer, const char *text)
{
	size_t length = text ? secret_mask(text, NULL, 0) : 0;
	char *masked;

	if (length > MASKED_MAX)
		length = MASKED_MAX;
	masked = text ? malloc(length + 1) : NULL;
	if (masked)
		secret_mask(text, masked, length + 1);
	json_text(writer, masked);
	free(masked);
}

void json_count(struct json_writer *writer, uint64_t number)
{
	char digits[24], *end = digits + sizeof(digits);
	char *begin = put_digits(end, number);

	begin_token(writer);
	fwrite(begin, 1, (size_t)(end - begin), writer->out);
}

/* A number with decimals > 0, trailing zeros left out; unit is 10^decimals and number * unit below
 * 2^53, so that every digit is significant. */
static void write_decimals(double number, int decimals, double unit, FILE *out)
{
	char text[32], *end = text + sizeof(text), *begin;

	begin = put_digits(end, (uint64_t)(number * unit + 0.5));
	while (end - begin < decimals + 1)
		*--begin = '0';
	memmove(begin - 1, begin, (size_t)(end - decimals - begin));
	begin--;
	end[-decimals - 1] = '.';
	while (end[-1] == '0')
		end--;
	/* All decimals of 4.9999999999999999 were removed. */
	if (end[-1] == '.')
		end--;
	fwrite(begin, 1, (size_t)(end - begin), out);
}

void json_number(struct json_writer *writer, double number)
{
	if (number >= 0 && number < 1e15 && number == trunc(number)) {
		json_count(writer, (uint64_t)number);
		return;
	}
	begin_token(writer);
	if (!isfinite(number))
		fputs("null", writer->out);
	else if (number >= 1e-7 && number < 9)
		write_decimals(number, 15, 1e15, writer->out);
	else if (number >= 9 && number < 9000)
		write_decimals(number, 12, 1e12, writer->out);
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
