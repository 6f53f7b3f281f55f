/* The layout that an interpreter publishes: _Py_DebugOffsets, words after a cookie. */
#ifndef KYMO_PYLAYOUT_PUBLISHED_H
#define KYMO_PYLAYOUT_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

struct pylayout;

/* From the offsets that 3.13 and later publish at the beginning of _PyRuntime, 3.16 and later
 * included; false: impossible values, or no GIL; *reason_out, where not NULL, then is constant
 * text.  Alphas and betas are treated as unknown versions. bytes is a copy of size bytes of it. */
#define PYLAYOUT_PUBLISHED_MAX 1024u
bool pylayout_published(const void *bytes, uint32_t size, struct pylayout *out,
			const char **reason_out);

#endif
