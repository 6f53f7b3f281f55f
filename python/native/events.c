/* The cases of an enter and a leave that are not the common one: code not decided yet,
 * hidden subtrees, pauses, labels with arguments, generators in a trace. */
#include "events.h"

#include <errno.h>

#include "labels.h"

/* Inline kymo_enter() once for every mode, so that each has no tests left. */
static void enter_region(struct kymo_thread *thread, uint32_t region)
{
	switch (collector.mode) {
	case KYMO_MODE_PROFILE:
		kymo_enter(thread, region, KYMO_MODE_PROFILE);
		break;
	case KYMO_MODE_TRACE:
		kymo_enter(thread, region, KYMO_MODE_TRACE);
		break;
	default:
		kymo_enter(thread, region, collector.mode);
	}
}

static void leave_region(struct kymo_thread *thread, uint32_t region, enum kymo_event_kind kind)
{
	switch (collector.mode) {
	case KYMO_MODE_PROFILE:
		kymo_leave(thread, region, kind, KYMO_MODE_PROFILE);
		break;
	case KYMO_MODE_TRACE:
		kymo_leave(thread, region, kind, KYMO_MODE_TRACE);
		break;
	default:
		kymo_leave(thread, region, kind, collector.mode);
	}
}

static int offset_of(const struct enter_source *source)
{
	PyFrameObject *frame = source->frame ? source->frame : PyEval_GetFrame();

	if (source->offset >= 0 || !frame)
		return source->offset;
	return frame_last_instruction(frame);
}

static void enter_recorded(struct kymo_thread *thread, uint32_t region, uint64_t word,
			   const struct enter_source *source)
{
	if (!(collector.mode & KYMO_MODE_TRACE))
		enter_region(thread, region);
	else if (collector.annotate)
		kymo_enter_with(thread, region, KYMO_EVENT_ANNOTATED,
				(uint32_t)offset_of(source) | source->identity << 32,
				collector.mode);
	else if (word & CODE_GENERATOR && source->identity)
		kymo_enter_with(thread, region, KYMO_EVENT_RESUME, source->identity,
				collector.mode);
	else
		enter_region(thread, region);
}

/* The label of this one call; its region is kept on a stack for the leave. */
static bool enter_labelled(struct kymo_thread *thread, PyCodeObject *code, uint64_t word,
			   const struct enter_source *source)
{
	struct thread_notes *notes = thread_notes(thread);
	PyFrameObject *frame = source->frame ? source->frame : PyEval_GetFrame();
	uint32_t region;

	if (!notes)
		return false;
	region = label_intern_call(thread, code, frame);
	if (!region || !region_push(&notes->labelled, &notes->labelled_count,
				    &notes->labelled_capacity, region))
		return false;
	enter_recorded(thread, region, word, source);
	return true;
}

static void leave_labelled(struct kymo_thread *thread, enum kymo_event_kind kind)
{
	struct thread_notes *notes = thread_notes(thread);

	if (notes && notes->labelled_count > 0)
		leave_region(thread, notes->labelled[--notes->labelled_count], kind);
}

/* A blocked thread still has to count the hidden calls inside a hidden subtree. */
static void enter_hidden(struct kymo_thread *thread)
{
	thread->hidden++;
	thread->blocked++;
}

static void leave_hidden(struct kymo_thread *thread)
{
	if (thread->hidden == 0)
		return;
	thread->hidden--;
	thread->blocked--;
}

bool events_enter_slow(struct kymo_thread *thread, PyCodeObject *code, uint64_t word,
		       const struct enter_source *source)
{
	int saved = errno;
	bool is_entered = true;

	if (!thread->record || !collector.active)
		return false;
	if (!word_is_valid(word)) {
		if (thread->blocked > thread->hidden)
			return false; /* our own work, or paused: decide another time */
		word = codecache_decide(code);
	}
	if (word_action(word) == CODE_HIDE)
		enter_hidden(thread);
	else if (thread->blocked)
		is_entered = false;
	else if (word_action(word) == CODE_RECORD)
		enter_recorded(thread, word_region(word), word, source);
	else if (word_action(word) == CODE_LABEL)
		is_entered = enter_labelled(thread, code, word, source);
	else
		is_entered = false;
	errno = saved;
	return is_entered;
}

void events_leave_slow(struct kymo_thread *thread, uint64_t word, enum kymo_event_kind kind)
{
	int saved = errno;

	if (!thread->record || !word_is_valid(word))
		return;
	if (word_action(word) == CODE_HIDE)
		leave_hidden(thread);
	else if (thread->blocked)
		return;
	else if (word_action(word) == CODE_RECORD)
		leave_region(thread, word_region(word), kind);
	else if (word_action(word) == CODE_LABEL)
		leave_labelled(thread, kind);
	errno = saved;
}

void events_enter_c(PyObject *callable)
{
	struct kymo_thread *thread = kymo_thread();
	uint32_t region;

	if (thread->blocked)
		return;
	region = label_intern_c(callable);
	if (region)
		enter_region(thread, region);
}

void events_leave_c(PyObject *callable, enum kymo_event_kind kind)
{
	struct kymo_thread *thread = kymo_thread();
	uint32_t region;

	if (thread->blocked)
		return;
	region = label_intern_c(callable);
	if (region)
		leave_region(thread, region, kind);
}

void events_enter_region(struct kymo_thread *thread, uint32_t region)
{
	enter_region(thread, region);
}

void events_leave_region(struct kymo_thread *thread, uint32_t region)
{
	leave_region(thread, region, KYMO_EVENT_LEAVE);
}
