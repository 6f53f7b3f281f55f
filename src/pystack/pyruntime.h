/* An interpreter from the addresses of its symbols: its version, its layout, and whether what
 * is found through it holds together. */
#ifndef KYMO_PYRUNTIME_H
#define KYMO_PYRUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "pystack/pymemory.h"

/* Whether an interpreter that was found is initialised and not ending: a few reads.  Also of
 * another process.  Context: any. */
bool pyruntime_is_ready(const struct pyruntime *runtime, const struct pymemory *memory);
/* Whether one of this process, which was ready once and cannot be unloaded, still is. */
bool pyruntime_goes_on(const struct pyruntime *runtime);

/* What they are called. */
extern const char *const pysymbol_names[PYSYMBOL_COUNT];

/* Make a runtime of the addresses, whose memory is read for the layout.  False: it cannot be
 * read, or has a layout that is not known.  this_thread is not set.  Context: any. */
bool pyruntime_from(const uint64_t addresses[PYSYMBOL_COUNT], const struct pymemory *memory,
		    struct pyruntime *out, const char **reason_out);

#endif
