/* Loading a library when it is needed.  Two threads may load it at once: the loader returns the
 * same handle to both, and it is never unloaded. */
#include "platform/late/late.h"

#include <dlfcn.h>
#include <stdio.h>

static void late_print_missing(struct late_library *library, const char *reason)
{
	if (__atomic_exchange_n(&library->is_missing, true, __ATOMIC_RELAXED))
		return;
	fprintf(stderr, "kymo: %s: %s (Debian has it in %s)\n", reason ? reason : library->file,
		library->without, library->package);
}

void *late_find(struct late_library *library, const char *name)
{
	void *handle = __atomic_load_n(&library->handle, __ATOMIC_ACQUIRE), *found;

	if (!handle && !__atomic_load_n(&library->is_missing, __ATOMIC_RELAXED)) {
		handle = dlopen(library->file, RTLD_LAZY | RTLD_LOCAL);
		__atomic_store_n(&library->handle, handle, __ATOMIC_RELEASE);
	}
	found = handle ? dlsym(handle, name) : NULL;
	if (!found)
		late_print_missing(library, dlerror());
	return found;
}
