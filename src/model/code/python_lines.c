/* Lines of Python instructions: three table formats, each decoded from the start to the
 * instruction.  Lines wrap modulo 2^32, so that no table causes undefined behaviour. */
#include "model/code/python_lines.h"

#include <stdbool.h>

#define VERSION_PAIRS	  0x030a /* the format of 3.10 alone */
#define VERSION_LOCATIONS 0x030b

#define PAIR_NO_LINE (-128)

/* An entry's first byte: bit 7 set, 3-6 its kind, 0-2 its length in code units less one. */
#define LOCATION_START 0x80u
#define CODE_UNIT      2u

enum location_kind {
	LOCATION_NO_COLUMNS = 13,
	LOCATION_LONG = 14,
	LOCATION_NONE = 15,
	LOCATION_ONE_LINE_0 = 10, /* and _1, _2: so many lines further */
};

/* Pairs of an instruction offset delta, unsigned, and a line delta, signed: the line of what
 * follows. */
static uint32_t line_of_lnotab(const unsigned char *table, size_t size, uint32_t line,
			       uint32_t offset)
{
	uint64_t start = 0;

	for (size_t i = 0; i + 2 <= size; i += 2) {
		start += table[i];
		if (start > offset)
			break;
		line += (uint32_t)(int8_t)table[i + 1];
	}
	return line;
}

/* Pairs of a length, unsigned, and a line delta, signed, that applies to the length. */
static uint32_t line_of_pairs(const unsigned char *table, size_t size, uint32_t line,
			      uint32_t offset)
{
	uint64_t end = 0;

	for (size_t i = 0; i + 2 <= size; i += 2) {
		int8_t distance = (int8_t)table[i + 1];

		if (distance != PAIR_NO_LINE)
			line += (uint32_t)distance;
		end += table[i];
		if (offset < end)
			return distance == PAIR_NO_LINE ? 0 : line;
	}
	return 0;
}

/* A number in groups of six bits, the lowest first, its sign in bit 0. */
static uint32_t signed_number(const unsigned char *table, size_t size, size_t at)
{
	uint32_t value = 0;
	unsigned int shift = 0;

	for (; at < size; at++, shift += 6) {
		if (shift < 32)
			value |= (uint32_t)(table[at] & 0x3f) << shift;
		if (!(table[at] & 0x40))
			break;
	}
	return value & 1 ? -(value >> 1) : value >> 1;
}

static uint32_t location_distance(const unsigned char *table, size_t size, size_t at)
{
	unsigned int kind = table[at] >> 3 & 15;

	if (kind == LOCATION_NO_COLUMNS || kind == LOCATION_LONG)
		return signed_number(table, size, at + 1);
	if (kind >= LOCATION_ONE_LINE_0 && kind < LOCATION_NO_COLUMNS)
		return kind - LOCATION_ONE_LINE_0;
	return 0;
}

static uint32_t line_of_locations(const unsigned char *table, size_t size, uint32_t line,
				  uint32_t offset)
{
	uint64_t end = 0;
	size_t at = 0;

	while (at < size) {
		size_t entry = at++;
		bool has_line = (table[entry] >> 3 & 15) != LOCATION_NONE;

		/* The rest of an entry has bit 7 clear, whatever its kind. */
		while (at < size && !(table[at] & LOCATION_START))
			at++;
		line += location_distance(table, at, entry);
		end += ((table[entry] & 7u) + 1) * CODE_UNIT;
		if (offset < end)
			return has_line ? line : 0;
	}
	return 0;
}

uint32_t python_line(uint16_t version, const unsigned char *table, size_t size, uint32_t first_line,
		     uint32_t offset)
{
	uint32_t line;

	if (version < VERSION_PAIRS)
		line = line_of_lnotab(table, size, first_line, offset);
	else if (version < VERSION_LOCATIONS)
		line = line_of_pairs(table, size, first_line, offset);
	else
		line = line_of_locations(table, size, first_line, offset);
	return line <= INT32_MAX ? line : 0;
}
