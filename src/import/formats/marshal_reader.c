/* CPython's marshal format: a type byte, whose highest bit says that the value gets a number by
 * which later ones may refer to it, then the content, little endian.  A container gets its number
 * before its content. */
#include "import/formats/marshal_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "import/text_lines.h"

#define FLAG_REFERENCE 0x80
#define DEPTH_MAX      64
#define NO_VALUE       (MARSHAL_FAILED - 1) /* the end of a dictionary */

static uint32_t reader_fail(struct marshal_reader *reader, const char *what)
{
	if (!reader->problem[0])
		snprintf(reader->problem, sizeof(reader->problem), "%s at byte %zu", what,
			 reader->at);
	return MARSHAL_FAILED;
}

static uint32_t reader_fail_memory(struct marshal_reader *reader)
{
	reader->is_out_of_memory = true;
	return reader_fail(reader, "out of memory");
}

static bool reader_push(struct marshal_reader *reader, uint32_t **list, size_t *count,
			size_t *capacity, uint32_t value)
{
	uint32_t *grown = array_grow(*list, capacity, *count + 1, sizeof(*grown));

	if (!grown) {
		reader_fail_memory(reader);
		return false;
	}
	*list = grown;
	grown[(*count)++] = value;
	return true;
}

/* NULL if there are not so many. */
static const unsigned char *reader_take(struct marshal_reader *reader, size_t size)
{
	const unsigned char *bytes = (const unsigned char *)reader->data + reader->at;

	if (size > reader->size - reader->at) {
		reader->at = reader->size;
		reader_fail(reader, "marshal data ends");
		return NULL;
	}
	reader->at += size;
	return bytes;
}

static bool reader_take_number(struct marshal_reader *reader, unsigned int size, uint64_t *out)
{
	const unsigned char *bytes = reader_take(reader, size);

	*out = 0;
	for (unsigned int i = 0; bytes && i < size; i++)
		*out |= (uint64_t)bytes[i] << 8 * i;
	return bytes != NULL;
}

static uint32_t reader_add(struct marshal_reader *reader, const struct marshal_value *value)
{
	struct marshal_value *grown = reader->value_count < NO_VALUE
					      ? array_grow(reader->values, &reader->value_capacity,
							   reader->value_count + 1, sizeof(*grown))
					      : NULL;

	if (!grown)
		return reader_fail_memory(reader);
	reader->values = grown;
	grown[reader->value_count] = *value;
	return (uint32_t)reader->value_count++;
}

static uint32_t add_integer(struct marshal_reader *reader, int64_t integer)
{
	return reader_add(reader,
			  &(struct marshal_value){.kind = MARSHAL_INTEGER, .as.integer = integer});
}

static uint32_t read_integer(struct marshal_reader *reader, unsigned int size)
{
	uint64_t number;

	if (!reader_take_number(reader, size, &number))
		return MARSHAL_FAILED;
	return add_integer(reader, size == 4 ? (int32_t)(uint32_t)number : (int64_t)number);
}

/* Digits of 15 bits, the lowest first; a negative number of digits means a negative number. */
static uint32_t read_long(struct marshal_reader *reader)
{
	uint64_t count, digit, value = 0;
	bool is_negative;

	if (!reader_take_number(reader, 4, &count))
		return MARSHAL_FAILED;
	is_negative = (int32_t)(uint32_t)count < 0;
	if (is_negative)
		count = (uint32_t) - (uint32_t)count;
	for (uint64_t i = 0; i < count; i++) {
		if (!reader_take_number(reader, 2, &digit))
			return MARSHAL_FAILED;
		if (digit && (i > 4 || (i == 4 && digit > 7)))
			value = INT64_MAX;
		else if (value != INT64_MAX)
			value |= digit << 15 * (i < 4 ? i : 4);
	}
	return add_integer(reader, is_negative ? -(int64_t)value : (int64_t)value);
}

static uint32_t read_real(struct marshal_reader *reader)
{
	struct marshal_value value = {.kind = MARSHAL_REAL};
	uint64_t bits;

	if (!reader_take_number(reader, 8, &bits))
		return MARSHAL_FAILED;
	memcpy(&value.as.real, &bits, sizeof(bits));
	return reader_add(reader, &value);
}

/* Versions 0 and 1 have floats as text. */
static uint32_t read_real_text(struct marshal_reader *reader)
{
	struct marshal_value value = {.kind = MARSHAL_REAL};
	const unsigned char *bytes;
	uint64_t size;

	if (!reader_take_number(reader, 1, &size))
		return MARSHAL_FAILED;
	bytes = reader_take(reader, size);
	if (!bytes)
		return MARSHAL_FAILED;
	if (!span_real((struct span){(const char *)bytes, size}, &value.as.real))
		return reader_fail(reader, "an invalid number");
	return reader_add(reader, &value);
}

static uint32_t reader_read_text(struct marshal_reader *reader, unsigned int size_bytes)
{
	struct marshal_value value = {.kind = MARSHAL_TEXT};
	const unsigned char *bytes;
	uint64_t size;

	if (!reader_take_number(reader, size_bytes, &size))
		return MARSHAL_FAILED;
	bytes = reader_take(reader, size);
	if (!bytes)
		return MARSHAL_FAILED;
	value.as.text = (struct span){(const char *)bytes, size};
	return reader_add(reader, &value);
}

static uint32_t read_interned(struct marshal_reader *reader)
{
	uint32_t value = reader_read_text(reader, 4);

	if (value != MARSHAL_FAILED &&
	    !reader_push(reader, &reader->interned, &reader->interned_count,
			 &reader->interned_capacity, value))
		return MARSHAL_FAILED;
	return value;
}

static uint32_t reader_read_reference(struct marshal_reader *reader, const uint32_t *list,
				      size_t count)
{
	uint64_t index;

	if (!reader_take_number(reader, 4, &index))
		return MARSHAL_FAILED;
	if (index >= count || list[index] == MARSHAL_FAILED)
		return reader_fail(reader, "a reference to a missing object");
	return list[index];
}

static uint32_t read_other(struct marshal_reader *reader, size_t size)
{
	if (!reader_take(reader, size))
		return MARSHAL_FAILED;
	return reader_add(reader, &(struct marshal_value){.kind = MARSHAL_OTHER});
}

static uint32_t reader_read_value(struct marshal_reader *reader, unsigned int depth);

/* The items are those pending from first on. */
static bool close_container(struct marshal_reader *reader, uint32_t container, size_t first)
{
	struct marshal_value *value = &reader->values[container];

	value->first_item = reader->item_count;
	value->item_count = (uint32_t)(reader->pending_count - first);
	for (size_t i = first; i < reader->pending_count; i++) {
		if (!reader_push(reader, &reader->items, &reader->item_count,
				 &reader->item_capacity, reader->pending[i]))
			return false;
	}
	reader->pending_count = first;
	return true;
}

/* count: of its items; SIZE_MAX = up to NO_VALUE. */
static uint32_t read_items(struct marshal_reader *reader, uint32_t container, size_t count,
			   unsigned int depth)
{
	size_t first = reader->pending_count;

	for (size_t i = 0; i < count; i++) {
		uint32_t item = reader_read_value(reader, depth + 1);

		if (item == MARSHAL_FAILED)
			return MARSHAL_FAILED;
		if (item == NO_VALUE) {
			if (count != SIZE_MAX || i % 2 != 0)
				return reader_fail(reader, "an end where a value should be");
			break;
		}
		if (!reader_push(reader, &reader->pending, &reader->pending_count,
				 &reader->pending_capacity, item))
			return MARSHAL_FAILED;
	}
	return close_container(reader, container, first) ? container : MARSHAL_FAILED;
}

/* reference: its index among the references, or SIZE_MAX. */
static uint32_t read_container(struct marshal_reader *reader, enum marshal_kind kind,
			       unsigned int size_bytes, size_t reference, unsigned int depth)
{
	uint64_t count = SIZE_MAX;
	uint32_t container;

	if (depth >= DEPTH_MAX)
		return reader_fail(reader, "marshal data is nested too deep");
	if (kind == MARSHAL_TUPLE && !reader_take_number(reader, size_bytes, &count))
		return MARSHAL_FAILED;
	if (kind == MARSHAL_TUPLE && count > reader->size - reader->at) {
		reader->at = reader->size;
		return reader_fail(reader, "marshal data ends");
	}
	container = reader_add(reader, &(struct marshal_value){.kind = kind});
	if (container == MARSHAL_FAILED)
		return MARSHAL_FAILED;
	if (reference != SIZE_MAX)
		reader->references[reference] = container;
	return read_items(reader, container, count, depth);
}

/* A byte string begins here. */
static bool is_at_bytes(const struct marshal_reader *reader, size_t offset)
{
	return offset < reader->size - reader->at &&
	       ((unsigned char)reader->data[reader->at + offset] & 0x7f) == 's';
}

/* Code objects, which profile has in names: numbers up to the first byte string, which is their
 * code, eight values, the first line, one value or, from CPython 3.11 on, two.  The sixth value
 * distinguishes these: it is the name of the file, which was a tuple before. */
static uint32_t reader_read_code(struct marshal_reader *reader, size_t reference,
				 unsigned int depth)
{
	uint32_t code, value;
	unsigned int numbers = 4;
	bool is_new = false;

	while (numbers <= 6 && !is_at_bytes(reader, numbers * (size_t)4))
		numbers++;
	if (numbers > 6 || depth >= DEPTH_MAX)
		return reader_fail(reader, "not a value of a profile");
	reader->at += numbers * (size_t)4;
	code = reader_add(reader, &(struct marshal_value){.kind = MARSHAL_OTHER});
	if (code == MARSHAL_FAILED)
		return MARSHAL_FAILED;
	if (reference != SIZE_MAX)
		reader->references[reference] = code;
	for (unsigned int i = 0; i < 8; i++) {
		value = reader_read_value(reader, depth + 1);
		if (value >= NO_VALUE)
			return reader_fail(reader, "not a value of a profile");
		is_new |= i == 5 && reader->values[value].kind == MARSHAL_TEXT;
	}
	if (!reader_take(reader, 4) || reader_read_value(reader, depth + 1) >= NO_VALUE)
		return reader_fail(reader, "marshal data ends");
	if (is_new && reader_read_value(reader, depth + 1) >= NO_VALUE)
		return reader_fail(reader, "marshal data ends");
	return code;
}

static uint32_t read_typed(struct marshal_reader *reader, unsigned char type, size_t reference,
			   unsigned int depth)
{
	switch (type) {
	case '0':
		return NO_VALUE;
	case 'N':
	case 'T':
	case 'F':
	case '.':
	case 'S':
		return read_other(reader, 0);
	case 'i':
		return read_integer(reader, 4);
	case 'I':
		return read_integer(reader, 8);
	case 'l':
		return read_long(reader);
	case 'g':
		return read_real(reader);
	case 'f':
		return read_real_text(reader);
	case 'y':
		return read_other(reader, 16);
	case 's':
	case 'u':
	case 'a':
	case 'A':
		return reader_read_text(reader, 4);
	case 't':
		return read_interned(reader);
	case 'z':
	case 'Z':
		return reader_read_text(reader, 1);
	case 'r':
		return reader_read_reference(reader, reader->references, reader->reference_count);
	case 'R':
		return reader_read_reference(reader, reader->interned, reader->interned_count);
	case ')':
		return read_container(reader, MARSHAL_TUPLE, 1, reference, depth);
	case '(':
	case '[':
	case '<':
	case '>':
		return read_container(reader, MARSHAL_TUPLE, 4, reference, depth);
	case '{':
		return read_container(reader, MARSHAL_DICT, 0, reference, depth);
	case 'c':
		return reader_read_code(reader, reference, depth);
	default:
		reader->at--;
		return reader_fail(reader, "not a value of a profile");
	}
}

static uint32_t reader_read_value(struct marshal_reader *reader, unsigned int depth)
{
	const unsigned char *type = reader_take(reader, 1);
	size_t reference = SIZE_MAX;
	uint32_t value;

	if (!type)
		return MARSHAL_FAILED;
	if (*type & FLAG_REFERENCE) {
		reference = reader->reference_count;
		if (!reader_push(reader, &reader->references, &reader->reference_count,
				 &reader->reference_capacity, MARSHAL_FAILED))
			return MARSHAL_FAILED;
	}
	value = read_typed(reader, *type & (unsigned char)~FLAG_REFERENCE, reference, depth);
	if (reference != SIZE_MAX && value != MARSHAL_FAILED && value != NO_VALUE)
		reader->references[reference] = value;
	return value;
}

uint32_t marshal_read(struct marshal_reader *reader, const void *data, size_t size)
{
	uint32_t value;

	*reader = (struct marshal_reader){.data = data, .size = size};
	value = reader_read_value(reader, 0);
	return value == NO_VALUE ? reader_fail(reader, "an end where a value should be") : value;
}

void marshal_release(struct marshal_reader *reader)
{
	free(reader->values);
	free(reader->items);
	free(reader->pending);
	free(reader->references);
	free(reader->interned);
	*reader = (struct marshal_reader){0};
}
