/* Taking bytes for a plan.  They may be hostile: every offset, count and address in them is
 * checked.
 *
 * Nothing is copied or allocated, and no function of the C library is called: the plan points into
 * the bytes, which stay the caller's.  Context: any. */
#ifndef KYMO_PLANREAD_H
#define KYMO_PLANREAD_H

#include "patch/plan/plan.h"

/* Take size bytes for a plan; false: they are none, or none that can be trusted.  is_sure: it was
 * checked before and lies in the user's own cache: bounds are checked, the checksum is not. */
bool plan_read(const void *bytes, size_t size, bool is_sure, struct plan *out);

/* What checksum is: FNV-1a of several lanes, by words of 8 bytes, of all that follows that
 * field.  size is the whole plan's, a multiple of 16. */
uint64_t plan_checksum(const void *bytes, size_t size);

#endif
