/* Bounded parsing of numbers in the kernel's text files, without the C library: the text is in a
 * buffer of known size and may be truncated.  Context: any. */
#ifndef KYMO_SCAN_H
#define KYMO_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan { /* what is left of a text */
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

/* Pass blanks and tabs. */
void scan_blanks(struct scan *scan);
/* Pass a word and the blanks behind it. */
void scan_skip(struct scan *scan, unsigned words);
/* Go on at the next line; false when there is none. */
bool scan_line(struct scan *scan);
/* Pass literal, when the text goes on with it. */
bool scan_literal(struct scan *scan, const char *literal);
/* Go on behind the first place from here on where literal is. */
bool scan_find(struct scan *scan, const char *literal);
/* Pass blanks and a number.  False, and nothing passed but blanks, where there is none; numbers
 * that are too large become the largest. */
bool scan_number(struct scan *scan, uint64_t *value_out);
/* The same with a sign and a part behind a point. */
bool scan_real(struct scan *scan, double *value_out);
/* Pass blanks and a word, to be kept in at most size bytes with the closing NUL; false where
 * there is none, or it is too long. */
bool scan_word(struct scan *scan, char *word_out, size_t size);

/* The first number of a text; 0 where there is none. */
uint64_t scan_first(const char *text, size_t length);

#endif
