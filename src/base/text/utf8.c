/* Checking, repairing and measuring UTF-8.
 *
 * The well-formed sequences are those of table 3-7 of the Unicode standard. */
#include "base/text/utf8.h"

#include <string.h>

static const char replacement[] = "\xef\xbf\xbd";

static int is_tail(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

static size_t step_three(const unsigned char *byte)
{
	unsigned char low = byte[0] == 0xe0 ? 0xa0 : 0x80;
	unsigned char high = byte[0] == 0xed ? 0x9f : 0xbf;

	return byte[1] >= low && byte[1] <= high && is_tail(byte[2]) ? 3 : 0;
}

static size_t step_four(const unsigned char *byte)
{
	unsigned char low = byte[0] == 0xf0 ? 0x90 : 0x80;
	unsigned char high = byte[0] == 0xf4 ? 0x8f : 0xbf;

	return byte[1] >= low && byte[1] <= high && is_tail(byte[2]) && is_tail(byte[3]) ? 4 : 0;
}

size_t utf8_step(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;

	if (byte[0] < 0x80)
		return byte[0] != 0;
	if (byte[0] >= 0xc2 && byte[0] <= 0xdf)
		return is_tail(byte[1]) ? 2 : 0;
	if (byte[0] >= 0xe0 && byte[0] <= 0xef)
		return step_three(byte);
	if (byte[0] >= 0xf0 && byte[0] <= 0xf4)
		return step_four(byte);
	return 0;
}

uint32_t utf8_code(const char *text, size_t step)
{
	static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t code = (unsigned char)text[0] & masks[step];

	for (size_t i = 1; i < step; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3fu);
	return code;
}

size_t utf8_rewrite(const char *text, utf8_rewrite_fn rewrite, char *out, size_t size)
{
	size_t length = 0, end = 0;

	while (*text) {
		size_t step = utf8_step(text);
		char rewritten[UTF8_REWRITE_MAX];
		size_t count = rewrite(text, step, rewritten);
		const char *from = count ? rewritten : text;

		if (!count)
			count = step;
		if (end == length && length + count < size) {
			memcpy(out + length, from, count);
			end += count;
		}
		length += count;
		text += step ? step : 1;
	}
	if (size)
		out[end] = '\0';
	return length;
}

size_t utf8_replace_invalid(const char *text, size_t step, char *out)
{
	(void)text;
	if (step)
		return 0;
	memcpy(out, replacement, sizeof(replacement) - 1);
	return sizeof(replacement) - 1;
}

size_t utf8_clean(const char *text, char *out, size_t size)
{
	return utf8_rewrite(text, utf8_replace_invalid, out, size);
}

size_t utf8_count(const char *text)
{
	size_t count = 0;

	for (; *text; count++) {
		size_t step = utf8_step(text);

		text += step ? step : 1;
	}
	return count;
}

size_t utf8_offset(const char *text, size_t count)
{
	const char *at = text;

	while (*at && count--) {
		size_t step = utf8_step(at);

		at += step ? step : 1;
	}
	return (size_t)(at - text);
}
