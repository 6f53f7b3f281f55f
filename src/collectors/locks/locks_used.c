/* Selecting what is called in place of each real function. */
#include "collectors/locks/locks_used.h"

#include <stdbool.h>
#include <string.h>

#include "collectors/locks/locks_real.h"
#include "collectors/locks/locks_recorded.h"
#include "runtime/modules.h"
#include "runtime/runtime.h"

/* Before this library's constructor, which runs after those of most other libraries, the first
 * call resolves the real functions.  The loader may then free an error message, with a free() of
 * the program that locks: that lock is skipped, since there are no other threads yet. */
#define FIRST(name, parameters, arguments)                                                         \
	static int first_##name parameters                                                         \
	{                                                                                          \
		if (locks_is_resolving())                                                          \
			return 0;                                                                  \
		locks_resolve();                                                                   \
		return locks_real.name arguments;                                                  \
	}
#define BLOCKING(group, name, parameters, arguments, try, busy, is_direct)                         \
	FIRST(name, parameters, arguments)
#define PLAIN(group, name, parameters, arguments) FIRST(name, parameters, arguments)
#include "collectors/locks/locks.def"
#undef BLOCKING
#undef PLAIN

#define BLOCKING(group, name, parameters, arguments, try, busy, is_direct) .name = first_##name,
#define PLAIN(group, name, parameters, arguments)			   .name = first_##name,
struct lock_calls locks_used = {
#include "collectors/locks/locks.def"
};
struct lock_calls locks_used_free = {
#include "collectors/locks/locks.def"
};
#undef BLOCKING
#undef PLAIN

#define SET(table, name, function) __atomic_store_n(&(table).name, function, __ATOMIC_RELAXED)

enum group { LOCKS = 1, RW_LOCKS = 2, SPIN_LOCKS = 4 };

/* Use the recording functions, if any, for these groups. */
static void used_choose(struct lock_calls *used, const struct lock_calls *recorded, unsigned groups)
{
#define CHOOSE(group, name)                                                                        \
	SET(*used, name, (groups & group) && recorded->name ? recorded->name : locks_real.name);
#define BLOCKING(group, name, parameters, arguments, try, busy, is_direct) CHOOSE(group, name)
#define PLAIN(group, name, parameters, arguments)			   CHOOSE(group, name)
#include "collectors/locks/locks.def"
#undef BLOCKING
#undef PLAIN
}

static bool used_is_set(const char *setting, const char *to)
{
	const char *value = kymo_runtime_setting(setting);

	return value && !strcmp(value, to);
}

static void used_on_open(void)
{
	unsigned groups = (used_is_set("TRACE_THREAD_LOCKS", "ON") ? LOCKS : 0) |
			  (used_is_set("TRACE_THREAD_RW_LOCKS", "ON") ? RW_LOCKS : 0) |
			  (used_is_set("TRACE_THREAD_SPIN_LOCKS", "ON") ? SPIN_LOCKS : 0);

	if (kymo_runtime_mode() == 0) /* samples only: they show which threads wait */
		return;
	if (groups)
		kymo_modules_watch();
	if (used_is_set("LOCKS_RECORD", "all")) {
		used_choose(&locks_used, &locks_all, groups);
		used_choose(&locks_used_free, &locks_all_free, groups);
	} else {
		used_choose(&locks_used, &locks_contended, groups);
	}
}

__attribute__((constructor)) static void begin(void)
{
	locks_resolve();
	used_choose(&locks_used, &locks_real, 0);
	used_choose(&locks_used_free, &locks_real, 0);
	kymo_runtime_on_open(used_on_open);
}
