/* A text that grows: append as often as needed, check once at the end for a failed allocation.
 * The owner releases it, or takes the finished text.  Uses malloc.  Context: init. */
#ifndef KYMO_TEXTBUF_H
#define KYMO_TEXTBUF_H

#include <stdbool.h>
#include <stddef.h>

struct textbuf {    /* all zero = empty */
	char *data; /* NUL-terminated once anything was appended */
	size_t length, capacity;
	bool has_failed; /* out of memory; later appends do nothing */
};

void textbuf_bytes(struct textbuf *buffer, const char *bytes, size_t length);
void textbuf_text(struct textbuf *buffer, const char *text);
void textbuf_char(struct textbuf *buffer, char character);
void textbuf_format(struct textbuf *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Empty it, keeping the memory. */
void textbuf_clear(struct textbuf *buffer);
/* The text, which the caller frees; NULL if out of memory.  Leaves it empty. */
char *textbuf_take(struct textbuf *buffer);
void textbuf_release(struct textbuf *buffer);

#endif
