/* The stack is walked once more; if the thread has continued its code objects differ. */
#include "attach/python/threadframes.h"

#include <stdlib.h>

#include "pystack/walk/pystack_walk.h"

void threadframes_release(struct threadframes *frames)
{
	free(frames->frames);
	free(frames->addresses);
	*frames = (struct threadframes){0};
}

uint64_t threadframes_word(const struct watch_thread *thread, size_t python_index)
{
	for (size_t i = thread->frame_count; i-- > 0;)
		if (kymo_frame_kind(thread->frames[i]) == KYMO_FRAME_PYTHON && python_index-- == 0)
			return thread->frames[i];
	return 0;
}

static bool threadframes_is_same(const struct watch *watch, uint64_t word,
				 const struct pyframe *frame)
{
	const uint64_t id = kymo_frame_content(word) >> 32;

	return word && id < watch->codes.count && watch->codes.entries[id].address == frame->code;
}

bool threadframes_read(struct threadframes *frames, struct watch *watch,
		       const struct watch_thread *thread)
{
	const struct pymemory memory = {.read = remote_read, .context = &watch->remote};
	const uint32_t depth = watch->options.depth;
	enum pystack_status status;
	size_t count = 0;

	*frames = (struct threadframes){0};
	if (!thread->state || thread->result != WATCH_STACK)
		return false;
	frames->frames = calloc(depth, sizeof(*frames->frames));
	frames->addresses = calloc(depth, sizeof(*frames->addresses));
	if (frames->frames && frames->addresses) {
		status = pystack_walk_addresses(&watch->python.runtime, &memory, thread->state,
						frames->frames, frames->addresses, depth, &count);
		if (status != PYSTACK_OK && status != PYSTACK_CUT)
			count = 0;
	}
	while (frames->count < count &&
	       threadframes_is_same(watch, threadframes_word(thread, frames->count),
				    &frames->frames[frames->count]))
		frames->count++;
	if (frames->count == 0)
		threadframes_release(frames);
	return frames->count > 0;
}
