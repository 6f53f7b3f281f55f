/* A frame's header is followed by its variables, then its evaluation stack.  The stack's depth is
 * not stored while a frame executes: but an exception handler's block has the depth at its entry.
 * Up to 3.10 frames have a list of blocks; from 3.11 on code objects have an exception table by
 * instruction. */
#include "attach/python/framecontents.h"

#include <string.h>

#include "format/format.h"
#include "pystack/pyread.h"

#define OBJECT_SIZE  16u /* of tuples and bytes */
#define CELL_CONTENT 16u
#define KIND_CELLS   0xc0u
#define TABLE_MAX    16384u
#define BLOCKS_MAX   20u
#define BLOCK_BYTES  12u
#define OLD_NAMES    72u
#define OLD_FREE     80u
#define OLD_CELLS    88u
#define OLD_LOCALS   28u
#define OLD_STACK    64u
#define NEW_TABLE    40u
#define NEW_NAMES    96u
#define NEW_KINDS    104u
#define TAG_BITS     UINT64_C(3)
#define SMALL_NUMBER 3u /* tag of a word that is a small integer */
#define FIRST_NEW    0x030bu
#define FIRST_TAGGED 0x030eu

static uint16_t version_of(const struct framecontents *contents)
{
	return contents->objects->runtime->layout.version;
}

static bool framecontents_read_bytes(const struct framecontents *contents, uint64_t address,
				     void *to, size_t size)
{
	const struct pymemory *memory = contents->objects->memory;

	return memory->read(memory->context, address, to, size);
}

static bool framecontents_read_word(const struct framecontents *contents, uint64_t address,
				    uint64_t *out)
{
	return pyobject_word(contents->objects, address, out);
}

static uint32_t framecontents_size_of(const struct framecontents *contents, uint64_t object)
{
	uint64_t size;

	if (!pyread_is_object(object) ||
	    !framecontents_read_word(contents, object + OBJECT_SIZE, &size) ||
	    size > FRAMECONTENTS_WORDS)
		return 0;
	return (uint32_t)size;
}

/* The highest level of the blocks that are open. */
static uint32_t level_of_blocks(const struct framecontents *contents)
{
	const uint64_t count_at = version_of(contents) < 0x030a ? 112 : 104;
	unsigned char blocks[BLOCKS_MAX * BLOCK_BYTES];
	int32_t count, level, highest = 0;

	if (!framecontents_read_bytes(contents, contents->frame + count_at, &count,
				      sizeof(count)) ||
	    count < 0 || count > (int32_t)BLOCKS_MAX ||
	    !framecontents_read_bytes(contents, contents->frame + count_at + 8, blocks,
				      (size_t)count * BLOCK_BYTES))
		return 0;
	for (int32_t i = 0; i < count; i++) {
		memcpy(&level, blocks + (size_t)i * BLOCK_BYTES + 8, sizeof(level));
		if (level > highest && level <= (int32_t)FRAMECONTENTS_WORDS)
			highest = level;
	}
	return (uint32_t)highest;
}

static bool open_old(struct framecontents *contents)
{
	int32_t locals;
	uint64_t stack;

	if (!framecontents_read_bytes(contents, contents->code + OLD_LOCALS, &locals,
				      sizeof(locals)) ||
	    locals < 0 || locals > (int32_t)FRAMECONTENTS_WORDS ||
	    !framecontents_read_word(contents, contents->code + OLD_NAMES, &contents->names) ||
	    !framecontents_read_word(contents, contents->code + OLD_CELLS, &contents->cells[0]) ||
	    !framecontents_read_word(contents, contents->code + OLD_FREE, &contents->cells[1]) ||
	    !framecontents_read_word(contents, contents->frame + OLD_STACK, &stack))
		return false;
	contents->counts[0] = (uint32_t)locals;
	contents->counts[1] = framecontents_size_of(contents, contents->cells[0]);
	contents->counts[2] = framecontents_size_of(contents, contents->cells[1]);
	contents->variables = contents->counts[0] + contents->counts[1] + contents->counts[2];
	if (stack != contents->words + 8 * (uint64_t)contents->variables)
		return false;
	contents->certain = level_of_blocks(contents);
	return true;
}

/* Numbers of six bits per byte, most significant first. */
static size_t framecontents_take_number(const unsigned char *bytes, size_t at, size_t size,
					uint32_t *out)
{
	uint32_t value = 0;

	do {
		if (at >= size)
			return size + 1;
		value = value << 6 | (bytes[at] & 0x3f);
	} while (bytes[at++] & 0x40);
	*out = value;
	return at;
}

/* The depth of the stack below the handler of an instruction, 0 = it has none.  Entries are by
 * instruction, each with start, length, handler, and depth doubled. */
static uint32_t depth_of_handler(const unsigned char *bytes, size_t size, uint32_t unit)
{
	uint32_t start = 0, length = 0, handler = 0, depth = 0;

	for (size_t at = 0; at < size;) {
		at = framecontents_take_number(bytes, at, size, &start);
		at = framecontents_take_number(bytes, at, size, &length);
		at = framecontents_take_number(bytes, at, size, &handler);
		at = framecontents_take_number(bytes, at, size, &depth);
		if (at > size || start > unit)
			return 0;
		if (unit - start < length)
			return depth >> 1 <= FRAMECONTENTS_WORDS ? depth >> 1 : 0;
	}
	return 0;
}

static uint32_t depth_of_code(const struct framecontents *contents, uint32_t offset)
{
	const struct pylayout *layout = &contents->objects->runtime->layout;
	unsigned char bytes[TABLE_MAX];
	uint64_t table, size;

	if (offset == KYMO_FRAME_NO_OFFSET ||
	    !framecontents_read_word(contents, contents->code + NEW_TABLE, &table) ||
	    !pyread_is_object(table) ||
	    !framecontents_read_word(contents, table + OBJECT_SIZE, &size) ||
	    size > sizeof(bytes) ||
	    !framecontents_read_bytes(contents, table + layout->object.bytes_data, bytes, size))
		return 0;
	return depth_of_handler(bytes, size, offset / 2);
}

static bool open_new(struct framecontents *contents, uint32_t offset)
{
	const uint64_t count_at = version_of(contents) == FIRST_NEW ? 76 : 72;
	int32_t count;

	if (!framecontents_read_bytes(contents, contents->code + count_at, &count, sizeof(count)) ||
	    count < 0 || count > (int32_t)FRAMECONTENTS_WORDS ||
	    !framecontents_read_word(contents, contents->code + NEW_NAMES, &contents->names) ||
	    !framecontents_read_word(contents, contents->code + NEW_KINDS, &contents->kinds))
		return false;
	contents->variables = (uint32_t)count;
	contents->certain = depth_of_code(contents, offset);
	return true;
}

bool framecontents_open(struct framecontents *contents, const struct pyobjects *objects,
			uint64_t frame, uint64_t code, uint32_t offset)
{
	*contents = (struct framecontents){.objects = objects, .frame = frame, .code = code};
	if (!frame)
		return false;
	contents->words = frame + objects->runtime->layout.frame.size;
	return version_of(contents) < FIRST_NEW ? open_old(contents) : open_new(contents, offset);
}

static bool framecontents_name_of(const struct framecontents *contents, uint64_t names, uint32_t i,
				  char *name, size_t size)
{
	uint64_t text;

	return i < framecontents_size_of(contents, names) &&
	       framecontents_read_word(
		       contents, names + pyobjects_tuple_items(contents->objects) + 8 * (uint64_t)i,
		       &text) &&
	       pyobject_text(contents->objects, text, name, size);
}

/* A variable that is shared with inner functions is in a cell. */
static uint64_t inside_of_cell(const struct framecontents *contents, uint64_t object)
{
	uint64_t type, content;
	char name[8];

	if (!pyobject_type(contents->objects, object, &type) ||
	    !pyobject_type_name(contents->objects, type, name, sizeof(name)) ||
	    strcmp(name, "cell") != 0)
		return object;
	return framecontents_read_word(contents, object + CELL_CONTENT, &content) ? content : 0;
}

static bool variable_old(const struct framecontents *contents, uint32_t i, char *name, size_t size,
			 bool *is_cell)
{
	const uint64_t lists[] = {contents->names, contents->cells[0], contents->cells[1]};

	for (size_t k = 0; k < 3; k++) {
		*is_cell = k > 0;
		if (i < contents->counts[k])
			return framecontents_name_of(contents, lists[k], i, name, size);
		i -= contents->counts[k];
	}
	return false;
}

static bool variable_new(const struct framecontents *contents, uint32_t i, char *name, size_t size,
			 bool *is_cell)
{
	const struct pylayout *layout = &contents->objects->runtime->layout;
	unsigned char kind;

	if (i >= contents->variables || i >= framecontents_size_of(contents, contents->kinds) ||
	    !framecontents_read_bytes(contents, contents->kinds + layout->object.bytes_data + i,
				      &kind, 1))
		return false;
	*is_cell = kind & KIND_CELLS;
	return framecontents_name_of(contents, contents->names, i, name, size);
}

bool framecontents_variable(const struct framecontents *contents, uint32_t i, char *name,
			    size_t size, uint64_t *object_out, bool *is_number_out)
{
	bool is_cell, is_there = version_of(contents) < FIRST_NEW
					 ? variable_old(contents, i, name, size, &is_cell)
					 : variable_new(contents, i, name, size, &is_cell);
	uint64_t word;

	if (!is_there ||
	    !framecontents_read_word(contents, contents->words + 8 * (uint64_t)i, &word))
		return false;
	*is_number_out = false;
	if (version_of(contents) >= FIRST_TAGGED) {
		*is_number_out = (word & TAG_BITS) == SMALL_NUMBER;
		*object_out = *is_number_out ? (uint64_t)((int64_t)word >> 2) : word & ~TAG_BITS;
		if (*is_number_out)
			return true;
		word = *object_out;
	}
	*object_out = is_cell && word ? inside_of_cell(contents, word) : word;
	return true;
}

uint64_t framecontents_word(const struct framecontents *contents, uint32_t i)
{
	uint64_t word;

	if (i >= FRAMECONTENTS_WORDS ||
	    !framecontents_read_word(
		    contents, contents->words + 8 * ((uint64_t)contents->variables + i), &word))
		return 0;
	if (version_of(contents) >= FIRST_TAGGED && (word & TAG_BITS) != SMALL_NUMBER)
		word &= ~TAG_BITS;
	return pyread_is_object(word) ? word : 0;
}
