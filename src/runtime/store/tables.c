/* Interning: the same string or region is written once.  Region ids are dense, so that events can
 * encode them in few bits; string references are offsets, so that a reader needs no index. */
#include "runtime/store/tables.h"

#include <string.h>

#include "base/hashset.h"
#include "base/pages.h"
#include "runtime/control/selected.h"
#include "runtime/store/store.h"

#define STRING_MAX    65536u /* longer names are cut */
#define REGIONS_FIRST 512u

/* All guarded by the store's lock. */
static struct hashset strings, regions;
static const struct kymo_region **records; /* by id */
static uint32_t record_count;
static size_t record_capacity;

struct text {
	const char *bytes;
	size_t length;
};

static const struct kymo_string *tables_string_at(uint64_t reference)
{
	return (const struct kymo_string *)(store.file.base + reference);
}

static bool string_matches(uint64_t reference, const void *key)
{
	const struct kymo_string *string = tables_string_at(reference);
	const struct text *text = key;

	return string->length == text->length && !memcmp(string->text, text->bytes, text->length);
}

static uint64_t string_write(const struct text *text)
{
	uint64_t size = (sizeof(struct kymo_string) + text->length + 1 + 7) & ~(uint64_t)7;
	struct kymo_string *string = store_append(KYMO_CHUNK_STRINGS, size, 0, 0);

	if (!string)
		return 0;
	string->length = (uint32_t)text->length;
	memcpy(string->text, text->bytes, text->length);
	store_publish(KYMO_CHUNK_STRINGS, size);
	return store_offset(string);
}

uint64_t string_intern(const char *bytes)
{
	struct text text = {bytes, bytes ? strnlen(bytes, STRING_MAX) : 0};
	uint64_t hash, reference;

	if (!bytes)
		return 0;
	hash = hash_bytes(HASH_SEED, bytes, text.length);
	reference = hashset_find(&strings, hash, string_matches, &text);
	if (!reference) {
		reference = string_write(&text);
		if (reference)
			hashset_insert(&strings, hash, reference);
	}
	return reference;
}

uint64_t string_bytes(const void *bytes, size_t length)
{
	const struct text text = {bytes, length};

	return bytes && length ? string_write(&text) : 0;
}

const char *string_text(uint64_t reference)
{
	return tables_string_at(reference)->text;
}

const struct kymo_region *region_record(uint32_t id)
{
	return id < record_count ? records[id] : NULL;
}

uint32_t region_count(void)
{
	return record_count;
}

static bool region_matches(uint64_t id, const void *key)
{
	return !memcmp(records[id], key, sizeof(struct kymo_region));
}

static bool records_reserve(void)
{
	size_t capacity = record_capacity ? record_capacity * 2 : REGIONS_FIRST;
	const struct kymo_region **larger, **before = records;
	size_t used = record_capacity * sizeof(*records);

	if (record_count < record_capacity)
		return true;
	larger = pages_new(capacity * sizeof(*larger));
	if (!larger)
		return false;
	if (record_count)
		memcpy(larger, records, record_count * sizeof(*larger));
	/* A signal handler that leaves by a long jump must find no freed memory here. */
	records = larger;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	record_capacity = capacity;
	pages_free(before, used);
	return true;
}

/* Append a record; its id is the number of records before it. */
static bool tables_region_write(const struct kymo_region *region)
{
	struct kymo_region *record;

	if (!records_reserve())
		return false;
	record = store_append(KYMO_CHUNK_REGIONS, sizeof(*record), sizeof(*record), record_count);
	if (!record)
		return false;
	*record = *region;
	store_publish(KYMO_CHUNK_REGIONS, sizeof(*record));
	records[record_count++] = record;
	return true;
}

static uint32_t tables_region_add(const struct kymo_region *region)
{
	uint64_t hash = hash_bytes(HASH_SEED, region, sizeof(*region));
	uint64_t id = hashset_find(&regions, hash, region_matches, region);

	if (id)
		return (uint32_t)id;
	if (!tables_region_write(region))
		return 0;
	id = record_count - 1;
	if (id)
		hashset_insert(&regions, hash, id);
	return (uint32_t)id;
}

uint32_t region_intern(const struct kymo_region_spec *spec)
{
	struct kymo_region region;
	uint32_t id;

	memset(&region, 0, sizeof(region));
	region.kind = spec->kind;
	region.flags = spec->flags;
	region.name = string_intern(spec->name ? spec->name : "?");
	region.qualname = string_intern(spec->qualname);
	region.module = string_intern(spec->module);
	region.file = string_intern(spec->file);
	region.arguments = string_intern(spec->arguments);
	region.line = spec->line;
	region.argument_count = spec->argument_count;
	region.local_count = spec->local_count;
	region.stack_size = spec->stack_size;
	id = region.name ? tables_region_add(&region) : 0;
	if (id && selected_regions)
		selected_learn(id, spec);
	return id;
}

uint32_t kymo_region_intern(const struct kymo_region_spec *spec)
{
	uint32_t id;

	if (!store_lock())
		return 0;
	id = store.header ? region_intern(spec) : 0;
	store_unlock();
	return id;
}

bool tables_init(void)
{
	static const struct kymo_region_spec root = {.kind = KYMO_REGION_ROOT, .name = "thread"};

	region_intern(&root);
	return record_count == 1;
}

struct tables_snapshot tables_detach(const char *base)
{
	struct tables_snapshot snapshot = {records, record_count, record_capacity, base};

	hashset_release(&strings);
	hashset_release(&regions);
	records = NULL;
	record_count = 0;
	record_capacity = 0;
	return snapshot;
}

static uint64_t string_copy(const struct tables_snapshot *snapshot, uint64_t reference)
{
	const struct kymo_string *string;

	if (!reference)
		return 0;
	string = (const struct kymo_string *)(snapshot->base + reference);
	return string_intern(string->text);
}

bool tables_restore(struct tables_snapshot *snapshot)
{
	bool is_complete = true;

	for (uint32_t id = 0; id < snapshot->count && is_complete; id++) {
		struct kymo_region region = *snapshot->regions[id];

		region.name = string_copy(snapshot, region.name);
		region.qualname = string_copy(snapshot, region.qualname);
		region.module = string_copy(snapshot, region.module);
		region.file = string_copy(snapshot, region.file);
		region.arguments = string_copy(snapshot, region.arguments);
		is_complete = tables_region_write(&region);
		if (is_complete && id)
			hashset_insert(&regions, hash_bytes(HASH_SEED, &region, sizeof(region)),
				       id);
	}
	pages_free(snapshot->regions, snapshot->capacity * sizeof(*snapshot->regions));
	return is_complete;
}
