/* The open calls of instrumented functions, as their records are read: which calls an enter and an
 * exit close.  docs/patch.md, "What the reader pairs", has the rules and their reasons.
 *
 * An enter has ten bits of the address of its return address's slot, an exit only these.  Frames
 * are below their callers', so that slots decrease, but a large frame or another stack may make
 * them seem to increase.  Calls that ended without an exit (exceptions, longjmp) are detected by
 * later records.
 *
 * Belongs to one thread; the caller's memory.  Uses malloc. */
#ifndef KYMO_FRAMES_OPEN_H
#define KYMO_FRAMES_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "patch/apply/patchabi.h"

#define FRAMES_CHAIN_MAX 64 /* tail calls at one slot */

struct open_frame {
	uint32_t id; /* of the function */
	uint16_t slot;
	uint16_t flags; /* KYMO_FUNCTION_*, the upper half */
	uint32_t place; /* the user's own */
	uint32_t reserved;
	uint64_t ticks; /* likewise */
};

struct frames_open {
	struct open_frame *items; /* innermost last */
	size_t depth, capacity;
	uint32_t by_slot[PATCH_SLOT_MASK + 1]; /* number of open frames at that slot */
};

#define OPEN_FRAME_FLAG(flag) ((uint16_t)((flag) >> 16))

void frames_release(struct frames_open *frames);
/* The slow path of frames_closed_by_enter(). */
size_t frames_closed_slow(const struct frames_open *frames, uint32_t slot, uint32_t id);

/* How many of the innermost frames are no longer open when id is entered at slot. */
static inline size_t frames_closed_by_enter(const struct frames_open *frames, uint32_t slot,
					    uint32_t id)
{
	uint32_t deeper;

	if (frames->depth == 0)
		return 0;
	deeper = (frames->items[frames->depth - 1].slot - slot) & PATCH_SLOT_MASK;
	if (__builtin_expect(deeper - 1 < PATCH_SLOT_MASK / 2, 1))
		return 0;
	return frames_closed_slow(frames, slot, id);
}

/* How many of the innermost frames an exit at slot closes, 0 = none is open there.  *unwound_out:
 * how many of them, the innermost, ended without an exit of their own. */
static inline size_t frames_closed_by_exit(const struct frames_open *frames, uint32_t slot,
					   size_t *unwound_out)
{
	const uint16_t ends = OPEN_FRAME_FLAG(KYMO_FUNCTION_TAIL_CALLS);
	const uint16_t through = OPEN_FRAME_FLAG(KYMO_FUNCTION_CALL_THROUGH);
	size_t at = frames->depth;
	uint16_t mask;

	if (!frames->by_slot[slot])
		return 0;
	while (frames->items[at - 1].slot != slot)
		at--;
	*unwound_out = frames->depth - at;
	mask = frames->items[at - 1].flags & through ? ends : (uint16_t)(ends | through);
	for (at--; at > 0 && frames->items[at - 1].slot == slot &&
		   (frames->items[at - 1].flags & mask) == ends;
	     at--)
		;
	return frames->depth - at;
}

/* False: no memory. */
bool frames_grow(struct frames_open *frames);

/* NULL: no memory. */
static inline struct open_frame *frames_push(struct frames_open *frames, uint32_t slot, uint32_t id,
					     uint32_t flags)
{
	struct open_frame *frame;

	if (__builtin_expect(frames->depth == frames->capacity, 0) && !frames_grow(frames))
		return NULL;
	frame = &frames->items[frames->depth++];
	frame->id = id;
	frame->slot = (uint16_t)slot;
	frame->flags = OPEN_FRAME_FLAG(flags);
	frames->by_slot[slot]++;
	return frame;
}

static inline struct open_frame *frames_pop(struct frames_open *frames)
{
	struct open_frame *frame = &frames->items[--frames->depth];

	frames->by_slot[frame->slot]--;
	return frame;
}

#endif
