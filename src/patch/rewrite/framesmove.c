/* One .eh_frame for a rewritten file: the file's own, moved to a new address, followed by the
 * entries of the trampolines, with a search table over both.
 *
 * Debuggers read the one section of that name, unwinders the table that the program header refers
 * to: both get the same.  Entries hold distances relative to their own addresses, so moving them
 * means reading every pointer and writing it again (LSB "Exception Frames", DWARF 4 section
 * 6.4). */
#include "patch/rewrite/framesmove.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partitionpoint.h"

#define PE_OMIT	       0xffu
#define PE_FORMAT      0x0fu
#define PE_APPLICATION 0x70u
#define PE_INDIRECT    0x80u

enum { PE_ABSPTR = 0, PE_UDATA2 = 2, PE_UDATA4, PE_UDATA8, PE_SDATA2 = 10, PE_SDATA4, PE_SDATA8 };
enum { PE_ABSOLUTE = 0, PE_PCREL = 0x10 };

struct reader { /* in the copy, at an entry */
	unsigned char *at, *end;
	bool is_bad;
};

static size_t framesmove_size_of(uint8_t encoding)
{
	switch (encoding & PE_FORMAT) {
	case PE_UDATA2:
	case PE_SDATA2:
		return 2;
	case PE_UDATA4:
	case PE_SDATA4:
		return 4;
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		return 8;
	default:
		return 0;
	}
}

static int64_t value_at(const unsigned char *at, uint8_t encoding)
{
	uint64_t value = 0;

	memcpy(&value, at, framesmove_size_of(encoding));
	switch (encoding & PE_FORMAT) {
	case PE_SDATA2:
		return (int16_t)value;
	case PE_SDATA4:
		return (int32_t)value;
	default:
		return (int64_t)value;
	}
}

static bool framesmove_put_value(unsigned char *at, uint8_t encoding, int64_t value)
{
	memcpy(at, &value, framesmove_size_of(encoding));
	return value_at(at, encoding) == value;
}

static uint64_t moved_target(const struct frames_move *move, uint64_t target)
{
	return target >= move->code_start && target < move->code_end
		       ? target + (uint64_t)move->code_by
		       : target;
}

/* Relocate the pointer at the reader's position and step over it.  0 stays 0: it is not
 * relative. */
static void take_pointer(struct reader *reader, const struct frames_move *move, uint8_t encoding,
			 uint64_t *target_out)
{
	size_t size = framesmove_size_of(encoding);
	uint64_t place = (uint64_t)(reader->at - move->bytes), target;
	int64_t value;

	if (size == 0 || (size_t)(reader->end - reader->at) < size ||
	    ((encoding & PE_APPLICATION) != PE_PCREL &&
	     ((encoding & PE_APPLICATION) != PE_ABSOLUTE || move->is_relocated))) {
		reader->is_bad = true;
		return;
	}
	value = value_at(reader->at, encoding);
	*target_out = 0;
	if (value != 0) {
		uint64_t from = 0, to = 0;

		if ((encoding & PE_APPLICATION) == PE_PCREL) {
			from = move->from + place;
			to = move->to + place;
		}
		target = moved_target(move, from + (uint64_t)value);
		*target_out = target;
		if (!framesmove_put_value(reader->at, encoding, (int64_t)(target - to)))
			reader->is_bad = true;
	}
	reader->at += size;
}

static uint8_t take_u8(struct reader *reader)
{
	if (reader->at >= reader->end) {
		reader->is_bad = true;
		return 0;
	}
	return *reader->at++;
}

static uint64_t take_leb(struct reader *reader)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = take_u8(reader);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	reader->is_bad = true;
	return 0;
}

static void take_letters(struct reader *reader, const struct frames_move *move, const char *letters,
			 struct frames_common *common)
{
	uint64_t unused;

	for (; *letters && !reader->is_bad; letters++) {
		uint8_t encoding;

		switch (*letters) {
		case 'R':
			common->encoding = take_u8(reader);
			break;
		case 'L':
			common->lsda_encoding = take_u8(reader);
			break;
		case 'P':
			encoding = take_u8(reader);
			if (encoding != PE_OMIT)
				take_pointer(reader, move, encoding & (uint8_t)~PE_INDIRECT,
					     &unused);
			break;
		case 'S':
		case 'B':
			break;
		default:
			reader->is_bad = true;
		}
	}
}

static bool framesmove_take_common(struct reader reader, const struct frames_move *move,
				   struct frames_common *common)
{
	const char *letters;
	uint8_t version = take_u8(&reader);

	letters = (const char *)reader.at;
	while (take_u8(&reader) != 0)
		;
	if (reader.is_bad || (version != 1 && version != 3))
		return false;
	common->encoding = PE_ABSPTR;
	common->lsda_encoding = PE_OMIT;
	common->has_data = letters[0] == 'z';
	take_leb(&reader); /* alignment of code, of data */
	take_leb(&reader);
	if (version == 1)
		take_u8(&reader);
	else
		take_leb(&reader);
	if (common->has_data) {
		uint64_t size = take_leb(&reader);

		if (reader.is_bad || size > (uint64_t)(reader.end - reader.at))
			return false;
		reader.end = reader.at + size;
		take_letters(&reader, move, letters + 1, common);
	} else if (letters[0] != '\0') {
		return false;
	}
	return !reader.is_bad;
}

static const struct frames_common *find_common(const struct frames_list *list, uint64_t offset)
{
	const size_t count = list->common_count;
	size_t at;

	/* Nearly always the one used last. */
	if (count > 0 && list->commons[count - 1].offset == offset)
		return &list->commons[count - 1];
	at = partition_point(count, i, list->commons[i].offset < offset);
	return at < count && list->commons[at].offset == offset ? &list->commons[at] : NULL;
}

static bool take_description(struct reader reader, const struct frames_move *move,
			     struct frames_list *list, uint64_t entry, uint64_t common_offset)
{
	const struct frames_common *common = find_common(list, common_offset);
	struct frames_row *grown;
	uint64_t start, unused;

	if (!common)
		return false;
	take_pointer(&reader, move, common->encoding, &start);
	if (reader.is_bad ||
	    (size_t)(reader.end - reader.at) < framesmove_size_of(common->encoding))
		return false;
	reader.at += framesmove_size_of(common->encoding);
	if (common->has_data) {
		uint64_t size = take_leb(&reader);

		if (reader.is_bad || size > (uint64_t)(reader.end - reader.at))
			return false;
		if (size > 0 && common->lsda_encoding != PE_OMIT)
			take_pointer(&reader, move, common->lsda_encoding & (uint8_t)~PE_INDIRECT,
				     &unused);
	}
	if (reader.is_bad || start == 0)
		return !reader.is_bad;
	grown = array_grow(list->rows, &list->row_capacity, list->row_count + 1, sizeof(*grown));
	if (!grown)
		return false;
	list->rows = grown;
	list->rows[list->row_count++] = (struct frames_row){start, move->to + entry};
	return true;
}

static bool add_common(struct frames_list *list, const struct frames_common *common)
{
	struct frames_common *grown = array_grow(list->commons, &list->common_capacity,
						 list->common_count + 1, sizeof(*grown));

	if (!grown)
		return false;
	list->commons = grown;
	list->commons[list->common_count++] = *common;
	return true;
}

bool frames_move(const struct frames_move *move, struct frames_list *list)
{
	uint64_t at = 0;

	list->common_count = 0;
	while (move->size - at >= 4) {
		struct frames_common common = {.offset = at};
		struct reader reader;
		uint32_t length, id;

		memcpy(&length, move->bytes + at, 4);
		if (length == 0) { /* a terminator: some linkers leave several */
			at += 4;
			continue;
		}
		if (length < 4 || length >= UINT32_MAX - 15 || length > move->size - at - 4)
			return false;
		memcpy(&id, move->bytes + at + 4, 4);
		reader =
			(struct reader){move->bytes + at + 8, move->bytes + at + 4 + length, false};
		if (id == 0) {
			if (!framesmove_take_common(reader, move, &common) ||
			    !add_common(list, &common))
				return false;
		} else if (id > at + 4 || !take_description(reader, move, list, at, at + 4 - id)) {
			return false;
		}
		at += 4 + (uint64_t)length;
	}
	return true;
}

void frames_list_release(struct frames_list *list)
{
	free(list->commons);
	free(list->rows);
	*list = (struct frames_list){0};
}

static int framesmove_by_start(const void *left, const void *right)
{
	const struct frames_row *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* Usually both parts are sorted already: then this takes no time. */
static void framesmove_sort_rows(struct frames_list *list)
{
	for (size_t i = 1; i < list->row_count; i++) {
		if (list->rows[i].start < list->rows[i - 1].start) {
			qsort(list->rows, list->row_count, sizeof(*list->rows),
			      framesmove_by_start);
			return;
		}
	}
}

bool frames_header(struct frames_list *list, uint64_t address, uint64_t frames_address,
		   unsigned char *header)
{
	const unsigned char encodings[4] = {1, PE_PCREL | PE_SDATA4, PE_UDATA4, 0x30 | PE_SDATA4};
	uint32_t count = (uint32_t)list->row_count;
	int64_t distance = (int64_t)(frames_address - address - 4);
	bool fits = distance == (int32_t)distance;

	framesmove_sort_rows(list);
	memcpy(header, encodings, sizeof(encodings));
	framesmove_put_value(header + 4, PE_SDATA4, distance);
	memcpy(header + 8, &count, sizeof(count));
	header += FRAMES_HEADER_SIZE;
	for (size_t i = 0; i < list->row_count; i++, header += FRAMES_ROW_SIZE) {
		fits = framesmove_put_value(header, PE_SDATA4,
					    (int64_t)(list->rows[i].start - address)) &&
		       fits;
		fits = framesmove_put_value(header + 4, PE_SDATA4,
					    (int64_t)(list->rows[i].entry - address)) &&
		       fits;
	}
	return fits;
}
