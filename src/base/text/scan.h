/* Bounded parsing of numbers in the kernel's text files, without the C library: the text is in a
 * buffer of known size and may be truncated.  Context: any. */
#ifndef KYMO_SCAN_H
#define KYMO_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan { /* the rest of a text */
	const char *at, *end;
};

static inline struct scan scan_of(const char *text, size_t length)
{
	return (struct scan){text, text + length};
}

static inline bool scan_is_done(const struct scan *scan)
{
	return scan->at >= scan->end;
}

/* Skip blanks and tabs. */
void scan_blanks(struct scan *scan);
/* Skip words and the blanks after them. */
void scan_skip(struct scan *scan, unsigned words);
/* Advance to the next line; false if there is none. */
bool scan_line(struct scan *scan);
/* Skip literal, if the text continues with it. */
bool scan_literal(struct scan *scan, const char *literal);
/* Advance past the next occurrence of literal. */
bool scan_find(struct scan *scan, const char *literal);
/* Skip blanks and parse a number.  False, with only blanks skipped, if there is none; numbers
 * that are too large become the largest. */
bool scan_number(struct scan *scan, uint64_t *value_out);
/* The same with a sign and a fractional part. */
bool scan_real(struct scan *scan, double *value_out);
/* Skip blanks and copy a word, at most size bytes with the NUL; false if there is none, or it is
 * too long. */
bool scan_word(struct scan *scan, char *word_out, size_t size);

/* The first number of a text; 0 if there is none. */
uint64_t scan_first(const char *text, size_t length);

#endif
