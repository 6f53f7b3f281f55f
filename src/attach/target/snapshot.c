/* Ranges that are close together and used consecutively grow together, so that a run of frames on
 * one page becomes a single range. */
#include "attach/target/snapshot.h"

#include <stdlib.h>
#include <string.h>

#define PAGE		4096u
#define BLOCK		512u	    /* read around an address that was not predicted */
#define NEAR		1024u	    /* ranges at most so far apart are merged */
#define RANGE_BYTES_MAX (16u << 10) /* bytes of one range */

bool snapshot_init(struct snapshot *snapshot, struct remote *remote)
{
	*snapshot = (struct snapshot){.remote = remote, .bytes = malloc(2 * SNAPSHOT_BYTES)};
	snapshot->later_bytes = snapshot->bytes + SNAPSHOT_BYTES;
	return snapshot->bytes != NULL;
}

void snapshot_release(struct snapshot *snapshot)
{
	free(snapshot->bytes);
	snapshot->bytes = NULL;
}

/* Extend to to include range; false if they are too far apart. */
static bool snapshot_join(struct snapshot_range *to, const struct snapshot_range *range)
{
	uint64_t low = to->address < range->address ? to->address : range->address;
	uint64_t to_end = to->address + to->size, end = range->address + range->size;
	uint64_t high = to_end > end ? to_end : end;

	if (range->address > to_end + NEAR || to->address > end + NEAR ||
	    high - low > RANGE_BYTES_MAX)
		return false;
	to->address = low;
	to->size = (uint32_t)(high - low);
	return true;
}

/* Merge used ranges that are close together; returns how many remain. */
static uint32_t keep_used(struct snapshot *snapshot)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < snapshot->count; i++) {
		const struct snapshot_range range = snapshot->ranges[i];

		if (!range.is_used || !range.is_read)
			continue;
		if (kept == 0 || !snapshot_join(&snapshot->ranges[kept - 1], &range))
			snapshot->ranges[kept++] = range;
	}
	return kept;
}

static struct remote_range to_fetch(const struct snapshot_range *range, unsigned char *bytes)
{
	return (struct remote_range){
		.address = range->address, .size = range->size, .to = bytes + range->offset};
}

size_t snapshot_plan(struct snapshot *snapshot, bool is_twice, struct remote_range *ranges)
{
	uint32_t kept = keep_used(snapshot), filled = 0;
	size_t count;

	snapshot->count = 0;
	snapshot->is_twice = is_twice;
	for (uint32_t i = 0; i < kept; i++) {
		struct snapshot_range *range = &snapshot->ranges[i];

		if (filled + range->size > SNAPSHOT_BYTES)
			break;
		range->offset = filled;
		range->is_read = range->is_used = range->is_read_later = false;
		ranges[i] = to_fetch(range, snapshot->bytes);
		filled += range->size;
		snapshot->count++;
	}
	snapshot->filled = filled;
	snapshot->next = 0;
	count = snapshot->count;
	for (uint32_t i = 0; i < snapshot->count && is_twice; i++)
		ranges[count++] = to_fetch(&snapshot->ranges[i], snapshot->later_bytes);
	return count;
}

size_t snapshot_take(struct snapshot *snapshot, const struct remote_range *ranges)
{
	const size_t count = snapshot->count;

	for (size_t i = 0; i < count; i++) {
		snapshot->ranges[i].is_read = ranges[i].is_read;
		snapshot->ranges[i].is_read_later = snapshot->is_twice && ranges[count + i].is_read;
	}
	return snapshot->is_twice ? 2 * count : count;
}

void snapshot_fetch(struct snapshot *snapshot)
{
	struct remote_range ranges[SNAPSHOT_RANGES];
	size_t count = snapshot_plan(snapshot, false, ranges);

	if (count > 0)
		remote_read_ranges(snapshot->remote, ranges, count);
	snapshot_take(snapshot, ranges);
}

static bool snapshot_covers(const struct snapshot_range *range, uint64_t address, size_t size)
{
	return range->is_read && address >= range->address &&
	       address - range->address <= range->size &&
	       size <= range->size - (address - range->address);
}

/* Searches from the range that was used last. */
static struct snapshot_range *snapshot_find(struct snapshot *snapshot, uint64_t address,
					    size_t size)
{
	for (uint32_t k = 0; k < snapshot->count; k++) {
		uint32_t i = snapshot->next + k;

		if (i >= snapshot->count)
			i -= snapshot->count;
		if (snapshot_covers(&snapshot->ranges[i], address, size)) {
			snapshot->next = i;
			return &snapshot->ranges[i];
		}
	}
	return NULL;
}

/* A block around [address, address + size) that stays within their pages. */
static struct snapshot_range block_around(uint64_t address, size_t size)
{
	uint64_t low = address & ~(uint64_t)(PAGE - 1);
	uint64_t high = (address + size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	uint64_t from = address - (BLOCK - BLOCK / 4), to = address + size + BLOCK / 4;

	if (from < low || from > address)
		from = low;
	if (to > high)
		to = high;
	return (struct snapshot_range){.address = from, .size = (uint32_t)(to - from)};
}

static struct snapshot_range *snapshot_add(struct snapshot *snapshot, uint64_t address, size_t size)
{
	struct snapshot_range range = block_around(address, size);
	uint32_t at;

	if (snapshot->count == SNAPSHOT_RANGES || range.size > SNAPSHOT_BYTES - snapshot->filled)
		return NULL;
	range.offset = snapshot->filled;
	if (!remote_read(snapshot->remote, range.address, snapshot->bytes + range.offset,
			 range.size))
		return NULL;
	range.is_read = true;
	snapshot->filled += range.size;
	/* After the one used last: the order of use is the order of fetching. */
	at = snapshot->count > 0 ? snapshot->next + 1 : 0;
	memmove(&snapshot->ranges[at + 1], &snapshot->ranges[at],
		(snapshot->count - at) * sizeof(range));
	snapshot->ranges[at] = range;
	snapshot->count++;
	snapshot->next = at;
	return &snapshot->ranges[at];
}

bool snapshot_read(void *context, uint64_t address, void *to, size_t size)
{
	struct snapshot *snapshot = context;
	struct snapshot_range *range;

	if (size > PAGE || address + size < address)
		return remote_read(snapshot->remote, address, to, size);
	range = snapshot_find(snapshot, address, size);
	if (!range)
		range = snapshot_add(snapshot, address, size);
	if (!range)
		return remote_read(snapshot->remote, address, to, size);
	range->is_used = true;
	memcpy(to, snapshot->bytes + range->offset + (address - range->address), size);
	return true;
}

/* Unpredicted addresses are read again now: that, too, is later. */
const unsigned char *snapshot_later(void *context, uint64_t address, size_t size)
{
	struct snapshot *snapshot = context;
	struct snapshot_range *range = size <= PAGE ? snapshot_find(snapshot, address, size) : NULL;

	if (!range)
		return size <= sizeof(snapshot->apart) &&
				       remote_read(snapshot->remote, address, snapshot->apart, size)
			       ? snapshot->apart
			       : NULL;
	if (!range->is_read_later &&
	    !remote_read(snapshot->remote, range->address, snapshot->later_bytes + range->offset,
			 range->size))
		return NULL;
	range->is_read_later = true;
	return snapshot->later_bytes + range->offset + (address - range->address);
}
