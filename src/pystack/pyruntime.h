/* An interpreter from the addresses of its symbols: its version, its layout, and whether the data
 * found through it is consistent. */
#ifndef KYMO_PYRUNTIME_H
#define KYMO_PYRUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "pystack/pymemory.h"

/* Whether an interpreter is initialised and not finalising: a few reads.  Also of another process.
 * Context: any. */
bool pyruntime_is_ready(const struct pyruntime *runtime, const struct pymemory *memory);
/* Whether one of this process, which was ready once and cannot be unloaded, still is. */
bool pyruntime_is_running(const struct pyruntime *runtime);

/* Their names. */
extern const char *const pysymbol_names[PYSYMBOL_COUNT];

/* Create a runtime from the addresses; its memory is read for the layout.  False: unreadable, or an
 * unsupported layout.  this_thread is not set.  Context: any. */
bool pyruntime_from(const uint64_t addresses[PYSYMBOL_COUNT], const struct pymemory *memory,
		    struct pyruntime *out, const char **reason_out);

#endif
