/* Joins slices level by level: the joined slices of a level are the input of the next. */
#ifndef KYMO_LOD_JOIN_H
#define KYMO_LOD_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "view/timeline/lod.h"

struct lod_join;

/* The last level whose resolution is not above length. */
unsigned int lod_level_of(uint64_t length_ns);
struct lod_join *lod_join_new(lod_put_fn put, void *context);
void lod_join_free(struct lod_join *join);
/* Joined slices are made for levels 1 .. levels - 1. */
void lod_join_begin(struct lod_join *join, unsigned int levels);
/* Add a slice that ended, of a depth below LOD_DEPTH_MAX; those of one depth in the order of
 * time. */
void lod_join_slice(struct lod_join *join, uint64_t start_ns, uint64_t end_ns, uint32_t depth,
		    uint32_t region);
/* Emit the groups still being joined; it can begin anew then. */
void lod_join_finish(struct lod_join *join);

#endif
