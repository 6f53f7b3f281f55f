/* A stack of frames, the innermost last.  Hooks that are taken away and put back leave some on it
 * whose end nobody told: it is made anew of those that are open before it grows. */
#include "instrumenters/toldgenerators.h"

#include "bytecode.h"

#if BYTECODE_ASKS_FIRST

#define FIRST_CAPACITY 16

static bool is_generator(const eval_frame *frame)
{
	return EVAL_FRAME_CODE(frame)->co_flags & CODE_IS_GENERATOR;
}

static const eval_frame *toldgenerators_complete(const eval_frame *frame)
{
	while (frame && _PyFrame_IsIncomplete((eval_frame *)frame))
		frame = frame->previous;
	return frame;
}

static const eval_frame *toldgenerators_caller_of(const eval_frame *frame)
{
	return toldgenerators_complete(frame->previous);
}

static int toldgenerators_offset_of(const eval_frame *frame)
{
	return _PyInterpreterFrame_LASTI((eval_frame *)frame) * (int)sizeof(_Py_CODEUNIT);
}

static bool toldgenerators_is_running(const eval_frame *generator)
{
	return !bytecode_is_suspended(EVAL_FRAME_CODE(generator),
				      toldgenerators_offset_of(generator));
}

const eval_frame *told_calling(const eval_frame *frame)
{
	const eval_frame *caller = toldgenerators_caller_of(frame);

	return caller && is_generator(caller) && toldgenerators_is_running(caller) ? caller : NULL;
}

static bool toldgenerators_grow(struct told_generators *told, size_t count)
{
	size_t capacity = told->capacity ? told->capacity : FIRST_CAPACITY;
	const void **frames;

	while (capacity < count * 2)
		capacity *= 2;
	if (capacity == told->capacity)
		return true;
	frames = realloc(told->frames, capacity * sizeof(*frames));
	if (!frames)
		return false;
	told->frames = frames;
	told->capacity = capacity;
	return true;
}

/* Those that are open, from this frame outwards; without memory none, and they leave unmatched. */
static void toldgenerators_renew(struct told_generators *told, const eval_frame *innermost)
{
	size_t count = 0;

	for (const eval_frame *frame = innermost; frame; frame = toldgenerators_caller_of(frame))
		count += is_generator(frame);
	told->count = 0;
	if (!toldgenerators_grow(told, count + 1))
		return;
	told->count = count;
	for (const eval_frame *frame = innermost; frame; frame = toldgenerators_caller_of(frame))
		if (is_generator(frame))
			told->frames[--count] = frame;
}

/* In a recording that began meanwhile nothing of what runs was told: it is nobody's leave. */
static struct told_generators *told_of(struct kymo_thread *thread, const eval_frame *innermost)
{
	struct thread_notes *notes = thread_notes(thread);

	if (!notes)
		return NULL;
	if (notes->told.start != collector.starts) {
		notes->told.start = collector.starts;
		toldgenerators_renew(&notes->told, innermost);
	}
	return &notes->told;
}

bool told_has(struct kymo_thread *thread, const eval_frame *frame)
{
	struct told_generators *told = told_of(thread, frame);

	if (!told)
		return true;
	for (size_t at = told->count; at > 0; at--) {
		if (told->frames[at - 1] != frame)
			continue;
		told->count = at;
		return true;
	}
	return false;
}

void told_add(struct kymo_thread *thread, const eval_frame *frame)
{
	struct told_generators *told = told_of(thread, toldgenerators_caller_of(frame));

	if (told && told->count == told->capacity)
		toldgenerators_renew(told, toldgenerators_caller_of(frame));
	if (told && told->count < told->capacity)
		told->frames[told->count++] = frame;
}

void told_drop(struct kymo_thread *thread, const eval_frame *frame)
{
	struct thread_notes *notes = thread_notes(thread);
	struct told_generators *told = notes ? &notes->told : NULL;

	if (told && told->count > 0 && told->frames[told->count - 1] == frame)
		told->count--;
}

#endif
