/* When modules are scanned again: the loader can report without a lock whether an address is in
 * one (_dl_find_object, glibc 2.35), so that an address in the heap costs no system call;
 * without it, every 1st, 2nd, 4th, 8th … unknown address causes a scan. */
#include "runtime/modules.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hashset.h"
#include "base/keeperrno.h"
#include "base/pages.h"
#include "platform/files/canceldisable.h"
#include "platform/modulescan.h"
#include "platform/ticks.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/note.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"

#define KNOWN_MAX 4096u /* modules of a process; further ones are not written */

struct known {
	uint64_t start, end;
	uint64_t path; /* hash */
	bool is_named; /* its name in the loader was known */
};

/* Only the result is used, not the answer. */
typedef int (*find_object_fn)(void *address, uint64_t answer[32]);

static struct known *known;  /* in private pages, kept over a fork */
static uint32_t known_count; /* incremented with a release store when the entry is complete */
static find_object_fn find_object;
/* Addresses in no module, if the loader cannot be asked, or a scan did not find their module. */
static uint32_t unknown_count;
static bool has_missed;	 /* a module known to the loader was not found */
static bool has_unnamed; /* one was being loaded when it was found */
static int is_scanning;
static bool is_failure_noted; /* the failure to read the modules */

static struct known *find_known(uint64_t start, uint64_t end, uint64_t path)
{
	uint32_t count = __atomic_load_n(&known_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++)
		if (known[i].start == start && known[i].end == end && known[i].path == path)
			return &known[i];
	return NULL;
}

static bool has_module_at(uint64_t address)
{
	uint32_t count = __atomic_load_n(&known_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++)
		if (address >= known[i].start && address < known[i].end)
			return true;
	return false;
}

/* The lock is held. */
static void modules_write_record(const struct kymo_module *module)
{
	struct kymo_module *record =
		store_append(KYMO_CHUNK_MODULES, sizeof(*record), sizeof(*record), 0);

	if (!record)
		return;
	*record = *module;
	store_publish(KYMO_CHUNK_MODULES, sizeof(*record));
}

static bool runtime_modules_write(const struct modulescan_found *found, const char *name)
{
	struct kymo_module module = {.start = found->start, .end = found->end};

	if (!store_lock())
		return false;
	module.bias = found->bias;
	module.path = string_intern(found->path);
	module.build_id = string_intern(found->build_id);
	module.name = name ? string_intern(name) : 0;
	module.ticks = ticks_now();
	if (module.path)
		modules_write_record(&module);
	store_unlock();
	return true;
}

/* A module that was written while it was being loaded is written again when its name is known. */
static void write_found(const struct modulescan_found *found, void *unused)
{
	uint64_t path = hash_bytes(HASH_SEED, found->path, strlen(found->path));
	struct known *entry = find_known(found->start, found->end, path);
	uint32_t count = known_count;
	const char *name;
	bool is_named;

	(void)unused;
	if (entry ? entry->is_named : count == KNOWN_MAX)
		return;
	is_named = modulescan_name(found, &name);
	if (entry) {
		entry->is_named = is_named && (!name || runtime_modules_write(found, name));
		return;
	}
	if (!runtime_modules_write(found, name))
		return;
	known[count] = (struct known){found->start, found->end, path, is_named};
	has_unnamed |= !is_named;
	__atomic_store_n(&known_count, count + 1, __ATOMIC_RELEASE);
}

static void note_scan_failure(int error)
{
	char text[128];

	if (is_failure_noted || !store_lock())
		return;
	is_failure_noted = true;
	snprintf(text, sizeof(text),
		 "addresses are not resolved: cannot read /proc/self/maps (error %d)", error);
	note_write(KYMO_NOTE_LOSS, "modules", text);
	store_unlock();
}

/* One thread at a time; a concurrent caller returns at once. */
static void scan(void)
{
	int result, cancel_state;

	if (__atomic_exchange_n(&is_scanning, 1, __ATOMIC_ACQUIRE))
		return;
	cancel_state = cancel_disable();
	result = known ? modulescan(write_found, NULL) : ENOMEM;
	if (result != 0)
		note_scan_failure(result);
	__atomic_store_n(&is_scanning, 0, __ATOMIC_RELEASE);
	cancel_restore(cancel_state);
}

void kymo_modules_watch(void)
{
	KEEP_ERRNO();

	if (!find_object)
		/* The versioned symbol is the loader's own, not a collector's interposed one. */
		find_object = (find_object_fn)dlvsym(RTLD_DEFAULT, "_dl_find_object", "GLIBC_2.35");
	if (!known)
		known = pages_new(KNOWN_MAX * sizeof(*known));
}

void kymo_modules_record(void)
{
	KEEP_ERRNO();

	if (!session_ensure())
		return;
	kymo_modules_watch();
	scan();
}

void modules_prepare(void)
{
	if (known && known_count == 0)
		kymo_modules_record();
}

static bool is_worth_scanning(uint64_t address)
{
	uint64_t answer[32];
	uint32_t count;

	if (find_object && find_object((void *)(uintptr_t)address, answer) != 0)
		return false;
	if (find_object && !__atomic_load_n(&has_missed, __ATOMIC_RELAXED))
		return true;
	count = __atomic_add_fetch(&unknown_count, 1, __ATOMIC_RELAXED);
	return (count & (count - 1)) == 0;
}

bool modules_note_address(uint64_t address)
{
	if (!known || session.is_restricted || has_module_at(address) ||
	    !is_worth_scanning(address))
		return false;
	scan();
	if (find_object && !has_module_at(address))
		__atomic_store_n(&has_missed, true, __ATOMIC_RELAXED);
	return true;
}

void modules_close(void)
{
	if (known && (has_missed || has_unnamed || (!find_object && unknown_count > 0)))
		scan();
}

void modules_forget(void)
{
	__atomic_store_n(&known_count, 0, __ATOMIC_RELEASE);
	is_failure_noted = false;
	has_missed = has_unnamed = false;
}

static uint64_t copy_string(const char *base, uint64_t reference)
{
	const struct kymo_string *string = (const struct kymo_string *)(base + reference);

	return reference ? string_intern(string->text) : 0;
}

static void modules_inherit_chunk(const char *base, const struct kymo_chunk *chunk)
{
	const struct kymo_module *module = (const struct kymo_module *)(chunk + 1);
	uint64_t count = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE) / sizeof(*module);

	for (uint64_t i = 0; i < count; i++) {
		struct kymo_module copy = module[i];

		copy.path = copy_string(base, copy.path);
		copy.build_id = copy_string(base, copy.build_id);
		copy.name = copy_string(base, copy.name);
		if (copy.path)
			modules_write_record(&copy);
	}
}

void modules_inherit(const char *base, uint64_t end)
{
	is_scanning = 0; /* the scanning thread does not exist here */
	if (!known)
		return;
	for (uint64_t offset = KYMO_HEADER_SIZE; offset < end;) {
		const struct kymo_chunk *chunk = (const struct kymo_chunk *)(base + offset);

		if (chunk->type == KYMO_CHUNK_MODULES)
			modules_inherit_chunk(base, chunk);
		offset += chunk->size;
	}
}
