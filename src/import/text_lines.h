/* Lines of a text in memory, and the numbers in them, within bounds and without NULs. */
#ifndef KYMO_TEXT_LINES_H
#define KYMO_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "import/imported.h"

struct text_lines {
	const char *at, *end;
	size_t number; /* of the line given last, from 1 on */
};

static inline struct text_lines text_lines_of(const char *text, size_t size)
{
	return (struct text_lines){text, text + size, 0};
}

/* The next line without its end ("\n", "\r\n"); false at the end of the text. */
bool text_line(struct text_lines *lines, struct span *line_out);

/* Without blanks at both ends. */
struct span span_trim(struct span text);
bool span_equals(struct span text, const char *literal);
bool span_begins(struct span text, const char *literal);
/* What follows the first count bytes. */
static inline struct span span_from(struct span text, size_t count)
{
	return (struct span){text.at + count, text.size - count};
}
/* Cut at the first byte of that kind: what is before it, with *text what is behind it.  Where
 * there is none all of it, and nothing is left. */
struct span span_cut(struct span *text, char byte);
/* Pass blanks and a word. */
struct span span_word(struct span *text);
/* Pass a decimal, or "0x" hexadecimal, number at the beginning; false where there is none or it
 * is too large. */
bool span_number(struct span *text, uint64_t *value_out);
/* Without a mark and a number behind it at the end, as in "fib+0x12" or "fib'2"; prefix: what the
 * number begins with. */
struct span span_without_number(struct span text, char mark, const char *prefix);

/* The whole text is a number: value * 10^power, rounded to the nearest.  False where it is none,
 * is not finite or too large. */
bool span_scaled(struct span text, int power, int64_t *value_out);
/* The whole text is a number, finite or not ("nan", "inf"). */
bool span_real(struct span text, double *value_out);

#endif
