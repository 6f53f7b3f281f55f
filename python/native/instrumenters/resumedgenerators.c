/* A stack of frames, the innermost last.  Hooks that are removed and reinstalled leave stale
 * entries whose end had no event: it is rebuilt from the open ones before it grows. */
#include "instrumenters/resumedgenerators.h"

#include "bytecode.h"

#if BYTECODE_SIGNALS_FIRST

#define FIRST_CAPACITY 16

static bool is_generator(const eval_frame *frame)
{
	return EVAL_FRAME_CODE(frame)->co_flags & CODE_IS_GENERATOR;
}

static const eval_frame *resumedgenerators_complete(const eval_frame *frame)
{
	while (frame && _PyFrame_IsIncomplete((eval_frame *)frame))
		frame = frame->previous;
	return frame;
}

static const eval_frame *resumedgenerators_caller_of(const eval_frame *frame)
{
	return resumedgenerators_complete(frame->previous);
}

static int resumedgenerators_offset_of(const eval_frame *frame)
{
	return _PyInterpreterFrame_LASTI((eval_frame *)frame) * (int)sizeof(_Py_CODEUNIT);
}

static bool resumedgenerators_is_running(const eval_frame *generator)
{
	return !bytecode_is_suspended(EVAL_FRAME_CODE(generator),
				      resumedgenerators_offset_of(generator));
}

const eval_frame *resumed_calling(const eval_frame *frame)
{
	const eval_frame *caller = resumedgenerators_caller_of(frame);

	return caller && is_generator(caller) && resumedgenerators_is_running(caller) ? caller
										      : NULL;
}

static bool resumedgenerators_grow(struct resumed_generators *resumed, size_t count)
{
	size_t capacity = resumed->capacity ? resumed->capacity : FIRST_CAPACITY;
	const void **frames;

	while (capacity < count * 2)
		capacity *= 2;
	if (capacity == resumed->capacity)
		return true;
	frames = realloc(resumed->frames, capacity * sizeof(*frames));
	if (!frames)
		return false;
	resumed->frames = frames;
	resumed->capacity = capacity;
	return true;
}

/* Those that are open, from this frame outwards; when out of memory none, and they leave
 * unmatched. */
static void resumedgenerators_renew(struct resumed_generators *resumed, const eval_frame *innermost)
{
	size_t count = 0;

	for (const eval_frame *frame = innermost; frame; frame = resumedgenerators_caller_of(frame))
		count += is_generator(frame);
	resumed->count = 0;
	if (!resumedgenerators_grow(resumed, count + 1))
		return;
	resumed->count = count;
	for (const eval_frame *frame = innermost; frame; frame = resumedgenerators_caller_of(frame))
		if (is_generator(frame))
			resumed->frames[--count] = frame;
}

/* In a new recording none of the running generators has had an event: their leaves are
 * unmatched. */
static struct resumed_generators *resumed_of(struct kymo_thread *thread,
					     const eval_frame *innermost)
{
	struct thread_notes *notes = thread_notes(thread);

	if (!notes)
		return NULL;
	if (notes->resumed.start != collector.starts) {
		notes->resumed.start = collector.starts;
		resumedgenerators_renew(&notes->resumed, innermost);
	}
	return &notes->resumed;
}

bool resumed_has(struct kymo_thread *thread, const eval_frame *frame)
{
	struct resumed_generators *resumed = resumed_of(thread, frame);

	if (!resumed)
		return true;
	for (size_t at = resumed->count; at > 0; at--) {
		if (resumed->frames[at - 1] != frame)
			continue;
		resumed->count = at;
		return true;
	}
	return false;
}

void resumed_add(struct kymo_thread *thread, const eval_frame *frame)
{
	struct resumed_generators *resumed = resumed_of(thread, resumedgenerators_caller_of(frame));

	if (resumed && resumed->count == resumed->capacity)
		resumedgenerators_renew(resumed, resumedgenerators_caller_of(frame));
	if (resumed && resumed->count < resumed->capacity)
		resumed->frames[resumed->count++] = frame;
}

void resumed_drop(struct kymo_thread *thread, const eval_frame *frame)
{
	struct thread_notes *notes = thread_notes(thread);
	struct resumed_generators *resumed = notes ? &notes->resumed : NULL;

	if (resumed && resumed->count > 0 && resumed->frames[resumed->count - 1] == frame)
		resumed->count--;
}

#endif
