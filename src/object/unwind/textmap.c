/* Double buffering: one table is read while the other is written, and a sequence number makes a
 * reader whose table was replaced start again.  Descriptions of modules are never freed, and a
 * module that is loaded again gets its old one.
 *
 * Since glibc 2.35 the loader reports without a lock which module contains an address
 * (_dl_find_object): so it is known when reading the modules again is worthwhile. */
#include "object/unwind/textmap.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "base/pages.h"
#include "base/partitionpoint.h"
#include "object/unwind/rowcache.h"
#include "object/unwind/textmodule.h"
#include "platform/files/canceldisable.h"
#include "platform/modulescan.h"
#include "platform/systemclock.h"

#define FIRST_CAPACITY 512u
#define BLOCK_BYTES    (32u << 10)
#define ATTEMPTS       4

/* Pause between readings: a multiple of the CPU time of the last one (on a busy machine its
 * wall-clock time may have been long), and, if the loader does not report changes, a time that
 * doubles while there are none. */
#define PAUSE_FACTOR	 20u
#define PAUSE_UNASKED_NS 10000000u
#define PAUSE_MAX_NS	 (1024ull * PAUSE_UNASKED_NS)

struct range {
	uint64_t start, end;
	const struct textmap_module *module; /* NULL = code outside of modules */
};

struct ranges { /* never freed: replaced by larger ones */
	uint64_t capacity;
	struct range items[];
};

struct table {
	uint64_t sequence; /* odd = being written */
	struct ranges *ranges;
	uint64_t count;
};

struct known { /* one that was described once */
	struct textmap_module module;
	uint64_t seen; /* the latest reading that found it */
};

struct block {
	struct block *next;
	uint64_t count;
	struct known items[(BLOCK_BYTES - 2 * sizeof(void *)) / sizeof(struct known)];
};

/* struct dl_find_object of dlfcn.h. */
struct loader_object {
	unsigned long long flags;
	void *map_start, *map_end, *link_map, *tables;
	unsigned long long more[16];
};
typedef int (*find_object_fn)(void *address, struct loader_object *answer);

static struct table tables[2];
static uint32_t active;		    /* index of the one that is read */
static struct block *blocks;	    /* guarded by reader, as all below */
static pid_t reader;		    /* process whose thread is reading the modules; 0 = none */
static uint64_t readings;	    /* so far */
static uint64_t next_ns;	    /* no reading before this time */
static uint64_t next_unreported_ns; /* none without a report of the loader */
static uint64_t pause_unasked_ns = PAUSE_UNASKED_NS;
static find_object_fn find_object; /* set once, before any handler */
static bool is_prepared;

static bool textmap_search(const struct table *table, uint64_t address, struct range *found)
{
	const struct ranges *ranges = __atomic_load_n(&table->ranges, __ATOMIC_RELAXED);
	uint64_t low, high = __atomic_load_n(&table->count, __ATOMIC_RELAXED);
	const struct range *range;

	if (!ranges)
		return false;
	if (high > ranges->capacity)
		high = ranges->capacity; /* the count is that of a newer table */
	low = partition_point(high, i,
			      __atomic_load_n(&ranges->items[i].end, __ATOMIC_RELAXED) <= address);
	if (low == high)
		return false;
	range = &ranges->items[low];
	found->start = __atomic_load_n(&range->start, __ATOMIC_RELAXED);
	found->end = __atomic_load_n(&range->end, __ATOMIC_RELAXED);
	found->module = __atomic_load_n(&range->module, __ATOMIC_RELAXED);
	return address >= found->start && address < found->end;
}

static bool find_range(uint64_t address, struct range *found)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		const struct table *table = &tables[__atomic_load_n(&active, __ATOMIC_ACQUIRE) & 1];
		uint64_t sequence = __atomic_load_n(&table->sequence, __ATOMIC_ACQUIRE);
		bool is_found;

		if (sequence & 1)
			continue;
		is_found = textmap_search(table, address, found);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&table->sequence, __ATOMIC_RELAXED) == sequence)
			return is_found;
	}
	return false;
}

const struct textmap_module *textmap_find(uint64_t address)
{
	struct range range;

	return find_range(address, &range) ? range.module : NULL;
}

bool textmap_is_code(uint64_t address)
{
	struct range range;

	if (!find_range(address, &range))
		return false;
	return !range.module ||
	       (address >= range.module->text_start && address < range.module->text_end);
}

enum verdict { UNCHANGED, CHANGED, NOT_KNOWN };

static enum verdict textmap_judge(const struct textmap_module *module, uint64_t address)
{
	struct loader_object answer;
	bool is_reported = find_object && find_object((void *)(uintptr_t)address, &answer) == 0;

	if (!module)
		return is_reported ? CHANGED : NOT_KNOWN;
	if (is_reported && (uintptr_t)answer.tables != module->section.header_address)
		return CHANGED;
	return textmodule_is_there(module, !is_reported) ? UNCHANGED : CHANGED;
}

bool textmap_from_loader(uint64_t address, struct textmap_module *out)
{
	struct loader_object answer;

	if (pages_are_frozen() || !find_object ||
	    find_object((void *)(uintptr_t)address, &answer) != 0)
		return false;
	return textmodule_describe_headers((uintptr_t)answer.map_start, (uintptr_t)answer.map_end,
					   out) &&
	       out->section.header_address == (uintptr_t)answer.tables && out->section.frames &&
	       address >= out->text_start && address < out->text_end;
}

struct reading {
	struct table *table; /* the inactive one */
	bool is_complete;
};

static bool textmap_is_same(const struct textmap_module *a, const struct textmap_module *b)
{
	return a->start == b->start && a->end == b->end && a->text_start == b->text_start &&
	       a->text_end == b->text_end && a->fingerprint == b->fingerprint &&
	       a->build_id == b->build_id &&
	       a->section.header_address == b->section.header_address &&
	       a->section.frames_address == b->section.frames_address &&
	       a->section.frames_size == b->section.frames_size;
}

/* A permanent copy of a description; NULL = no memory. */
static struct known *textmap_keep(const struct textmap_module *module)
{
	struct block *block;

	for (block = blocks; block; block = block->next)
		for (uint64_t i = 0; i < block->count; i++)
			if (textmap_is_same(&block->items[i].module, module))
				return &block->items[i];
	block = blocks;
	if (!block || block->count == sizeof(block->items) / sizeof(block->items[0])) {
		block = pages_new(sizeof(*block));
		if (!block)
			return NULL;
		block->next = blocks;
		blocks = block;
	}
	block->items[block->count].module = *module;
	block->items[block->count].module.is_late = readings > 1;
	return &block->items[block->count++];
}

static bool textmap_reserve(struct table *table)
{
	const struct ranges *old = table->ranges;
	uint64_t capacity = old ? 2 * old->capacity : FIRST_CAPACITY;
	struct ranges *larger;

	if (old && table->count < old->capacity)
		return true;
	larger = pages_new(sizeof(*larger) + capacity * sizeof(struct range));
	if (!larger)
		return false;
	larger->capacity = capacity;
	if (old)
		memcpy(larger->items, old->items, table->count * sizeof(struct range));
	__atomic_store_n(&table->ranges, larger, __ATOMIC_RELEASE);
	return true;
}

/* In the order of addresses: an overlap is a mapping that was changed during the reading. */
static void textmap_add(struct reading *reading, uint64_t start, uint64_t end,
			const struct textmap_module *module)
{
	struct table *table = reading->table;
	struct range *range;

	if (!textmap_reserve(table)) {
		reading->is_complete = false;
		return;
	}
	range = &table->ranges->items[table->count];
	if (end <= start || (table->count > 0 && start < range[-1].end))
		return;
	__atomic_store_n(&range->start, start, __ATOMIC_RELAXED);
	__atomic_store_n(&range->end, end, __ATOMIC_RELAXED);
	__atomic_store_n(&range->module, module, __ATOMIC_RELAXED);
	__atomic_store_n(&table->count, table->count + 1, __ATOMIC_RELAXED);
}

static void add_module(struct reading *reading, const struct textmap_module *module)
{
	struct known *known = textmap_keep(module);

	if (!known) {
		reading->is_complete = false;
		return;
	}
	known->seen = readings;
	textmap_add(reading, module->start, module->end, &known->module);
}

static void take_module(const struct modulescan_found *found, void *reading)
{
	struct textmap_module module;

	textmodule_describe(found, &module);
	add_module(reading, &module);
}

/* Code generated at run time whose unwind tables its creator has made known to the loader:
 * trampolines of instrumented functions. */
static bool describe_made(uint64_t start, uint64_t end, struct textmap_module *module)
{
	struct loader_object answer;

	return find_object && find_object((void *)(uintptr_t)start, &answer) == 0 &&
	       answer.tables &&
	       textmodule_describe_made(start, end, (uintptr_t)answer.tables,
					(uintptr_t)answer.map_end, module);
}

static void textmap_take_code(uint64_t start, uint64_t end, void *reading)
{
	struct textmap_module module;

	if (textmodule_describe_kernels(start, end, &module) || describe_made(start, end, &module))
		add_module(reading, &module);
	else
		textmap_add(reading, start, end, NULL);
}

/* A module of the previous table was unloaded: its rows must not be found again. */
static bool has_lost(const struct table *before)
{
	for (uint64_t i = 0; i < before->count; i++) {
		const struct textmap_module *module = before->ranges->items[i].module;

		if (module && ((const struct known *)module)->seen != readings)
			return true;
	}
	return false;
}

static bool has_changed(const struct table *before, const struct table *now)
{
	return before->count != now->count ||
	       (now->count > 0 && memcmp(before->ranges->items, now->ranges->items,
					 now->count * sizeof(struct range)) != 0);
}

/* True when the modules have changed. */
static bool textmap_read_modules(void)
{
	const struct table *before = &tables[active & 1];
	struct reading reading = {&tables[(active + 1) & 1], true};
	uint64_t sequence = reading.table->sequence | 1; /* odd already: interrupted by a fork */

	readings++;
	__atomic_store_n(&reading.table->sequence, sequence, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&reading.table->count, 0, __ATOMIC_RELAXED);
	if (modulescan_all(take_module, textmap_take_code, &reading) != 0)
		reading.is_complete = false;
	__atomic_store_n(&reading.table->sequence, sequence + 1, __ATOMIC_RELEASE);
	if (!reading.is_complete || !has_changed(before, reading.table))
		return false;
	__atomic_store_n(&active, active + 1, __ATOMIC_RELEASE);
	if (has_lost(before))
		rowcache_forget();
	return true;
}

/* One thread reads at a time; another one, or a handler that interrupts it, goes without.  A forked
 * child does not wait for a thread that it does not have. */
static bool begin_reading(void)
{
	pid_t self = getpid(), other = __atomic_load_n(&reader, __ATOMIC_RELAXED);

	return other != self && __atomic_compare_exchange_n(&reader, &other, self, false,
							    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

enum reason {
	DEMANDED,
	REPORTED,
	SUSPECTED
}; /* reading requested by the caller, indicated by the
    * loader, or by neither */

/* True when the modules have changed. */
static bool learn(enum reason reason)
{
	KEEP_ERRNO();
	int cancel_state;
	bool is_news = false;
	uint64_t before, next;

	if (!is_prepared || pages_are_frozen() || !begin_reading())
		return false;
	before = systemclock_ns(CLOCK_THREAD_CPUTIME_ID);
	next = reason == REPORTED ? next_ns : next_unreported_ns;
	if (reason == DEMANDED || systemclock_ns(CLOCK_MONOTONIC) >= next) {
		cancel_state = cancel_disable();
		is_news = textmap_read_modules();
		cancel_restore(cancel_state);
		pause_unasked_ns = is_news			     ? PAUSE_UNASKED_NS
				   : pause_unasked_ns < PAUSE_MAX_NS ? 2 * pause_unasked_ns
								     : PAUSE_MAX_NS;
		next_ns = systemclock_ns(CLOCK_MONOTONIC);
		next_unreported_ns = next_ns + pause_unasked_ns;
		next_ns += PAUSE_FACTOR * (systemclock_ns(CLOCK_THREAD_CPUTIME_ID) - before);
	}
	__atomic_store_n(&reader, 0, __ATOMIC_RELEASE);
	return is_news;
}

void textmap_learn(void)
{
	if (!is_prepared) {
		find_object = (find_object_fn)dlsym(RTLD_DEFAULT, "_dl_find_object");
		is_prepared = true;
	}
	learn(DEMANDED);
}

const struct textmap_module *textmap_current(uint64_t address)
{
	const struct textmap_module *module = textmap_find(address);
	enum verdict verdict = textmap_judge(module, address);

	if (verdict == UNCHANGED)
		return module;
	if (!module && textmap_is_code(address) && verdict == NOT_KNOWN)
		return NULL;
	if (!learn(verdict == CHANGED ? REPORTED : SUSPECTED))
		return NULL;
	module = textmap_find(address);
	return module && textmap_judge(module, address) == UNCHANGED ? module : NULL;
}
