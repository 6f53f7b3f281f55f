/* Fast formatting of decimal numbers, for text formats with a number or two in every event. Each
 * function writes at out and returns the end. */
#ifndef KYMO_DECIMAL_H
#define KYMO_DECIMAL_H

#include <stdint.h>
#include <string.h>

#define DECIMAL_MAX 20 /* digits of UINT64_MAX */

static inline unsigned char *decimal_put(unsigned char *out, uint64_t value)
{
	unsigned char digits[DECIMAL_MAX], *first = digits + sizeof(digits);
	size_t count;

	do {
		*--first = (unsigned char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	count = (size_t)(digits + sizeof(digits) - first);
	memcpy(out, first, count);
	return out + count;
}

/* Nanoseconds as microseconds with three decimals: exact, without trailing zeros. */
static inline unsigned char *decimal_put_us(unsigned char *out, uint64_t ns)
{
	unsigned int rest = (unsigned int)(ns % 1000);

	out = decimal_put(out, ns / 1000);
	*out++ = '.';
	*out++ = (unsigned char)('0' + rest / 100);
	*out++ = (unsigned char)('0' + rest / 10 % 10);
	*out++ = (unsigned char)('0' + rest % 10);
	return out;
}

#endif
