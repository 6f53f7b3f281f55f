/* Formatted text without the C library: no stdio, no locale, no lock and no memory but the
 * caller's.  Context: any. */
#ifndef KYMO_LINEFORMAT_H
#define KYMO_LINEFORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* As vsnprintf() of %s, %c, %d, %u and %x, with l, ll or z, and of %%; no widths.  What does not
 * fit is cut; a conversion that is none of these ends the text.  size is 1 at least.  The length
 * that was written, without the NUL behind it. */
size_t lineformat(char *to, size_t size, const char *format, va_list arguments)
	__attribute__((format(printf, 3, 0)));

#endif
