/* Open calls of instrumented functions: the cases in which slots do not decrease. */
#include "model/tree/build/frames_open.h"

#include <stdlib.h>

#include "base/array.h"

/* In slots: an increase up to half of the range is taken for a real one. */
#define NEAR ((PATCH_SLOT_MASK + 1) / 2)

void frames_release(struct frames_open *frames)
{
	free(frames->items);
	*frames = (struct frames_open){0};
}

bool frames_grow(struct frames_open *frames)
{
	struct open_frame *grown =
		array_grow(frames->items, &frames->capacity, frames->depth + 1, sizeof(*grown));

	if (!grown)
		return false;
	frames->items = grown;
	return true;
}

/* Index of the outermost of the frames at one slot, of which at is the innermost. */
static size_t chain_start(const struct frames_open *frames, size_t at)
{
	while (at > 0 && frames->items[at - 1].slot == frames->items[at].slot)
		at--;
	return at;
}

/* The innermost frame jumped to another function, possibly one that jumped there before: a cycle of
 * tail calls is a loop, not an endless path. */
static size_t chain_closed(const struct frames_open *frames, uint32_t id)
{
	size_t start = chain_start(frames, frames->depth - 1);

	if (frames->depth - start >= FRAMES_CHAIN_MAX)
		return frames->depth - start;
	for (size_t at = start; at < frames->depth; at++)
		if (frames->items[at].id == id)
			return frames->depth - at;
	return 0;
}

/* The enter seems to be further up the stack, by rise slots: then the frames below have ended. That
 * is certain only if a frame was at exactly this slot, whose caller has called again; else it is
 * taken for a call with a large frame, or one on another stack. */
static size_t closed_below(const struct frames_open *frames, uint32_t rise)
{
	uint32_t risen = 0;

	for (size_t at = frames->depth - 1; at > 0 && risen < rise; at--) {
		risen += (uint32_t)(frames->items[at - 1].slot - frames->items[at].slot) &
			 PATCH_SLOT_MASK;
		if (risen == rise)
			return frames->depth - chain_start(frames, at - 1);
	}
	return 0;
}

size_t frames_closed_slow(const struct frames_open *frames, uint32_t slot, uint32_t id)
{
	const struct open_frame *top = &frames->items[frames->depth - 1];
	uint32_t rise = (slot - top->slot) & PATCH_SLOT_MASK;

	if (rise > NEAR)
		return 0;
	if (rise > 0)
		return closed_below(frames, rise);
	if (top->flags & OPEN_FRAME_FLAG(KYMO_FUNCTION_TAIL_CALLS))
		return chain_closed(frames, id);
	return frames->depth - chain_start(frames, frames->depth - 1);
}
