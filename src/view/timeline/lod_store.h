/* The slices of a run at all levels of detail, as tiles within a budget.
 *
 * A strip is one kind of data of a thread: its slices, states or marks.  A tile is some thousand
 * slices of one strip, level and part (view/timeline/lod.h), as bytes for the page.  If the tiles
 * exceed the budget, the finest level of the strip with the largest one is dropped: memory is
 * bounded by the budget, whatever the input.  One thread. */
#ifndef KYMO_LOD_STORE_H
#define KYMO_LOD_STORE_H

#include <stddef.h>

#include "view/timeline/lod.h"

enum lod_strip_kind {
	LOD_SLICES,  /* depth: of the call; region: common number */
	LOD_SAMPLES, /* the same, of samples */
	LOD_STATES,  /* what the thread did; region: enum sampled_class */
	LOD_MARKS,   /* depth 0: instants by region; 1: where events were lost, region: how many */
	LOD_KINDS,
};

struct lod_tile {
	uint64_t start_ns, end_ns;
	unsigned char *bytes;
	uint32_t size, count; /* count: of items */
	uint8_t level, part;  /* enum lod_kind */
	bool is_packed;	      /* by page_pack() */
};

struct lod_strip {
	uint32_t process, thread;
	enum lod_strip_kind kind;
	uint32_t depth;		/* of the deepest slice + 1 */
	uint64_t slice_count;	/* received */
	uint32_t kept;		/* bit k: level k can be shown; 0 = nothing can */
	struct lod_tile *tiles; /* by level and part, then in the order of time */
	uint32_t tile_count, tile_capacity;
	uint64_t cost;	      /* bytes of the page, at most */
	uint32_t coarser;     /* kept levels without the finest non-empty one */
	uint64_t finest_cost; /* its cost */
};

struct lod_store {
	uint64_t budget, cost;
	unsigned int levels;
	struct lod_strip *strips;
	size_t strip_count, strip_capacity;
	uint64_t too_deep_count;   /* slices that were left out */
	struct lod_writer *writer; /* of the open strip */
};

/* span_ns: determines the coarsest level. */
void lod_store_init(struct lod_store *store, uint64_t budget, uint64_t span_ns);
void lod_store_release(struct lod_store *store);

/* Strips are written one after the other; slices of each as for lod_join_slice().  A strip without
 * slices is not stored. */
void lod_store_begin(struct lod_store *store, uint32_t process, uint32_t thread,
		     enum lod_strip_kind kind);
void lod_store_slice(struct lod_store *store, uint64_t start_ns, uint64_t end_ns, uint32_t depth,
		     uint32_t region);
void lod_store_end(struct lod_store *store);

/* The finest level that a strip can show, LOD_LEVELS = none. */
unsigned int lod_strip_finest(const struct lod_strip *strip);

#endif
