/* Programs that cannot be recorded: noted once each, in the recording of the process that starts
 * them.
 *
 * A child that shares its parent's memory writes nothing to the recording, because it could end
 * while holding its lock: the text is kept until the parent's next call. */
#include "collectors/lifecycle/lifecycle_target.h"

#include <stdio.h>
#include <string.h>

#include "base/basename.h"
#include "base/hashset.h"
#include "base/keeperrno.h"
#include "collectors/lifecycle/lifecycle_environment.h"
#include "runtime/lifecycle/lifecycle.h"
#include "runtime/store/note.h"

#define NOTED_MAX   64u
#define PENDING_MAX 8u
#define TEXT_BYTES  512u
#define NOTE_KEY    "program"

static uint64_t noted[NOTED_MAX]; /* atomic; hashes of path and reason, 0 = free */
static struct pending {
	uint32_t is_full; /* atomic */
	char text[TEXT_BYTES];
} pending[PENDING_MAX];

static uint64_t target_hash_of(const char *path, enum exec_obstacle obstacle)
{
	uint64_t hash = (uint64_t)obstacle + 1;

	for (; *path; path++)
		hash = hash_word(hash ^ (unsigned char)*path);
	return hash | 1;
}

/* True the first time, and if there are too many to remember. */
static bool is_new(uint64_t hash)
{
	for (unsigned i = 0; i < NOTED_MAX; i++) {
		uint64_t found = 0;

		if (__atomic_compare_exchange_n(&noted[i], &found, hash, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
		if (found == hash)
			return false;
	}
	return false;
}

static void target_keep(const char *text)
{
	for (unsigned i = 0; i < PENDING_MAX; i++) {
		if (__atomic_load_n(&pending[i].is_full, __ATOMIC_ACQUIRE))
			continue;
		memcpy(pending[i].text, text, TEXT_BYTES);
		__atomic_store_n(&pending[i].is_full, 1, __ATOMIC_RELEASE);
		return;
	}
}

void lifecycle_target_consider(struct exec_facts *facts)
{
	if (facts->obstacle < EXEC_FOREIGN && !lifecycle_environment_is_in_reach())
		facts->obstacle = EXEC_OUT_OF_REACH;
}

bool lifecycle_target_can_join(const struct exec_facts *facts)
{
	return !kymo_runtime_is_restricted() && !exec_rejects_preload(facts->obstacle);
}

/* Tools of the C library that are statically linked everywhere, because they repair what the
 * others need.  The C library's own callers start them (ctypes asks ldconfig for names of
 * libraries): they are not expected in a profile. */
static bool is_tool_of_libc(const char *path, enum exec_obstacle obstacle)
{
	static const char *const tools[] = {"ldconfig", "ldconfig.real", "sln"};
	const char *name = path_base_name(path);

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (obstacle == EXEC_STATIC && strcmp(name, tools[i]) == 0)
			return true;
	return false;
}

void lifecycle_target_note(const char *path, const struct exec_facts *facts)
{
	char text[TEXT_BYTES] = "";
	KEEP_ERRNO();

	if (is_tool_of_libc(path, facts->obstacle))
		return;
	if (!is_new(target_hash_of(path, facts->obstacle)))
		return;
	snprintf(text, sizeof(text), "'%.300s' %s%s: it was not recorded", path,
		 exec_obstacle_text(facts->obstacle), facts->is_musl ? " (musl)" : "");
	if (kymo_runtime_is_here())
		kymo_note_add(KYMO_NOTE_LOSS, NOTE_KEY, text);
	else if (kymo_runtime_state() == KYMO_RUNTIME_ACTIVE)
		target_keep(text);
}

void lifecycle_target_flush(void)
{
	KEEP_ERRNO();

	for (unsigned i = 0; i < PENDING_MAX; i++) {
		if (!__atomic_load_n(&pending[i].is_full, __ATOMIC_ACQUIRE) ||
		    !kymo_runtime_is_here())
			continue;
		kymo_note_add(KYMO_NOTE_LOSS, NOTE_KEY, pending[i].text);
		__atomic_store_n(&pending[i].is_full, 0, __ATOMIC_RELEASE);
	}
}
