/* Points in time and durations as users type them: "1.2", "350ms", "4 us", "1.5min". */
#ifndef KYMO_MOMENT_H
#define KYMO_MOMENT_H

#include <stdint.h>

#include "base/status.h"

/* A number without unit is seconds; units: ns, us, ms, s, min, h.  option: for the message. */
enum kymo_status moment_parse(const char *option, const char *text, uint64_t *ns_out,
			      struct problem *problem);

#endif
