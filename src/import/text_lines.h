/* Lines of a text in memory, and the numbers in them, bounded and without NULs. */
#ifndef KYMO_TEXT_LINES_H
#define KYMO_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "import/imported.h"

struct text_lines {
	const char *at, *end;
	size_t number; /* of the last line, from 1 on */
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
/* Split at the first such byte: returns the part before it, *text becomes the part after it.
 * Without one all of it is returned, and *text is empty. */
struct span span_cut(struct span *text, char byte);
/* Skip blanks, return a word. */
struct span span_word(struct span *text);
/* Skip a decimal, or "0x" hexadecimal, number at the beginning; false if there is none or it is too
 * large. */
bool span_number(struct span *text, uint64_t *value_out);
/* Remove a mark followed by a number at the end, as in "fib+0x12" or "fib'2"; prefix: of the
 * number. */
struct span span_without_number(struct span text, char mark, const char *prefix);

/* The whole text is a number: value * 10^power, rounded to the nearest.  False if it is none, is
 * not finite or too large. */
bool span_scaled(struct span text, int power, int64_t *value_out);
/* The whole text is a number, finite or not ("nan", "inf"). */
bool span_real(struct span text, double *value_out);

#endif
