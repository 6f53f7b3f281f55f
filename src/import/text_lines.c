/* Lines, words and numbers.  Decimal fractions are converted to whole units without binary floating
 * point: a time in microseconds with three digits keeps all of them, however large. */
#include "import/text_lines.h"

#include <stdlib.h>

#define REAL_TEXT_MAX  128
#define EXPONENT_LIMIT 1000

bool text_line(struct text_lines *lines, struct span *line_out)
{
	size_t rest = (size_t)(lines->end - lines->at);
	const char *newline;

	if (rest == 0)
		return false;
	newline = memchr(lines->at, '\n', rest);
	*line_out = (struct span){lines->at, newline ? (size_t)(newline - lines->at) : rest};
	lines->at = newline ? newline + 1 : lines->end;
	lines->number++;
	if (line_out->size && line_out->at[line_out->size - 1] == '\r')
		line_out->size--;
	return true;
}

static bool lines_is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

struct span span_trim(struct span text)
{
	while (text.size && lines_is_blank(*text.at))
		text = span_from(text, 1);
	while (text.size && lines_is_blank(text.at[text.size - 1]))
		text.size--;
	return text;
}

bool span_equals(struct span text, const char *literal)
{
	return text.size == strlen(literal) && span_begins(text, literal);
}

bool span_begins(struct span text, const char *literal)
{
	size_t size = strlen(literal);

	return text.size >= size && (size == 0 || memcmp(text.at, literal, size) == 0);
}

struct span span_cut(struct span *text, char byte)
{
	const char *found = text->size ? memchr(text->at, byte, text->size) : NULL;
	struct span before = {text->at, found ? (size_t)(found - text->at) : text->size};

	*text = span_from(*text, found ? before.size + 1 : text->size);
	return before;
}

struct span span_word(struct span *text)
{
	struct span word;

	while (text->size && lines_is_blank(*text->at))
		*text = span_from(*text, 1);
	word = (struct span){text->at, 0};
	while (word.size < text->size && !lines_is_blank(text->at[word.size]))
		word.size++;
	*text = span_from(*text, word.size);
	return word;
}

static int lines_digit_of(char byte, unsigned int base)
{
	int digit = byte >= '0' && byte <= '9'	 ? byte - '0'
		    : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
		    : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
						 : 16;

	return digit < (int)base ? digit : -1;
}

bool span_number(struct span *text, uint64_t *value_out)
{
	bool is_hexadecimal = span_begins(*text, "0x") && text->size > 2;
	unsigned int base = is_hexadecimal ? 16 : 10;
	size_t at = is_hexadecimal ? 2 : 0, first = at;
	uint64_t value = 0;

	for (; at < text->size && lines_digit_of(text->at[at], base) >= 0; at++) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)lines_digit_of(text->at[at], base),
					   &value))
			return false;
	}
	if (at == first)
		return false;
	*text = span_from(*text, at);
	*value_out = value;
	return true;
}

struct decimal { /* digits * 10^exponent */
	uint64_t digits;
	int exponent;
	bool is_negative;
};

static bool read_exponent(struct span *text, int *exponent)
{
	bool is_negative;
	int value = 0;

	if (text->size == 0 || (*text->at | 0x20) != 'e')
		return true;
	*text = span_from(*text, 1);
	is_negative = span_begins(*text, "-");
	if (is_negative || span_begins(*text, "+"))
		*text = span_from(*text, 1);
	if (text->size == 0)
		return false;
	for (; text->size && lines_digit_of(*text->at, 10) >= 0; *text = span_from(*text, 1)) {
		if (value < EXPONENT_LIMIT)
			value = value * 10 + lines_digit_of(*text->at, 10);
	}
	*exponent += is_negative ? -value : value;
	return true;
}

static bool lines_read_decimal(struct span text, struct decimal *out)
{
	bool has_digits = false, is_fraction = false;

	*out = (struct decimal){.is_negative = span_begins(text, "-")};
	if (out->is_negative || span_begins(text, "+"))
		text = span_from(text, 1);
	for (; text.size; text = span_from(text, 1)) {
		int digit = lines_digit_of(*text.at, 10);

		if (*text.at == '.' && !is_fraction) {
			is_fraction = true;
			continue;
		}
		if (digit < 0)
			break;
		has_digits = true;
		if (out->digits > (UINT64_MAX - 9) / 10) { /* further ones are not significant */
			out->exponent += !is_fraction && out->exponent < INT32_MAX / 2;
			continue;
		}
		out->digits = out->digits * 10 + (uint64_t)digit;
		if (is_fraction)
			out->exponent--;
	}
	return has_digits && read_exponent(&text, &out->exponent) && text.size == 0;
}

struct span span_without_number(struct span text, char mark, const char *prefix)
{
	const char *at = text.size ? memrchr(text.at, mark, text.size) : NULL;
	struct span rest;
	uint64_t number;

	if (!at || at == text.at)
		return text;
	rest = span_from(text, (size_t)(at - text.at) + 1);
	if (span_begins(rest, prefix) && span_number(&rest, &number) && rest.size == 0)
		text.size = (size_t)(at - text.at);
	return text;
}

bool span_scaled(struct span text, int power, int64_t *value_out)
{
	struct decimal decimal;
	uint64_t rest = 0, divisor = 1;

	if (!lines_read_decimal(text, &decimal))
		return false;
	decimal.exponent += power;
	for (; decimal.exponent > 0 && decimal.digits; decimal.exponent--) {
		if (__builtin_mul_overflow(decimal.digits, 10, &decimal.digits))
			return false;
	}
	for (; decimal.exponent < 0 && divisor < UINT64_C(1000000000000000000); decimal.exponent++)
		divisor *= 10;
	rest = decimal.digits % divisor;
	decimal.digits /= divisor;
	if (decimal.exponent < 0) /* after 18 digits at most a hundred remain */
		decimal.digits = 0;
	else if (divisor > 1 && rest >= divisor - rest)
		decimal.digits++;
	if (decimal.digits > INT64_MAX)
		return false;
	*value_out = decimal.is_negative ? -(int64_t)decimal.digits : (int64_t)decimal.digits;
	return true;
}

bool span_real(struct span text, double *value_out)
{
	char copy[REAL_TEXT_MAX], *end;

	/* strtod() would accept blanks, hexadecimal digits and "nan(…)" as well. */
	if (text.size == 0 || text.size >= sizeof(copy) || memchr(text.at, 'x', text.size) ||
	    memchr(text.at, '(', text.size) || memchr(text.at, '\0', text.size) ||
	    (unsigned char)*text.at <= ' ')
		return false;
	memcpy(copy, text.at, text.size);
	copy[text.size] = '\0';
	*value_out = strtod(copy, &end);
	return *end == '\0';
}
