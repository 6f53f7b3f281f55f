/* Location of a thread's GIL, for callers with a reader. */
#ifndef KYMO_PYGIL_H
#define KYMO_PYGIL_H

#include "pystack/pyread.h"

/* Address of struct _gil_runtime_state, 0 = cannot be read. */
uint64_t pygil_address(const struct pyruntime *runtime, struct pyreader *reader, uint64_t thread);

/* True, with the thread state that holds it or 0 in *holder_out. */
bool pygil_holder(const struct pyruntime *runtime, struct pyreader *reader, uint64_t gil,
		  uint64_t *holder_out);

#endif
