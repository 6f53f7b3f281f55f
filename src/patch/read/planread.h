/* Reading a plan from bytes.  They may be hostile: every offset, count and address is checked.
 *
 * Nothing is copied or allocated, and no function of the C library is called: the plan points into
 * the bytes, which remain the caller's.  Context: any. */
#ifndef KYMO_PLANREAD_H
#define KYMO_PLANREAD_H

#include "patch/plan/plan.h"

/* Read a plan from size bytes; false: it is not a valid plan.  is_sure: it was checked before and
 * is in the user's own cache: bounds are checked, the checksum is not. */
bool plan_read(const void *bytes, size_t size, bool is_sure, struct plan *out);

/* The header's checksum: FNV-1a of several lanes, by words of 8 bytes, of all that follows that
 * field.  size is the whole plan's, a multiple of 16. */
uint64_t plan_checksum(const void *bytes, size_t size);

#endif
