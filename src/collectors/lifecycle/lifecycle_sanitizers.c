/* What sanitizers ask the program for, by functions that it may define: a preloaded library
 * answers where it does not.  Nothing of a sanitizer is linked or called here.
 * Serves lifecycle.h. */
#include "collectors/wrap.h"

WRAP_EXPORT const char *__asan_default_options(void);
WRAP_EXPORT const char *__tsan_default_suppressions(void);

/* Its library need not come before ours: we define nothing of what it stands in for. */
WRAP_EXPORT const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}

/* The runtime's tables are kept by atomics that are not seen.  The collectors are not named
 * here: locks and threads pass through them and must be seen. */
WRAP_EXPORT const char *__tsan_default_suppressions(void)
{
	return "called_from_lib:libkymo.so\n";
}
