/* Reader of CPython's marshal format, versions 0 to 5, as far as dictionaries of tuples of numbers
 * and texts need it.  Values are stored once, however often they are referred to, so memory is
 * bounded by the data.  One input per reader. */
#ifndef KYMO_MARSHAL_READER_H
#define KYMO_MARSHAL_READER_H

#include "import/imported.h"

enum marshal_kind {
	MARSHAL_OTHER, /* None, True, complex … */
	MARSHAL_INTEGER,
	MARSHAL_REAL,
	MARSHAL_TEXT,
	MARSHAL_TUPLE, /* and lists */
	MARSHAL_DICT,  /* items: key, value, key, value … */
};

struct marshal_value {
	enum marshal_kind kind;
	uint32_t item_count;
	size_t first_item; /* in items */
	union {
		int64_t integer; /* saturated */
		double real;
		struct span text;
	} as;
};

struct marshal_reader {
	const char *data;
	size_t size, at;
	struct marshal_value *values;
	size_t value_count, value_capacity;
	uint32_t *items; /* values; those of one tuple are adjacent */
	size_t item_count, item_capacity;
	uint32_t *pending; /* of unfinished tuples */
	size_t pending_count, pending_capacity;
	uint32_t *references; /* values */
	size_t reference_count, reference_capacity;
	uint32_t *interned; /* of Python 2 */
	size_t interned_count, interned_capacity;
	char problem[120]; /* "" = none */
	bool is_out_of_memory;
};

/* Read the value that the data begins with; returns its index, or MARSHAL_FAILED with the
 * problem. */
#define MARSHAL_FAILED UINT32_MAX
uint32_t marshal_read(struct marshal_reader *reader, const void *data, size_t size);
void marshal_release(struct marshal_reader *reader);

static inline const struct marshal_value *marshal_value(const struct marshal_reader *reader,
							uint32_t index)
{
	return &reader->values[index];
}
static inline const struct marshal_value *
marshal_item(const struct marshal_reader *reader, const struct marshal_value *value, uint32_t index)
{
	return &reader->values[reader->items[value->first_item + index]];
}

#endif
