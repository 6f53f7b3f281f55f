/* Text cells in CSV, RFC 4180, that no spreadsheet executes. */
#include "text/csv_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/plaintext.h"
#include "base/text/textbuf.h"

static bool text_is_number(const char *text)
{
	char *end;

	if (!strpbrk(text, "0123456789") || strpbrk(text, "xXpP"))
		return false;
	strtod(text, &end);
	return *end == '\0';
}

static bool is_formula(const char *text)
{
	return *text && strchr("=+-@", *text) && !text_is_number(text);
}

void csv_write_text(const char *text, const char *separator, FILE *out)
{
	struct textbuf buffer = {0};
	const char *clean = plaintext_of(&buffer, text);
	bool is_quoted = strchr(clean, '"') || strstr(clean, separator);

	fputs(is_quoted ? "\"" : "", out);
	/* A tab or a return at its beginning has been escaped already. */
	fputs(is_formula(clean) ? "'" : "", out);
	for (; *clean; clean++) {
		if (*clean == '"')
			putc('"', out);
		putc(*clean, out);
	}
	fputs(is_quoted ? "\"" : "", out);
	textbuf_release(&buffer);
}
