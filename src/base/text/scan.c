/* A parser for the content of /proc and /sys. */
#include "base/text/scan.h"

#include <string.h>

static bool scan_is_blank(char character)
{
	return character == ' ' || character == '\t';
}

static bool scan_is_digit(const struct scan *scan)
{
	return scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9';
}

static bool is_word(const struct scan *scan)
{
	return scan->at < scan->end && !scan_is_blank(*scan->at) && *scan->at != '\n';
}

void scan_blanks(struct scan *scan)
{
	while (scan->at < scan->end && scan_is_blank(*scan->at))
		scan->at++;
}

void scan_skip(struct scan *scan, unsigned words)
{
	scan_blanks(scan);
	while (words-- > 0) {
		while (is_word(scan))
			scan->at++;
		scan_blanks(scan);
	}
}

bool scan_line(struct scan *scan)
{
	while (scan->at < scan->end && *scan->at != '\n')
		scan->at++;
	if (scan->at < scan->end)
		scan->at++;
	return scan->at < scan->end;
}

bool scan_literal(struct scan *scan, const char *literal)
{
	size_t length = strlen(literal);

	if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, literal, length) != 0)
		return false;
	scan->at += length;
	return true;
}

bool scan_find(struct scan *scan, const char *literal)
{
	struct scan rest = *scan;

	for (; rest.at < rest.end; rest.at++) {
		if (!scan_literal(&rest, literal))
			continue;
		*scan = rest;
		return true;
	}
	return false;
}

bool scan_number(struct scan *scan, uint64_t *value_out)
{
	uint64_t value = 0;

	scan_blanks(scan);
	if (!scan_is_digit(scan))
		return false;
	for (; scan_is_digit(scan); scan->at++) {
		uint64_t digit = (uint64_t)(*scan->at - '0');

		value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : value * 10 + digit;
	}
	*value_out = value;
	return true;
}

bool scan_real(struct scan *scan, double *value_out)
{
	struct scan rest = *scan;
	uint64_t whole;
	double value, place = 1;
	bool is_negative;

	scan_blanks(&rest);
	is_negative = scan_literal(&rest, "-");
	if (!scan_is_digit(&rest) || !scan_number(&rest, &whole))
		return false;
	value = (double)whole;
	if (scan_literal(&rest, "."))
		for (; scan_is_digit(&rest); rest.at++)
			value += (*rest.at - '0') * (place /= 10);
	*value_out = is_negative ? -value : value;
	*scan = rest;
	return true;
}

bool scan_word(struct scan *scan, char *word_out, size_t size)
{
	size_t length = 0;

	scan_blanks(scan);
	for (; is_word(scan); scan->at++)
		if (length < size)
			word_out[length++] = *scan->at;
	if (length == 0 || length >= size)
		return false;
	word_out[length] = '\0';
	return true;
}

uint64_t scan_first(const char *text, size_t length)
{
	struct scan scan = scan_of(text, length);
	uint64_t value;

	return scan_number(&scan, &value) ? value : 0;
}
