/* Everything is written into one buffer that is truncated with an ellipsis. */
#include "attach/python/valuetext.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "pystack/pyread.h"

#define DEPTH_MAX      3u
#define ITEMS_MAX      6u
#define TEXT_MAX       120u
#define BYTES_MAX      60u
#define TYPE_MAX       80u
#define LENGTH_AT      16u
#define ITEMS_AT       24u
#define FLOAT_AT       16u
#define TEXT_LENGTH_AT 16u

struct writing {
	const struct pyobjects *objects;
	char *text;
	size_t used;
	bool is_full;
};

static void valuetext_put(struct writing *writing, const char *text)
{
	size_t length = strlen(text);

	if (writing->is_full)
		return;
	if (writing->used + length + 4 > VALUETEXT_SIZE) {
		text = "…";
		length = strlen(text);
		writing->is_full = true;
	}
	memcpy(writing->text + writing->used, text, length + 1);
	writing->used += length;
}

static void valuetext_put_value(struct writing *writing, uint64_t object, unsigned depth);

/* Control characters, changes of text direction, and quotes. */
static bool must_escape(const unsigned char *at, size_t length)
{
	uint32_t character;

	if (length == 1)
		return *at < 0x20 || *at == 0x7f || *at == '\'' || *at == '\\';
	if (length == 2)
		return *at == 0xc2 && at[1] < 0xa0;
	character = (uint32_t)(*at & 15) << 12 | (uint32_t)(at[1] & 63) << 6 | (at[2] & 63);
	return length == 3 && ((character >= 0x200b && character <= 0x200f) ||
			       (character >= 0x2028 && character <= 0x202e) ||
			       (character >= 0x2060 && character <= 0x206f) ||
			       (character >= 0xd800 && character <= 0xdfff) || character == 0xfeff);
}

static size_t length_at(const unsigned char *at)
{
	size_t length = *at < 0x80 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;

	for (size_t i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 1;
	return length;
}

static void valuetext_put_escaped(struct writing *writing, const unsigned char *at, size_t length)
{
	char text[20] = "";

	if (length == 1 && (*at == '\'' || *at == '\\'))
		snprintf(text, sizeof(text), "\\%c", *at);
	else if (length == 1 && (*at == '\n' || *at == '\t'))
		snprintf(text, sizeof(text), *at == '\n' ? "\\n" : "\\t");
	else
		for (size_t i = 0; i < length; i++)
			snprintf(text + 4 * i, sizeof(text) - 4 * i, "\\x%02x", at[i]);
	valuetext_put(writing, text);
}

static void put_quoted(struct writing *writing, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	char character[5];

	valuetext_put(writing, "'");
	for (size_t length; *at && !writing->is_full; at += length) {
		length = length_at(at);
		if (must_escape(at, length)) {
			valuetext_put_escaped(writing, at, length);
			continue;
		}
		memcpy(character, at, length);
		character[length] = '\0';
		valuetext_put(writing, character);
	}
	valuetext_put(writing, "'");
}

static void valuetext_put_text(struct writing *writing, uint64_t object)
{
	char text[TEXT_MAX + 4], masked[2 * TEXT_MAX];
	uint64_t length = 0;

	if (!pyobject_text(writing->objects, object, text, sizeof(text))) {
		valuetext_put(writing, "<str>");
		return;
	}
	secret_mask(text, masked, sizeof(masked));
	put_quoted(writing, masked);
	if (pyobject_word(writing->objects, object + TEXT_LENGTH_AT, &length) &&
	    strlen(text) + 4 >= sizeof(text)) {
		snprintf(text, sizeof(text), "… (%" PRIu64 " characters)", length);
		valuetext_put(writing, text);
	}
}

static void valuetext_put_bytes(struct writing *writing, uint64_t object)
{
	const struct pymemory *memory = writing->objects->memory;
	char bytes[BYTES_MAX + 1] = "", text[48], masked[2 * BYTES_MAX];
	uint64_t length;
	size_t got;
	bool is_text = true;

	if (!pyobject_word(writing->objects, object + LENGTH_AT, &length))
		return;
	got = length < BYTES_MAX ? (size_t)length : BYTES_MAX;
	if (!memory->read(memory->context,
			  object + writing->objects->runtime->layout.object.bytes_data, bytes, got))
		got = 0;
	for (size_t i = 0; i < got; i++)
		is_text &= (bytes[i] >= ' ' && bytes[i] < 0x7f) || bytes[i] == '\n';
	if (is_text) {
		secret_mask(bytes, masked, sizeof(masked));
		valuetext_put(writing, "b");
		put_quoted(writing, masked);
	}
	if (!is_text || got < length) {
		snprintf(text, sizeof(text), "%s%" PRIu64 " bytes%s", is_text ? "… (" : "<", length,
			 is_text ? ")" : ">");
		valuetext_put(writing, text);
	}
}

static void put_integer(struct writing *writing, uint64_t object)
{
	char text[32];
	uint64_t amount;
	bool is_negative;

	if (pyobject_integer(writing->objects, object, &amount, &is_negative))
		snprintf(text, sizeof(text), "%s%" PRIu64, is_negative ? "-" : "", amount);
	else
		snprintf(text, sizeof(text), "<a large int>");
	valuetext_put(writing, text);
}

/* The shortest text that parses to the same number. */
static void valuetext_put_float(struct writing *writing, uint64_t object)
{
	char text[40];
	double value;
	uint64_t word;

	if (!pyobject_word(writing->objects, object + FLOAT_AT, &word))
		return;
	memcpy(&value, &word, sizeof(value));
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	if (strspn(text, "-0123456789") == strlen(text))
		strcat(text, ".0");
	valuetext_put(writing, text);
}

static void put_more(struct writing *writing, uint64_t count)
{
	char text[48];

	snprintf(text, sizeof(text), ", … %" PRIu64 " items", count);
	valuetext_put(writing, text);
}

/* items: address of the first word. */
static void valuetext_put_items(struct writing *writing, uint64_t items, uint64_t count,
				unsigned depth)
{
	uint64_t item;

	for (uint64_t i = 0; i < count && i < ITEMS_MAX && !writing->is_full; i++) {
		valuetext_put(writing, i ? ", " : "");
		if (!pyobject_word(writing->objects, items + 8 * i, &item)) {
			valuetext_put(writing, "?");
			return;
		}
		valuetext_put_value(writing, item, depth + 1);
	}
	if (count > ITEMS_MAX)
		put_more(writing, count);
}

static void put_sequence(struct writing *writing, uint64_t object, bool is_list, unsigned depth)
{
	uint64_t count, items = object + pyobjects_tuple_items(writing->objects);

	if (!pyobject_word(writing->objects, object + LENGTH_AT, &count) ||
	    (is_list && !pyobject_word(writing->objects, object + ITEMS_AT, &items)))
		return;
	valuetext_put(writing, is_list ? "[" : "(");
	valuetext_put_items(writing, items, count, depth);
	valuetext_put(writing, is_list ? "]" : count == 1 ? ",)" : ")");
}

static void put_pair(struct writing *writing, uint64_t key, uint64_t value, unsigned depth)
{
	uint64_t type, flags;
	char name[64];

	valuetext_put_value(writing, key, depth + 1);
	valuetext_put(writing, ": ");
	if (pyobject_type(writing->objects, key, &type) &&
	    pyobject_flags(writing->objects, type, &flags) && (flags & PYOBJECT_TEXT) &&
	    pyobject_text(writing->objects, key, name, sizeof(name)) &&
	    secret_is_name(name, strlen(name)))
		valuetext_put(writing, SECRET_MASK);
	else
		valuetext_put_value(writing, value, depth + 1);
}

static void put_dictionary(struct writing *writing, uint64_t object, unsigned depth)
{
	uint64_t key, value, shown = 0;
	struct pydict dict;

	if (!pydict_open(writing->objects, object, &dict)) {
		valuetext_put(writing, "{?}");
		return;
	}
	valuetext_put(writing, "{");
	while (shown < ITEMS_MAX && !writing->is_full &&
	       pydict_next(writing->objects, &dict, &key, &value)) {
		valuetext_put(writing, shown++ ? ", " : "");
		put_pair(writing, key, value, depth);
	}
	if (dict.used > ITEMS_MAX)
		put_more(writing, dict.used);
	valuetext_put(writing, "}");
}

void valuetext_clean_name(char *name)
{
	for (; *name; name++)
		if (!strchr("_.", *name) && !(*name >= '0' && *name <= '9') &&
		    !(*name >= 'A' && *name <= 'Z') && !(*name >= 'a' && *name <= 'z') &&
		    (unsigned char)*name < 0x80)
			*name = '?';
}

static void put_address(struct writing *writing, const char *type, uint64_t object)
{
	char text[TYPE_MAX + 40];

	snprintf(text, sizeof(text), "<%s at 0x%" PRIx64 ">", type, object);
	valuetext_put(writing, text);
}

static void put_builtin(struct writing *writing, uint64_t object, const char *type, uint64_t flags,
			unsigned depth)
{
	if (strcmp(type, "NoneType") == 0)
		valuetext_put(writing, "None");
	else if (strcmp(type, "float") == 0)
		valuetext_put_float(writing, object);
	else if (depth > DEPTH_MAX)
		put_address(writing, type, object);
	else if (strcmp(type, "list") == 0)
		put_sequence(writing, object, true, depth);
	else if (strcmp(type, "tuple") == 0)
		put_sequence(writing, object, false, depth);
	else if (strcmp(type, "dict") == 0)
		put_dictionary(writing, object, depth);
	else if ((flags & PYOBJECT_TEXT) && strcmp(type, "str") == 0)
		valuetext_put_text(writing, object);
	else if ((flags & PYOBJECT_BYTES) && strcmp(type, "bytes") == 0)
		valuetext_put_bytes(writing, object);
	else
		put_address(writing, type, object);
}

static void valuetext_put_value(struct writing *writing, uint64_t object, unsigned depth)
{
	char type_name[TYPE_MAX];
	bool is_negative;
	uint64_t type, flags, truth;

	if (!pyobject_type(writing->objects, object, &type) ||
	    !pyobject_flags(writing->objects, type, &flags) ||
	    !pyobject_type_name(writing->objects, type, type_name, sizeof(type_name))) {
		valuetext_put(writing, "<?>");
		return;
	}
	valuetext_clean_name(type_name);
	if (!(flags & PYOBJECT_LONG)) {
		put_builtin(writing, object, type_name, flags, depth);
	} else if (strcmp(type_name, "bool") == 0 &&
		   pyobject_integer(writing->objects, object, &truth, &is_negative)) {
		valuetext_put(writing, truth ? "True" : "False");
	} else if (strcmp(type_name, "int") == 0) {
		put_integer(writing, object);
	} else { /* of an enumeration */
		valuetext_put(writing, type_name);
		valuetext_put(writing, "(");
		put_integer(writing, object);
		valuetext_put(writing, ")");
	}
}

void valuetext(const struct pyobjects *objects, uint64_t object, const char *name, char *text)
{
	struct writing writing = {.objects = objects, .text = text};

	text[0] = '\0';
	if (name && secret_is_name(name, strlen(name)))
		valuetext_put(&writing, SECRET_MASK);
	else
		valuetext_put_value(&writing, object, 0);
}
