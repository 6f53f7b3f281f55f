/* Escaping for JSON (RFC 8259, section 7).  The result is valid UTF-8 whatever comes in,
 * because one bad byte in a name would make a whole document unreadable. */
#include "base/jsontext.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* The escape of an ASCII character that needs one; 0 = it needs none. */
static size_t json_escape_ascii(unsigned char character, char *out)
{
	static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	static const char digits[] = "0123456789abcdef";
	const char *found = memchr(special, character, sizeof(special) - 1);

	if (found) {
		out[0] = '\\';
		out[1] = letters[found - special];
		return 2;
	}
	if (character >= 0x20 && character != 0x7f)
		return 0;
	memcpy(out, "\\u00", 4);
	out[4] = digits[character >> 4];
	out[5] = digits[character & 0xf];
	return 6;
}

size_t json_escape(const char *text, char *out, size_t size)
{
	size_t length = 0, end = 0;

	while (*text) {
		size_t step = utf8_step(text);
		char escape[JSON_ESCAPE_MAX];
		size_t count = json_escape_ascii((unsigned char)*text, escape);
		const char *from = count ? escape : step ? text : "\xef\xbf\xbd";

		if (!count)
			count = step ? step : 3;
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
