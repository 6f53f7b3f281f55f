/* What was read of a thread's memory for one sample, and what will be for the next.
 *
 * Following a stack through another process's memory takes a read for each frame.  The
 * places are nearly the same each time: a snapshot remembers them, fetches them all in one
 * call, in the order in which they are used, and answers reads out of its copy.  What was
 * not foreseen is read when it is asked for, and foreseen from then on.
 *
 * One thread. */
#ifndef KYMO_SNAPSHOT_H
#define KYMO_SNAPSHOT_H

#include "attach/remote.h"

#define SNAPSHOT_RANGES 192
#define SNAPSHOT_BYTES	(48u << 10)

struct snapshot_range {
	uint64_t address;
	uint32_t size, offset; /* of its copy in bytes */
	bool is_read, is_used;
};

struct snapshot {
	struct remote *remote;
	struct snapshot_range ranges[SNAPSHOT_RANGES]; /* in the order of use */
	uint32_t count, next;			       /* next: where the last read was answered */
	uint32_t filled;
	unsigned char *bytes;
};

bool snapshot_init(struct snapshot *snapshot, struct remote *remote); /* false = no memory */
void snapshot_release(struct snapshot *snapshot);

/* Begin anew: the places of the last time that were used are to be fetched again.  Puts them
 * into ranges, which has room for SNAPSHOT_RANGES; returns how many. */
size_t snapshot_plan(struct snapshot *snapshot, struct remote_range *ranges);
/* What of the plan was read. */
void snapshot_take(struct snapshot *snapshot, const struct remote_range *ranges);
/* Plan, read and take. */
void snapshot_fetch(struct snapshot *snapshot);

/* As pymemory.read, with the snapshot as context. */
bool snapshot_read(void *snapshot, uint64_t address, void *to, size_t size);

#endif
