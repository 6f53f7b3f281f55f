/* Options of sanitizers, by functions that the program may define: a preloaded library defines
 * them if it does not.  Nothing of a sanitizer is linked or called here.  Serves lifecycle.h. */
#include "collectors/wrap.h"

WRAP_EXPORT const char *__asan_default_options(void);
WRAP_EXPORT const char *__tsan_default_suppressions(void);

/* Its library need not be loaded before Kymo's: these define nothing that it intercepts. */
WRAP_EXPORT const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}

/* The runtime's tables are guarded by atomics that are not instrumented.  The collectors are not
 * listed: locks and threads pass through them and must be seen. */
WRAP_EXPORT const char *__tsan_default_suppressions(void)
{
	return "called_from_lib:libkymo.so\n";
}
