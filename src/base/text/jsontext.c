/* Escaping for JSON (RFC 8259, section 7).  The result is valid UTF-8 for any input, because one
 * invalid byte in a name would make a whole document unreadable. */
#include "base/text/jsontext.h"

#include <string.h>

#include "base/text/plaintext.h"
#include "base/text/utf8.h"

_Static_assert(JSON_ESCAPE_MAX <= UTF8_REWRITE_MAX, "an escape fits");

/* The escape of a character that needs one, of step bytes; 0 = it needs none.  Control
 * characters beyond ASCII are allowed in JSON, but harmful when displayed. */
static size_t json_escape_one(const char *text, size_t step, char *out)
{
	static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	static const char digits[] = "0123456789abcdef";
	const char *found = memchr(special, *text, sizeof(special) - 1);
	unsigned int code = step ? plaintext_control(text, step) : 0;

	if (found) {
		out[0] = '\\';
		out[1] = letters[found - special];
		return 2;
	}
	if (!step)
		return utf8_replace_invalid(text, step, out);
	if (!code)
		return 0;
	memcpy(out, "\\u", 2);
	for (int i = 0; i < 4; i++)
		out[2 + i] = digits[code >> (12 - 4 * i) & 0xf];
	return 6;
}

size_t json_escape(const char *text, char *out, size_t size)
{
	return utf8_rewrite(text, json_escape_one, out, size);
}
