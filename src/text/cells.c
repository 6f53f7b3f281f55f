/* Cells of texts, character by character. */
#include "text/cells.h"

#include <string.h>

#include "base/text/utf8.h"
#include "text/unicode.h"

struct walk {
	const char *at;	 /* the next character */
	uint32_t before; /* the previous one, 0 = none */
	int32_t state;	 /* of unicode_is_break() */
};

/* Advance over the next character and return its cells; *is_break_out: the text may be cut before
 * it. */
static size_t cells_pass(struct walk *walk, bool *is_break_out)
{
	size_t step = utf8_step(walk->at);
	uint32_t code = step ? utf8_code(walk->at, step) : UTF8_REPLACEMENT;
	/* The usual case. */
	bool is_ascii = step == 1 && walk->before < 0x80;

	*is_break_out =
		is_ascii || !walk->before || unicode_is_break(walk->before, code, &walk->state);
	if (is_ascii)
		walk->state = 0;
	walk->before = code;
	walk->at += step ? step : 1;
	return step <= 1 ? 1 : unicode_cells(code);
}

size_t cells_of_part(const char *text, size_t length)
{
	struct walk walk = {.at = text};
	size_t cells = 0;
	bool is_break;

	while (walk.at < text + length && *walk.at)
		cells += cells_pass(&walk, &is_break);
	return cells;
}

size_t cells_of(const char *text)
{
	return cells_of_part(text, strlen(text));
}

size_t cells_cut(const char *text, size_t cells)
{
	struct walk walk = {.at = text};
	size_t taken = 0, cut = 0;

	while (*walk.at) {
		const char *begin = walk.at;
		bool is_break;
		size_t more = cells_pass(&walk, &is_break);

		if (is_break)
			cut = (size_t)(begin - text);
		if (taken + more > cells)
			return cut;
		taken += more;
	}
	return (size_t)(walk.at - text);
}

size_t cells_skip(const char *text, size_t cells)
{
	size_t left = cells_of(text);
	struct walk walk = {.at = text};

	while (*walk.at) {
		const char *begin = walk.at;
		bool is_break;
		size_t more = cells_pass(&walk, &is_break);

		if (is_break && left <= cells)
			return (size_t)(begin - text);
		left -= more;
	}
	return strlen(text);
}

size_t cells_line(const char *text, size_t cells)
{
	size_t length = cells_cut(text, cells), taken = 0;
	struct walk walk = {.at = text};
	bool is_break;

	if (length > 0 || !*text)
		return length;
	do {
		length = (size_t)(walk.at - text);
		taken += cells_pass(&walk, &is_break);
	} while (taken <= cells && *walk.at);
	return length > 0 ? length : (size_t)(walk.at - text);
}
