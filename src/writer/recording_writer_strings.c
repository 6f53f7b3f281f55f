/* Strings by content: written ones are kept in one growing buffer, each after its reference. */
#include "writer/recording_writer_strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define BOUNDED_BYTES (UINT64_C(32) << 20)

struct kept {
	uint64_t reference;
	uint32_t length;
	char text[];
};

struct key {
	const struct recording_writer_strings *strings;
	const char *text;
	uint32_t length;
};

void recording_writer_strings_init(struct recording_writer_strings *strings)
{
	*strings = (struct recording_writer_strings){0};
	recording_writer_section_init(&strings->section, KYMO_CHUNK_STRINGS, KYMO_NO_THREAD, 0);
}

static const struct kept *kept_at(const struct recording_writer_strings *strings, uint64_t value)
{
	return (const struct kept *)(const void *)(strings->texts + value - 1);
}

static bool strings_is_same(uint64_t value, const void *context)
{
	const struct key *key = context;
	const struct kept *kept = kept_at(key->strings, value);

	return kept->length == key->length && memcmp(kept->text, key->text, key->length) == 0;
}

static uint64_t strings_hash_text(const char *text, uint32_t length)
{
	uint64_t hash = HASH_SEED ^ length;

	for (; length >= sizeof(uint64_t); length -= sizeof(uint64_t), text += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, text, sizeof(word));
		hash = hash_word(hash ^ word);
		hash ^= hash >> 32;
	}
	return hash_bytes(hash, text, length);
}

static uint64_t write_string(struct recording_writer_file *file,
			     struct recording_writer_strings *strings, const char *text,
			     uint32_t length)
{
	uint64_t size = (sizeof(struct kymo_string) + length + 1 + UINT64_C(7)) & ~UINT64_C(7);
	uint64_t at;
	struct kymo_string *string =
		recording_writer_section_reserve(file, &strings->section, size, &at, NULL);

	if (!string)
		return 0;
	string->length = length;
	memcpy(string->text, text, length);
	return at;
}

/* Index it; if out of memory it is written again the next time. */
static void strings_keep(struct recording_writer_strings *strings, const char *text,
			 uint32_t length, uint64_t hash, uint64_t reference)
{
	size_t size = (sizeof(struct kept) + length + 7) & ~(size_t)7;
	struct kept *kept;
	char *texts;

	if (strings->is_bounded && strings->size > BOUNDED_BYTES) {
		hashset_release(&strings->by_content);
		strings->size = 0;
	}
	texts = array_grow(strings->texts, &strings->capacity, strings->size + size, 1);
	if (!texts)
		return;
	strings->texts = texts;
	kept = (struct kept *)(void *)(texts + strings->size);
	kept->reference = reference;
	kept->length = length;
	memcpy(kept->text, text, length);
	if (hashset_insert(&strings->by_content, hash, strings->size + 1))
		strings->size += size;
}

uint64_t recording_writer_strings_add(struct recording_writer_file *file,
				      struct recording_writer_strings *strings, const char *text)
{
	struct key key = {.strings = strings, .text = text};
	uint64_t hash, value, reference;
	size_t length;

	if (!text)
		return 0;
	length = strlen(text);
	if (length > UINT32_MAX / 2) {
		recording_writer_file_fail(file, KYMO_FORMAT, "a text of %zu bytes is too long",
					   length);
		return 0;
	}
	key.length = (uint32_t)length;
	hash = strings_hash_text(text, key.length);
	value = hashset_find(&strings->by_content, hash, strings_is_same, &key);
	if (value)
		return kept_at(strings, value)->reference;
	reference = write_string(file, strings, text, key.length);
	if (reference)
		strings_keep(strings, text, key.length, hash, reference);
	return reference;
}

void recording_writer_strings_finish(struct recording_writer_file *file,
				     struct recording_writer_strings *strings)
{
	recording_writer_section_finish(file, &strings->section);
	hashset_release(&strings->by_content);
	free(strings->texts);
	strings->texts = NULL;
}
