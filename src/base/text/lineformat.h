/* Formatted text without the C library: no stdio, no locale, no lock and only the caller's
 * memory.  Context: any. */
#ifndef KYMO_LINEFORMAT_H
#define KYMO_LINEFORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* As vsnprintf() with %s, %c, %d, %u and %x, with l, ll or z, and %%; no widths.  The result is
 * truncated to size; any other conversion ends the text.  size is 1 at least.  Returns the
 * length written, without the NUL. */
size_t lineformat(char *to, size_t size, const char *format, va_list arguments)
	__attribute__((format(printf, 3, 0)));

#endif
