/* Headers of objects are the same in all versions; dictionaries have had two layouts, and
 * attributes of objects four. */
#include "pystack/pyobject.h"

#include <string.h>

#include "pystack/pyread.h"
#include "pystack/pyunicode.h"

#define TYPE_NAME	24u
#define TYPE_SIZE	32u
#define TYPE_FLAGS	168u
#define TYPE_DICT	288u
#define DICT_USED	16u
#define DICT_KEYS	32u
#define DICT_VALUES	40u
#define MODULE_DICT	16u
#define LONG_SIZE	16u /* or the tag */
#define LONG_DIGITS	24u
#define DIGIT_BITS	30u
#define ENTRIES_MAX	(UINT64_C(1) << 24) /* of one dictionary */
#define EMPTY_MAX	4096u		    /* consecutive ones that are skipped */
#define FIND_MAX	65536u		    /* keys that are compared */
#define FLAG_INLINE	(UINT64_C(1) << 2)
#define FLAG_MANAGED	(UINT64_C(1) << 4)
#define DICT_OFFSET_MAX 4096u
#define NAME_MAX_HERE	64u

enum instances {	    /* where an object's attributes are */
		 BY_OFFSET, /* a dictionary, at an offset in the type */
		 BEFORE,    /* two words before it: values, and a dictionary */
		 TAGGED,    /* one word before it: either of them */
		 INLINE,    /* after it, and a word before it for a dictionary */
};

struct pyobject_offsets {
	uint16_t version;
	uint16_t modules;      /* in the interpreter's state, 0 = published */
	uint16_t modules_word; /* of what is published */
	uint16_t cached_keys;  /* in types */
	enum instances instances;
	uint8_t values_at;     /* in an object with values */
	bool has_old_keys;     /* to 3.10 */
	bool has_tagged_sizes; /* integers, from 3.12 on */
};

static const struct pyobject_offsets all_offsets[] = {
	{0x0308, 56, 0, 0, BY_OFFSET, 0, true, false},
	{0x0309, 856, 0, 0, BY_OFFSET, 0, true, false},
	{0x030a, 856, 0, 0, BY_OFFSET, 0, true, false},
	{0x030b, 888, 0, 872, BEFORE, 0, false, false},
	{0x030c, 944, 0, 880, TAGGED, 0, false, true},
	{0x030d, 0, 10, 880, INLINE, 8, false, true},
	{0x030e, 0, 11, 880, INLINE, 8, false, true},
	{0x030f, 0, 11, 888, INLINE, 8, false, true},
};

bool pyobjects_init(struct pyobjects *objects, const struct pyruntime *runtime,
		    const struct pymemory *memory)
{
	*objects = (struct pyobjects){.runtime = runtime, .memory = memory};
	for (size_t i = 0; i < sizeof(all_offsets) / sizeof(*all_offsets); i++)
		if (all_offsets[i].version == runtime->layout.version)
			objects->offsets = &all_offsets[i];
	return objects->offsets != NULL;
}

uint32_t pyobjects_tuple_items(const struct pyobjects *objects)
{
	return objects->runtime->layout.version < 0x030e ? 24 : 32;
}

static bool pyobject_read_bytes(const struct pyobjects *objects, uint64_t address, void *to,
				size_t size)
{
	return address + size >= address &&
	       objects->memory->read(objects->memory->context, address, to, size);
}

bool pyobject_word(const struct pyobjects *objects, uint64_t address, uint64_t *out)
{
	return pyobject_read_bytes(objects, address, out, sizeof(*out));
}

bool pyobject_type(const struct pyobjects *objects, uint64_t object, uint64_t *type_out)
{
	return pyread_is_object(object) &&
	       pyobject_word(objects, object + objects->runtime->layout.object.type, type_out) &&
	       pyread_is_object(*type_out);
}

bool pyobject_type_name(const struct pyobjects *objects, uint64_t type, char *name, size_t size)
{
	uint64_t address;
	size_t got = 0;

	if (!pyobject_word(objects, type + TYPE_NAME, &address))
		return false;
	/* C strings may end anywhere, also right before an unmapped page. */
	while (got < size && pyobject_read_bytes(objects, address + got, name + got, 1) &&
	       name[got])
		got++;
	if (got == size)
		got--;
	name[got] = '\0';
	return got > 0;
}

bool pyobject_flags(const struct pyobjects *objects, uint64_t type, uint64_t *flags_out)
{
	return pyobject_word(objects, type + TYPE_FLAGS, flags_out);
}

bool pyobject_text(const struct pyobjects *objects, uint64_t object, char *text, size_t size)
{
	struct pyreader reader;
	uint64_t type;

	pyreader_begin(&reader, objects->memory);
	return pyunicode_read(&objects->runtime->layout, &reader, object, text, size, &type);
}

bool pyobject_integer(const struct pyobjects *objects, uint64_t object, uint64_t *out,
		      bool *is_negative_out)
{
	uint32_t digits[3] = {0};
	uint64_t size;
	bool is_negative;

	if (!pyread_is_object(object) || !pyobject_word(objects, object + LONG_SIZE, &size))
		return false;
	if (objects->offsets->has_tagged_sizes) {
		is_negative = (size & 3) == 2;
		size >>= 3;
	} else {
		is_negative = (int64_t)size < 0;
		size = is_negative ? -size : size;
	}
	if (size > 3 ||
	    !pyobject_read_bytes(objects, object + LONG_DIGITS, digits, size * sizeof(*digits)))
		return false;
	if (digits[0] >> DIGIT_BITS || digits[1] >> DIGIT_BITS ||
	    digits[2] >> (64 - 2 * DIGIT_BITS))
		return false;
	*out = digits[0] | (uint64_t)digits[1] << DIGIT_BITS |
	       (uint64_t)digits[2] << 2 * DIGIT_BITS;
	*is_negative_out = is_negative;
	return true;
}

static uint64_t index_bytes(uint64_t size)
{
	if (size <= 0xff)
		return size;
	return size <= 0xffff ? 2 * size : 4 * size;
}

static bool take_old_keys(const struct pyobjects *objects, uint64_t keys, struct pydict *dict)
{
	uint64_t head[5]; /* references, size, look-up, usable, entries */

	if (!pyobject_read_bytes(objects, keys, head, sizeof(head)) || head[1] > 2 * ENTRIES_MAX)
		return false;
	dict->entries = keys + sizeof(head) + index_bytes(head[1]);
	dict->entry_bytes = 24;
	dict->key_at = 8;
	dict->count = head[4];
	return true;
}

static bool pyobject_take_keys(const struct pyobjects *objects, uint64_t keys, struct pydict *dict)
{
	struct {
		uint64_t references;
		uint8_t log2_size, log2_index_bytes, kind, unused;
		uint32_t version;
		uint64_t usable, count;
	} head;

	if (!pyread_is_object(keys))
		return false;
	if (objects->offsets->has_old_keys)
		return take_old_keys(objects, keys, dict) && dict->count <= ENTRIES_MAX;
	if (!pyobject_read_bytes(objects, keys, &head, sizeof(head)) ||
	    head.log2_index_bytes > 32 || head.kind > 2)
		return false;
	dict->entries = keys + sizeof(head) + (UINT64_C(1) << head.log2_index_bytes);
	dict->entry_bytes = head.kind == 0 ? 24 : 16;
	dict->key_at = head.kind == 0 ? 8 : 0;
	dict->count = head.count;
	return dict->count <= ENTRIES_MAX;
}

bool pydict_open(const struct pyobjects *objects, uint64_t object, struct pydict *dict)
{
	uint64_t type, flags, keys, values;

	*dict = (struct pydict){0};
	if (!pyobject_type(objects, object, &type) || !pyobject_flags(objects, type, &flags) ||
	    !(flags & PYOBJECT_DICT) || !pyobject_word(objects, object + DICT_USED, &dict->used) ||
	    !pyobject_word(objects, object + DICT_KEYS, &keys) ||
	    !pyobject_word(objects, object + DICT_VALUES, &values) ||
	    !pyobject_take_keys(objects, keys, dict))
		return false;
	if (values)
		dict->values = values + objects->offsets->values_at;
	return true;
}

bool pydict_next(const struct pyobjects *objects, struct pydict *dict, uint64_t *key_out,
		 uint64_t *value_out)
{
	for (unsigned i = 0; i < EMPTY_MAX && dict->next < dict->count; i++) {
		uint64_t at = dict->next++, pair[2];

		if (!pyobject_read_bytes(objects,
					 dict->entries + at * dict->entry_bytes + dict->key_at,
					 pair, sizeof(pair)) ||
		    (dict->values && !pyobject_word(objects, dict->values + 8 * at, &pair[1])))
			return false;
		if (!pair[0] || !pair[1])
			continue;
		*key_out = pair[0];
		*value_out = pair[1];
		return true;
	}
	return false;
}

uint64_t pydict_find(const struct pyobjects *objects, struct pydict dict, const char *key)
{
	uint64_t at, value;
	char text[NAME_MAX_HERE];

	for (unsigned i = 0; i < FIND_MAX && pydict_next(objects, &dict, &at, &value); i++)
		if (pyobject_text(objects, at, text, sizeof(text)) && strcmp(text, key) == 0)
			return value;
	return 0;
}

/* Values without a dictionary, with the keys shared by all objects of the type. */
static bool take_values(const struct pyobjects *objects, uint64_t type, uint64_t values,
			struct pydict *dict)
{
	uint64_t keys;

	*dict = (struct pydict){0};
	if (!pyread_is_object(values) ||
	    !pyobject_word(objects, type + objects->offsets->cached_keys, &keys) ||
	    !pyobject_take_keys(objects, keys, dict))
		return false;
	dict->values = values + objects->offsets->values_at;
	return true;
}

static bool open_managed(const struct pyobjects *objects, uint64_t object, uint64_t type,
			 uint64_t flags, struct pydict *dict)
{
	uint64_t words[2], size; /* [-4] and [-3] of the object */

	if (!pyobject_read_bytes(objects, object - 32, words, sizeof(words)))
		return false;
	switch (objects->offsets->instances) {
	case BY_OFFSET:
		return false;
	case BEFORE:
		return words[0] ? take_values(objects, type, words[0], dict)
				: pydict_open(objects, words[1], dict);
	case TAGGED:
		return words[1] & 1 ? take_values(objects, type, words[1] + 1, dict)
				    : pydict_open(objects, words[1], dict);
	case INLINE:
		break;
	}
	if (words[1])
		return pydict_open(objects, words[1], dict);
	return (flags & FLAG_INLINE) && pyobject_word(objects, type + TYPE_SIZE, &size) &&
	       size <= DICT_OFFSET_MAX && take_values(objects, type, object + size, dict);
}

bool pydict_open_instance(const struct pyobjects *objects, uint64_t object, struct pydict *dict)
{
	uint64_t type, flags, offset, address;

	if (!pyobject_type(objects, object, &type) || !pyobject_flags(objects, type, &flags))
		return false;
	if (objects->offsets->instances != BY_OFFSET && (flags & FLAG_MANAGED))
		return open_managed(objects, object, type, flags, dict);
	return pyobject_word(objects, type + TYPE_DICT, &offset) && offset > 0 &&
	       offset <= DICT_OFFSET_MAX && pyobject_word(objects, object + offset, &address) &&
	       pydict_open(objects, address, dict);
}

uint64_t pyobject_attribute(const struct pyobjects *objects, uint64_t object, const char *name)
{
	struct pydict dict;

	return pydict_open_instance(objects, object, &dict) ? pydict_find(objects, dict, name) : 0;
}

bool pyobject_module(const struct pyobjects *objects, uint64_t interpreter, const char *name,
		     struct pydict *out)
{
	const struct pyobject_offsets *offsets = objects->offsets;
	uint64_t offset = offsets->modules, modules, module, dictionary;

	if (offset == 0 &&
	    (!pyobject_word(objects,
			    objects->runtime->runtime + 8 * (1 + (uint64_t)offsets->modules_word),
			    &offset) ||
	     offset > UINT32_MAX))
		return false;
	if (!pyobject_word(objects, interpreter + offset, &modules) ||
	    !pydict_open(objects, modules, out))
		return false;
	module = pydict_find(objects, *out, name);
	return module && pyobject_word(objects, module + MODULE_DICT, &dictionary) &&
	       pydict_open(objects, dictionary, out);
}
