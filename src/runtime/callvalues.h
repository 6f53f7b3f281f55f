/* Events of calls with values, for collectors.  Context: thread. */
#ifndef KYMO_CALLVALUES_H
#define KYMO_CALLVALUES_H

#include "kymo/abi.h"
#include "runtime/hot.h"

/* An event of the calling thread.  kind: KYMO_EVENT_ENTER, _LEAVE, _UNWIND, or _EXTENDED for an
 * instant.  Does nothing in a recording without a trace. */
KYMO_EXPORT void kymo_call_event(struct kymo_thread *thread, enum kymo_event_kind kind,
				 uint32_t region, const struct kymo_value *values, size_t count);

#endif
