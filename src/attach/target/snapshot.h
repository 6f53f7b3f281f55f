/* A prefetched copy of a thread's memory for one sample.
 *
 * Walking a stack in another process's memory takes a read for each frame.  The addresses are
 * nearly the same each time: a snapshot remembers them, fetches all of them in one call, in the
 * order of use, and serves reads from its copy.  Other addresses are read on demand, and prefetched
 * from then on.
 *
 * For a running thread everything is fetched twice in that one call, first everything once, then
 * everything again: values that are the same in both did not change in between.
 *
 * One thread. */
#ifndef KYMO_SNAPSHOT_H
#define KYMO_SNAPSHOT_H

#include "attach/target/remote.h"

#define SNAPSHOT_RANGES 192
#define SNAPSHOT_BYTES	(48u << 10)
#define SNAPSHOT_APART	256u /* bytes of one read outside of all ranges */

struct snapshot_range {
	uint64_t address;
	uint32_t size, offset; /* size of its copy, and offset in bytes and in later_bytes */
	bool is_read, is_used, is_read_later;
};

struct snapshot {
	struct remote *remote;
	struct snapshot_range ranges[SNAPSHOT_RANGES]; /* in the order of use */
	uint32_t count, next;			       /* next: the range of the last read */
	uint32_t filled;
	bool is_twice;
	unsigned char *bytes, *later_bytes; /* in one allocation */
	unsigned char apart[SNAPSHOT_APART];
};

bool snapshot_init(struct snapshot *snapshot, struct remote *remote); /* false = no memory */
void snapshot_release(struct snapshot *snapshot);

/* Begin a new sample: the ranges used in the last one are to be fetched again, once or twice.
 * Stores them in ranges, which has space for twice SNAPSHOT_RANGES; returns how many there are. */
size_t snapshot_plan(struct snapshot *snapshot, bool is_twice, struct remote_range *ranges);
/* Take what was read of the plan; returns how many ranges the plan had. */
size_t snapshot_take(struct snapshot *snapshot, const struct remote_range *ranges);
/* Plan once, read and take. */
void snapshot_fetch(struct snapshot *snapshot);

/* As pymemory.read and pymemory.later, with the snapshot as context. */
bool snapshot_read(void *snapshot, uint64_t address, void *to, size_t size);
const unsigned char *snapshot_later(void *snapshot, uint64_t address, size_t size);

#endif
