/* The conversions that Kymo's messages need. */
#include "base/text/lineformat.h"

#include <stdbool.h>
#include <stdint.h>

#define DIGITS_MAX 24u

struct line {
	char *at, *end; /* end: the last possible position of the NUL */
};

static void line_put(struct line *line, char byte)
{
	if (line->at < line->end)
		*line->at++ = byte;
}

static void line_put_text(struct line *line, const char *text)
{
	for (text = text ? text : "(null)"; *text; text++)
		line_put(line, *text);
}

static void line_put_number(struct line *line, uint64_t number, unsigned base)
{
	char digits[DIGITS_MAX], *first = digits + sizeof(digits) - 1;

	*first = '\0';
	do {
		*--first = "0123456789abcdef"[number % base];
		number /= base;
	} while (number > 0);
	line_put_text(line, first);
}

static void line_put_signed(struct line *line, int64_t number)
{
	if (number < 0)
		line_put(line, '-');
	line_put_number(line, number < 0 ? -(uint64_t)number : (uint64_t)number, 10);
}

size_t lineformat(char *to, size_t size, const char *format, va_list arguments)
{
	struct line line = {to, to + size - 1};
	bool is_known = true;

	for (; *format && is_known; format++) {
		unsigned longs = 0;

		if (*format != '%') {
			line_put(&line, *format);
			continue;
		}
		for (format++; *format == 'l' || *format == 'z'; format++)
			longs++; /* size_t has the size of long */
		switch (*format) {
		case 's':
			line_put_text(&line, va_arg(arguments, const char *));
			break;
		case 'c':
			line_put(&line, (char)va_arg(arguments, int));
			break;
		case 'd':
			line_put_signed(&line, longs > 1 ? va_arg(arguments, long long)
					       : longs	 ? va_arg(arguments, long)
							 : va_arg(arguments, int));
			break;
		case 'u':
		case 'x':
			line_put_number(&line,
					longs > 1 ? va_arg(arguments, unsigned long long)
					: longs	  ? va_arg(arguments, unsigned long)
						  : va_arg(arguments, unsigned),
					*format == 'x' ? 16 : 10);
			break;
		case '%':
			line_put(&line, '%');
			break;
		default:
			is_known = false;
			format--; /* it may be the end */
		}
	}
	*line.at = '\0';
	return (size_t)(line.at - to);
}
