/* Sanitizers that a program was built with: they are initialised before Kymo, and intercept
 * every call of the C library. */
#include "collectors/functions/modules/funcpatch_sanitizer.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "collectors/functions/funcpatch.h"

/* In the program's own file, not in a library. */
static bool is_in_program(const void *address)
{
	struct link_map *program = _r_debug.r_map, *found = NULL;
	Dl_info info;

	return dladdr1(address, &info, (void **)&found, RTLD_DL_LINKMAP) && found == program;
}

/* A program may have them in its own file.  They are initialised before all constructors, except
 * that of this library, which would call their functions before these are resolved.
 * Initialising them twice has no effect. */
void funcpatch_sanitizer_init(void)
{
	static const char *const names[] = {"__tsan_init", "__msan_init"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *init = dlsym(RTLD_DEFAULT, names[i]);

		if (init && is_in_program(init))
			((void (*)(void))init)();
	}
}

/* They record the callers of each malloc() by frame pointers, not by the unwind tables that give
 * the location of the return address: they would miss the caller of a called-through function,
 * and report it so. */
bool funcpatch_is_sanitized(void)
{
	static const char *const names[] = {"__asan_init", "__hwasan_init", "__msan_init",
					    "__tsan_init", "__lsan_do_leak_check"};
	static int known; /* 1 no, 2 yes */

	for (size_t i = 0; !known && i < sizeof(names) / sizeof(names[0]); i++)
		if (dlsym(RTLD_DEFAULT, names[i]))
			known = 2;
	if (!known)
		known = 1;
	return known == 2;
}
