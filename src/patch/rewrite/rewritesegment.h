/* The segment that rewriting adds to a file: the plan with its code, and the jumps to it. */
#ifndef KYMO_REWRITESEGMENT_H
#define KYMO_REWRITESEGMENT_H

#include "patch/rewrite/rewrite_work.h"

/* Append size zeroed bytes to the segment; their offset, SIZE_MAX = out of memory. */
size_t rewritesegment_add(struct rewrite_work *work, const void *bytes, size_t size, size_t align);
/* Add the plan's tables and code, relocated to their new addresses. */
enum kymo_status rewritesegment_tables(struct rewrite_work *work, const uint8_t *choice,
				       struct problem *problem);
enum kymo_status rewritesegment_code(struct rewrite_work *work, struct problem *problem);
/* Make the writes of the functions that choice takes.  Adds how many were made, and how many were
 * not because the bytes differ from the plan's. */
void rewritesegment_write(struct rewrite_work *work, uint8_t *choice, uint64_t *taken,
			  uint64_t *refused);

#endif
