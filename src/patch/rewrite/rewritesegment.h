/* The segment that rewriting adds to a file: the plan with its code, and the jumps to it. */
#ifndef KYMO_REWRITESEGMENT_H
#define KYMO_REWRITESEGMENT_H

#include "patch/rewrite/rewrite_work.h"

/* Room for size bytes at the segment's end, zeroed; its offset, SIZE_MAX = out of memory. */
size_t rewritesegment_add(struct rewrite_work *work, const void *bytes, size_t size, size_t align);
/* The plan's tables and code, as they are for where they are now. */
enum kymo_status rewritesegment_tables(struct rewrite_work *work, const uint8_t *choice,
				       struct problem *problem);
enum kymo_status rewritesegment_code(struct rewrite_work *work, struct problem *problem);
/* Into the text: the writes of the functions that choice takes.  Adds how many were made, and how
 * many not because the bytes are not what the plan says. */
void rewritesegment_write(struct rewrite_work *work, uint8_t *choice, uint64_t *taken,
			  uint64_t *refused);

#endif
