/* Messages of profile.proto. */
#include "export/formats/pprof_profile.h"

#include <string.h>

#include "base/text/utf8.h"
#include "command/xalloc.h"
#include "export/formats/protobuf.h"

#define LABELS_MAX 4
#define TEXT_SIZE  8192

/* A field of a number, or of a message of few numbers. */
#define FIELD_BYTES_MAX	  (2 * PROTOBUF_VARINT_MAX)
#define MESSAGE_BYTES_MAX (8 * FIELD_BYTES_MAX)

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};
enum value_type_field { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum label_field { LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3 };
enum mapping_field {
	MAPPING_ID = 1,
	MAPPING_START = 2,
	MAPPING_END = 3,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7, /* to MAPPING_HAS_INLINES: no further symbolization needed */
	MAPPING_HAS_INLINES = 10,
};
enum location_field {
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
};
enum line_field { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum function_field {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_FIRST_LINE = 5,
};

struct pprof_known { /* key of an assigned id */
	uint64_t words[4];
};

static void profile_put(struct pprof_profile *profile, const unsigned char *start,
			const unsigned char *end)
{
	gzip_write(&profile->gzip, start, (size_t)(end - start));
}

static void profile_put_number(struct pprof_profile *profile, uint32_t field, uint64_t value)
{
	unsigned char buffer[FIELD_BYTES_MAX];

	profile_put(profile, buffer, protobuf_uint(buffer, field, value));
}

struct string_key {
	const struct pprof_profile *profile;
	const char *text;
};

static bool profile_string_match(uint64_t value, const void *data)
{
	const struct string_key *key = data;

	return strcmp(key->profile->strings[value - 1], key->text) == 0;
}

/* The index of a text; 0 is the empty one. */
static uint64_t string_of(struct pprof_profile *profile, const char *text)
{
	char clean[TEXT_SIZE];
	struct string_key key = {profile, clean};
	uint64_t hash, found;

	utf8_clean(text ? text : "", clean, sizeof(clean));
	hash = hash_bytes(HASH_SEED, clean, strlen(clean));
	found = hashset_find(&profile->string_index, hash, profile_string_match, &key);
	if (found)
		return found - 1;
	profile->strings = xgrow(profile->strings, &profile->string_capacity,
				 profile->string_count + 1, sizeof(*profile->strings));
	profile->strings[profile->string_count++] = xstrdup(clean);
	xhashset_insert(&profile->string_index, hash, profile->string_count);
	return profile->string_count - 1;
}

static uint64_t known_hash(const struct pprof_known *known)
{
	return hash_bytes(HASH_SEED, known->words, sizeof(known->words));
}

struct known_key {
	const struct pprof_known *all;
	const struct pprof_known *wanted;
};

static bool known_match(uint64_t value, const void *data)
{
	const struct known_key *key = data;

	return memcmp(&key->all[value - 1], key->wanted, sizeof(*key->wanted)) == 0;
}

static uint64_t known_find(const struct pprof_known *all, const struct hashset *index,
			   const struct pprof_known *wanted)
{
	struct known_key key = {all, wanted};

	return hashset_find(index, known_hash(wanted), known_match, &key);
}

/* A new id. */
static uint64_t known_add(struct pprof_known **all, size_t *count, size_t *capacity,
			  struct hashset *index, const struct pprof_known *known)
{
	*all = xgrow(*all, capacity, *count + 1, sizeof(**all));
	(*all)[*count] = *known;
	xhashset_insert(index, known_hash(known), *count + 1);
	return ++*count;
}

static uint64_t profile_function_of(struct pprof_profile *profile,
				    const struct pprof_function *function)
{
	struct pprof_known known = {{string_of(profile, function->name),
				     string_of(profile, function->system_name),
				     string_of(profile, function->file), function->first_line}};
	uint64_t id = known_find(profile->functions, &profile->function_index, &known);
	unsigned char buffer[MESSAGE_BYTES_MAX], *content, *out;

	if (id)
		return id;
	id = known_add(&profile->functions, &profile->function_count, &profile->function_capacity,
		       &profile->function_index, &known);
	content = out = protobuf_open(buffer, PROFILE_FUNCTION);
	out = protobuf_uint(out, FUNCTION_ID, id);
	out = protobuf_uint(out, FUNCTION_NAME, known.words[0]);
	out = protobuf_uint(out, FUNCTION_SYSTEM_NAME, known.words[1]);
	out = protobuf_uint(out, FUNCTION_FILE, known.words[2]);
	out = protobuf_uint(out, FUNCTION_FIRST_LINE, known.words[3]);
	protobuf_close(content, out);
	profile_put(profile, buffer, out);
	return id;
}

uint64_t pprof_mapping(struct pprof_profile *profile, const struct pprof_mapping *mapping)
{
	struct pprof_known known = {{mapping->owner, mapping->key}};
	uint64_t id = known_find(profile->mappings, &profile->mapping_index, &known);
	unsigned char buffer[2 * MESSAGE_BYTES_MAX], *content, *out;

	if (id)
		return id;
	id = known_add(&profile->mappings, &profile->mapping_count, &profile->mapping_capacity,
		       &profile->mapping_index, &known);
	content = out = protobuf_open(buffer, PROFILE_MAPPING);
	out = protobuf_uint(out, MAPPING_ID, id);
	out = protobuf_uint(out, MAPPING_START, mapping->start);
	out = protobuf_uint(out, MAPPING_END, mapping->end);
	out = protobuf_uint(out, MAPPING_FILE, string_of(profile, mapping->file));
	out = protobuf_uint(out, MAPPING_BUILD_ID, string_of(profile, mapping->build_id));
	for (uint32_t field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINES; field++)
		out = protobuf_uint(out, field, 1);
	protobuf_close(content, out);
	profile_put(profile, buffer, out);
	return id;
}

uint64_t pprof_known_location(const struct pprof_profile *profile, uint64_t owner, uint64_t key)
{
	struct pprof_known known = {{owner, key}};

	return known_find(profile->locations, &profile->location_index, &known);
}

uint64_t pprof_location(struct pprof_profile *profile, const struct pprof_location *location)
{
	struct pprof_known known = {{location->owner, location->key}};
	uint64_t id = known_find(profile->locations, &profile->location_index, &known);
	unsigned char buffer[MESSAGE_BYTES_MAX + PPROF_LINES_MAX * 4 * FIELD_BYTES_MAX], *content,
		*out;
	size_t count =
		location->line_count < PPROF_LINES_MAX ? location->line_count : PPROF_LINES_MAX;

	if (id)
		return id;
	id = known_add(&profile->locations, &profile->location_count, &profile->location_capacity,
		       &profile->location_index, &known);
	content = out = protobuf_open(buffer, PROFILE_LOCATION);
	out = protobuf_uint(out, LOCATION_ID, id);
	if (location->mapping)
		out = protobuf_uint(out, LOCATION_MAPPING, location->mapping);
	out = protobuf_uint(out, LOCATION_ADDRESS, location->address);
	for (size_t i = 0; i < count; i++) {
		uint64_t function = profile_function_of(profile, &location->lines[i].function);
		unsigned char *line = out = protobuf_open(out, LOCATION_LINE);

		out = protobuf_uint(out, LINE_FUNCTION, function);
		out = protobuf_uint(out, LINE_NUMBER, location->lines[i].line);
		protobuf_close(line, out);
	}
	protobuf_close(content, out);
	profile_put(profile, buffer, out);
	return id;
}

static unsigned char *put_label(struct pprof_profile *profile, unsigned char *out,
				const struct pprof_label *label)
{
	unsigned char *content = out = protobuf_open(out, SAMPLE_LABEL);

	out = protobuf_uint(out, LABEL_KEY, string_of(profile, label->key));
	if (label->text)
		out = protobuf_uint(out, LABEL_TEXT, string_of(profile, label->text));
	else
		out = protobuf_uint(out, LABEL_NUMBER, (uint64_t)label->number);
	protobuf_close(content, out);
	return out;
}

void pprof_sample(struct pprof_profile *profile, const uint64_t *locations, size_t location_count,
		  const int64_t *values, size_t value_count, const struct pprof_label *labels,
		  size_t label_count)
{
	unsigned char buffer[(PPROF_LOCATIONS_MAX + PPROF_VALUES_MAX) * PROTOBUF_VARINT_MAX +
			     (LABELS_MAX + 2) * 4 * FIELD_BYTES_MAX];
	unsigned char *content, *packed, *out;

	content = out = protobuf_open(buffer, PROFILE_SAMPLE);
	packed = out = protobuf_open(out, SAMPLE_LOCATIONS);
	for (size_t i = 0; i < location_count && i < PPROF_LOCATIONS_MAX; i++)
		out = protobuf_varint(out, locations[i]);
	protobuf_close(packed, out);
	packed = out = protobuf_open(out, SAMPLE_VALUES);
	for (size_t i = 0; i < value_count && i < PPROF_VALUES_MAX; i++)
		out = protobuf_varint(out, (uint64_t)values[i]);
	protobuf_close(packed, out);
	for (size_t i = 0; i < label_count && i < LABELS_MAX; i++)
		out = put_label(profile, out, &labels[i]);
	protobuf_close(content, out);
	profile_put(profile, buffer, out);
}

static void put_value_type(struct pprof_profile *profile, uint32_t field, const char *type,
			   const char *unit)
{
	unsigned char buffer[MESSAGE_BYTES_MAX], *content, *out;

	content = out = protobuf_open(buffer, field);
	out = protobuf_uint(out, VALUE_TYPE, string_of(profile, type));
	out = protobuf_uint(out, VALUE_UNIT, string_of(profile, unit));
	protobuf_close(content, out);
	profile_put(profile, buffer, out);
}

void pprof_sample_type(struct pprof_profile *profile, const char *type, const char *unit)
{
	put_value_type(profile, PROFILE_SAMPLE_TYPE, type, unit);
}

void pprof_default_type(struct pprof_profile *profile, const char *type)
{
	profile_put_number(profile, PROFILE_DEFAULT_TYPE, string_of(profile, type));
}

void pprof_period(struct pprof_profile *profile, const char *type, const char *unit,
		  uint64_t period)
{
	put_value_type(profile, PROFILE_PERIOD_TYPE, type, unit);
	profile_put_number(profile, PROFILE_PERIOD, period);
}

void pprof_times(struct pprof_profile *profile, uint64_t start_ns, uint64_t duration_ns)
{
	profile_put_number(profile, PROFILE_TIME_NS, start_ns);
	profile_put_number(profile, PROFILE_DURATION_NS, duration_ns);
}

void pprof_comment(struct pprof_profile *profile, const char *text)
{
	profile_put_number(profile, PROFILE_COMMENT, string_of(profile, text));
}

enum kymo_status pprof_begin(struct pprof_profile *profile, struct export_sink *sink)
{
	enum kymo_status status = gzip_begin(&profile->gzip, sink);

	if (status == KYMO_OK)
		string_of(profile, "");
	return status;
}

static void put_strings(struct pprof_profile *profile)
{
	unsigned char buffer[FIELD_BYTES_MAX], *out;

	for (size_t i = 0; i < profile->string_count; i++) {
		size_t length = strlen(profile->strings[i]);

		out = protobuf_tag(buffer, PROFILE_STRING, PROTOBUF_BYTES);
		profile_put(profile, buffer, protobuf_varint(out, length));
		gzip_write(&profile->gzip, profile->strings[i], length);
	}
}

void pprof_end(struct pprof_profile *profile)
{
	put_strings(profile);
	gzip_end(&profile->gzip);
	hashset_release(&profile->string_index);
	hashset_release(&profile->function_index);
	hashset_release(&profile->location_index);
	hashset_release(&profile->mapping_index);
}
