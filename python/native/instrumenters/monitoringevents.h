/* Recording of monitoring events, by callbacks or from the interpreter's dispatch.
 *
 * Enters (PY_START, PY_RESUME, PY_THROW) and leaves (PY_RETURN, PY_YIELD, PY_UNWIND) balance per
 * code object; where signals are handled before the event of a visit, RAISE reports visits that end
 * or continue with a handler's exception.
 * Context: hook, with the GIL held. */
#ifndef KYMO_MONITORINGEVENTS_H
#define KYMO_MONITORINGEVENTS_H

#include "bytecode.h"
#include "events.h"

#if PY_VERSION_HEX >= 0x030c0000

/* frame: NULL = get the innermost one from the interpreter. */
static inline uint64_t monitored_identity(const eval_frame *frame)
{
	return (uint64_t)(uintptr_t)(frame ? frame : innermost_frame());
}

static inline __attribute__((always_inline)) bool monitored_is_recorded(uint64_t word)
{
	return (word_tag(word) & ~CODE_GENERATOR) == codecache.record_tag;
}

/* The common case: the code is recorded, and so is the thread. */
static inline __attribute__((always_inline)) bool monitored_is_plain(struct kymo_thread *thread,
								     uint64_t word)
{
	return kymo_likely(monitored_is_recorded(word) && kymo_admits(thread));
}

static inline __attribute__((always_inline)) void
monitored_enter(struct kymo_thread *thread, uint64_t word, const eval_frame *frame, unsigned mode)
{
	if ((mode & KYMO_MODE_TRACE) && (word & CODE_GENERATOR))
		kymo_enter_with(thread, word_region(word), KYMO_EVENT_RESUME,
				monitored_identity(frame), mode);
	else
		kymo_enter(thread, word_region(word), mode);
}

#if BYTECODE_SIGNALS_FIRST

/* An exception thrown into a generator may be raised at its RESUME as well, but had an event. */
static inline void monitored_throw(const eval_frame *frame)
{
	struct thread_notes *notes = thread_notes(kymo_thread());

	if (notes)
		notes->thrown = monitored_identity(frame);
}

/* True when a visit begins with the exception raised at offset (in bytes), without another event.
 * The first RAISE after a throw belongs to it, at any instruction; a later one in a frame at the
 * same address does not. */
static inline bool monitored_raise_begins(const PyCodeObject *code, int offset,
					  const eval_frame *frame)
{
	struct thread_notes *notes = thread_notes(kymo_thread());
	bool is_reported = notes && notes->thrown == monitored_identity(frame);

	if (notes)
		notes->thrown = 0;
	return !is_reported && kymo_unlikely(bytecode_is_resume(code, offset));
}

#else

static inline void monitored_throw(const eval_frame *frame)
{
	(void)frame;
}

#endif

#endif

#endif
