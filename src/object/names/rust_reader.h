/* What the parsers of rustc's v0 names share.
 *
 * A symbol is read once from its beginning to its end, and output is written meanwhile.  At a back
 * reference reading temporarily continues at the earlier part.  An error is sticky: after it
 * nothing is read or written, and loops end. */
#ifndef KYMO_RUST_READER_H
#define KYMO_RUST_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/textbuf.h"

struct rust_reader {
	const char *symbol;
	size_t size, at;
	unsigned int depth;
	uint64_t lifetimes; /* that are bound here */
	bool is_silent;	    /* parse without output */
	bool has_failed;
	struct textbuf out;
};

struct rust_identifier {
	const char *at;
	size_t size;
	bool is_punycode;
};

void rust_fail(struct rust_reader *reader);
/* The next byte; NUL at the end and after a failure. */
char rust_peek(const struct rust_reader *reader);
/* Consume it; at the end that fails. */
char rust_take(struct rust_reader *reader);
bool rust_take_if(struct rust_reader *reader, char byte);
/* Write, unless the reader is silent. */
void rust_put(struct rust_reader *reader, const char *text);

/* Around everything that nests; false: too deep.  Each needs its leave, whatever it returned. */
bool rust_enter(struct rust_reader *reader);
void rust_leave(struct rust_reader *reader);

/* "_" is 0, "0_" is 1. */
uint64_t rust_read_base_62(struct rust_reader *reader);
/* One more than the number after mark; 0 without the mark. */
uint64_t rust_read_marked(struct rust_reader *reader, char mark);
struct rust_identifier rust_read_plain_identifier(struct rust_reader *reader);
struct rust_identifier rust_read_identifier(struct rust_reader *reader,
					    uint64_t *disambiguator_out);
void rust_put_identifier(struct rust_reader *reader, const struct rust_identifier *identifier);

/* After 'B': continue at its target, with *back_out for the return; false: there is nothing to
 * read. */
bool rust_enter_backref(struct rust_reader *reader, size_t *back_out);
void rust_leave_backref(struct rust_reader *reader, size_t back);

void rust_put_lifetime(struct rust_reader *reader, uint64_t index);
/* "for<'a, 'b> "; their number, which the caller unbinds. */
uint64_t rust_read_binder(struct rust_reader *reader);

/* is_value: arguments are after "::<". */
void rust_read_path(struct rust_reader *reader, bool is_value);
/* Generic arguments, or types, up to 'E', with commas. */
void rust_read_arguments(struct rust_reader *reader);
void rust_read_type(struct rust_reader *reader);
/* "(a, b)" of elements that read reads, up to 'E'. */
void rust_read_tuple(struct rust_reader *reader, void (*read)(struct rust_reader *reader));
/* is_value: in an expression, so that none needs braces. */
void rust_read_const(struct rust_reader *reader, bool is_value);

#endif
