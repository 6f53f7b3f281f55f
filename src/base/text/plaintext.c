/* Escaping text for display: what terminals interpret is written as an escape. */
#include "base/text/plaintext.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/textbuf.h"
#include "base/text/utf8.h"

#define ESCAPE_MAX 8

static bool is_control(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0x00, 0x1f},	  {0x7f, 0x9f},	    {0x61c, 0x61c},   {0x200e, 0x200f},
		{0x2028, 0x202e}, {0x2066, 0x2069}, {0xfffe, 0xffff},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

unsigned int plaintext_control(const char *character, size_t length)
{
	uint32_t code = utf8_code(character, length);

	return is_control(code) ? code : 0;
}

bool plaintext_is_clean(const char *text)
{
	while (*text) {
		size_t step = utf8_step(text);

		if (step == 0 || plaintext_control(text, step))
			return false;
		text += step;
	}
	return true;
}

/* The escape of the character at text; 0 = unchanged. */
static size_t escape(const char *text, size_t step, char *out)
{
	static const char special[] = "\n\r\t", letters[] = "nrt";
	const char *found = memchr(special, *text, sizeof(special) - 1);
	unsigned int code = step ? plaintext_control(text, step) : 0;

	if (step > 0 && !code)
		return 0;
	if (found)
		return (size_t)snprintf(out, ESCAPE_MAX, "\\%c", letters[found - special]);
	if (step > 1)
		return (size_t)snprintf(out, ESCAPE_MAX, "\\u%04x", code & 0xffffu);
	return (size_t)snprintf(out, ESCAPE_MAX, "\\x%02x", (unsigned char)*text);
}

size_t plaintext_clean(const char *text, char *out, size_t size)
{
	return utf8_rewrite(text, escape, out, size);
}

void plaintext_add(struct textbuf *out, const char *text, size_t length, const char *kept)
{
	const char *end = text + length;

	while (text < end) {
		size_t step = utf8_step(text);
		bool is_kept = *text && strchr(kept, *text);
		char escaped[ESCAPE_MAX];
		size_t count = is_kept ? 0 : escape(text, step, escaped);

		textbuf_bytes(out, count ? escaped : text, count ? count : step);
		text += step ? step : 1;
	}
}

const char *plaintext_of(struct textbuf *buffer, const char *text)
{
	if (plaintext_is_clean(text))
		return text;
	textbuf_clear(buffer);
	plaintext_add(buffer, text, strlen(text), "");
	return buffer->has_failed ? "" : buffer->data;
}

static size_t newlines_at_end(const char *format)
{
	size_t length = strlen(format), count = 0;

	while (count < length && format[length - count - 1] == '\n')
		count++;
	return count;
}

static void add_newlines(struct textbuf *line, size_t count)
{
	while (count--)
		textbuf_char(line, '\n');
}

void plaintext_print(FILE *out, const char *format, ...)
{
	size_t before = strspn(format, "\n"), after = newlines_at_end(format + before);
	struct textbuf clean = {0}, line = {0};
	char *text = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	text[(size_t)length - after] = '\0';
	add_newlines(&line, before);
	textbuf_text(&line, plaintext_of(&clean, text + before));
	add_newlines(&line, after);
	/* In one write: others may write to the same terminal. */
	if (!line.has_failed)
		fputs(line.data, out);
	textbuf_release(&clean);
	textbuf_release(&line);
	free(text);
}
