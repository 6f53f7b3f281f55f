/* From names to regions.  A region that is begun in one place and ended in another is identified
 * by its kind and name alone, so these have an index of their own; the place where it was first
 * named becomes part of its record.  A site that both begins and ends a region (a function) has
 * a region of its own. */
#include "runtime/user/usernames.h"

#include <string.h>

#include "base/hashset.h"
#include "base/keeperrno.h"
#include "base/pages.h"
#include "runtime/hot.h"
#include "runtime/runtime.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"

#define NUMBER_MAX 64u

struct key {
	const char *name;
	uint32_t kind;	       /* enum kymo_region_kind */
	const char *arguments; /* or NULL */
};

static struct hashset named; /* region ids; guarded by the store's lock; survives a fork */

static const enum kymo_region_kind region_kinds[] = {
	[KYMO_SITE_REGION] = KYMO_REGION_USER,
	[KYMO_SITE_PHASE] = KYMO_REGION_PHASE,
	[KYMO_SITE_INSTANT] = KYMO_REGION_INSTANT,
	[KYMO_SITE_PROGRESS] = KYMO_REGION_PROGRESS,
	[KYMO_SITE_PROGRESS_BEGIN] = KYMO_REGION_PROGRESS,
	[KYMO_SITE_PROGRESS_END] = KYMO_REGION_PROGRESS,
};

static const char *const suffixes[] = {
	[KYMO_SITE_PROGRESS_BEGIN] = " begin",
	[KYMO_SITE_PROGRESS_END] = " end",
};

static bool usernames_is_equal(const char *text, uint64_t reference)
{
	return text && reference ? !strcmp(text, string_text(reference)) : !text == !reference;
}

static bool usernames_matches(uint64_t id, const void *of)
{
	const struct kymo_region *record = region_record((uint32_t)id);
	const struct key *key = of;

	return record->kind == key->kind && usernames_is_equal(key->name, record->name) &&
	       usernames_is_equal(key->arguments, record->arguments);
}

/* The lock is held. */
static uint32_t find_or_make(const struct key *key, const struct kymo_site *where)
{
	uint64_t hash = hash_bytes(HASH_SEED + key->kind, key->name, strlen(key->name));
	struct kymo_region_spec spec = {.name = key->name, .arguments = key->arguments};
	uint32_t region;

	if (key->arguments)
		hash = hash_bytes(hash, key->arguments, strlen(key->arguments));
	region = (uint32_t)hashset_find(&named, hash, usernames_matches, key);
	if (region)
		return region;
	spec.kind = (enum kymo_region_kind)key->kind;
	spec.file = where ? where->file : NULL;
	spec.line = where ? where->line : 0;
	region = region_intern(&spec);
	if (region)
		hashset_insert(&named, hash, region);
	return region;
}

static uint32_t usernames_look_up(const struct key *key, const struct kymo_site *where)
{
	KEEP_ERRNO();
	uint32_t region;

	if (!store_lock())
		return 0;
	region = store.header ? find_or_make(key, where) : 0;
	store_unlock();
	return region;
}

static const char *suffix_of(uint32_t kind)
{
	return kind < sizeof(suffixes) / sizeof(*suffixes) ? suffixes[kind] : NULL;
}

uint32_t username_region(enum kymo_site_kind kind, const char *name, const struct kymo_site *where)
{
	struct key key = {name, region_kinds[kind], suffix_of(kind)};

	return usernames_look_up(&key, where);
}

#define RECENT_BITS	 7
#define RECENT_COUNT	 (1u << RECENT_BITS)
#define RECENT_ENTRY_MIN 3 /* low bits of addresses that rarely differ */

/* A cache entry: name may contain another text by now, so that is compared. */
struct user_name {
	const char *name; /* as the program gave it; NULL = free */
	const char *text; /* of the region, in the recording */
	uint32_t region;
	uint32_t kind;
};

static struct user_name *recent(struct kymo_thread *thread, uint32_t kind, const char *name)
{
	uint64_t hash = hash_word(((uint64_t)(uintptr_t)name >> RECENT_ENTRY_MIN) + kind);

	if (!thread->names)
		thread->names = pages_new(RECENT_COUNT * sizeof(*thread->names));
	return thread->names ? &thread->names[hash >> (64 - RECENT_BITS)] : NULL;
}

/* A signal handler may interrupt this and use the same entry: a mixed entry has no region of
 * this text. */
static void usernames_remember(struct user_name *entry, uint32_t kind, const char *name,
			       uint32_t region)
{
	const struct kymo_region *record;

	if (!entry || !region || !store_lock())
		return;
	record = region_record(region);
	entry->name = NULL;
	entry->text = string_text(record->name);
	entry->region = region;
	entry->kind = kind;
	entry->name = name;
	store_unlock();
}

uint32_t username_recent(struct kymo_thread *thread, enum kymo_site_kind kind, const char *name)
{
	struct user_name *entry = recent(thread, kind, name);
	uint32_t region;

	if (kymo_likely(entry && entry->name == name && entry->kind == (uint32_t)kind &&
			!strcmp(entry->text, name)))
		return entry->region;
	region = username_region(kind, name, NULL);
	usernames_remember(entry, kind, name, region);
	return region;
}

uint32_t kymo_user_region(const char *name)
{
	struct kymo_thread *thread = kymo_thread();

	return thread->record ? username_recent(thread, KYMO_SITE_REGION, name) : 0;
}

void username_release(struct kymo_thread *thread)
{
	pages_free(thread->names, RECENT_COUNT * sizeof(*thread->names));
	thread->names = NULL;
}

static uint32_t function_region(const struct kymo_site *site)
{
	struct kymo_region_spec spec = {
		.kind = KYMO_REGION_USER,
		.name = site->name,
		.qualname = strcmp(site->function, site->name) != 0 ? site->function : NULL,
		.file = site->file,
		.line = site->line,
	};
	KEEP_ERRNO();
	uint32_t region = kymo_region_intern(&spec);

	return region;
}

uint32_t username_site(struct kymo_site *site)
{
	uint32_t region = __atomic_load_n(&site->region, __ATOMIC_RELAXED);

	if (region || !site->name || site->kind > KYMO_SITE_PROGRESS_END)
		return region;
	region = site->function
			 ? function_region(site)
			 : username_region((enum kymo_site_kind)site->kind, site->name, site);
	__atomic_store_n(&site->region, region, __ATOMIC_RELAXED);
	return region;
}

/* Decimal digits of number before end; returns the first. */
static char *digits(char *end, uint64_t number)
{
	do
		*--end = (char)('0' + number % 10);
	while (number /= 10);
	return end;
}

/* "=value"; a parameter must be of a type with few values: no floats, no pointers. */
static const char *parameter_text(const struct kymo_value *value, char buffer[NUMBER_MAX])
{
	char *end = buffer + NUMBER_MAX - 1, *start;
	bool is_negative = value->type == KYMO_TYPE_SIGNED && value->as.number < 0;
	uint64_t number = value->as.natural;

	*end = '\0';
	start = digits(end, is_negative ? -number : number);
	if (is_negative)
		*--start = '-';
	*--start = '=';
	return start;
}

#define TEXT_MAX 256u

static const char *parameter_of_text(const char *value, char buffer[TEXT_MAX])
{
	size_t length = strnlen(value, TEXT_MAX - 2);

	buffer[0] = '=';
	memcpy(buffer + 1, value, length);
	buffer[1 + length] = '\0';
	return buffer;
}

uint32_t username_parameter(const struct kymo_value *value)
{
	char number[NUMBER_MAX], text[TEXT_MAX];
	struct key key = {value->name, KYMO_REGION_PARAMETER, NULL};

	if (value->type == KYMO_TYPE_TEXT)
		key.arguments = parameter_of_text(value->as.text, text);
	else
		key.arguments = parameter_text(value, number);
	return usernames_look_up(&key, NULL);
}

bool username_is_same(uint32_t region, uint32_t other)
{
	const struct kymo_region *first, *second;
	bool is_same;

	if (!store_lock())
		return false;
	first = region_record(region);
	second = region_record(other);
	is_same = first && second && first->name == second->name;
	store_unlock();
	return is_same;
}
