/* What a monitoring event does, however it comes: by a callback or straight from the interpreter.
 *
 * Enters (PY_START, PY_RESUME, PY_THROW) and leaves (PY_RETURN, PY_YIELD, PY_UNWIND) balance per
 * code object; where signals are asked for before a visit is told, RAISE tells of those that end or
 * go on with what a handler raised.
 * Context: hook, with the GIL held. */
#ifndef KYMO_MONITORINGEVENTS_H
#define KYMO_MONITORINGEVENTS_H

#include "bytecode.h"
#include "events.h"

#if PY_VERSION_HEX >= 0x030c0000

/* frame: NULL = the innermost one, which has to be asked for. */
static inline uint64_t monitored_identity(const eval_frame *frame)
{
	return (uint64_t)(uintptr_t)(frame ? frame : innermost_frame());
}

/* The common case: the code is recorded, and so is the thread. */
static inline __attribute__((always_inline)) bool monitored_is_plain(struct kymo_thread *thread,
								     uint64_t word)
{
	return kymo_likely((word_tag(word) & ~CODE_GENERATOR) == codecache.record_tag &&
			   kymo_admits(thread));
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

/* What is thrown into a generator may be raised at its RESUME as well, but was told. */
static inline void monitored_throw(const eval_frame *frame)
{
	struct thread_notes *notes = thread_notes(kymo_thread());

	if (notes)
		notes->thrown = monitored_identity(frame);
}

/* True when an exception that is raised at offset, in bytes, stands for the beginning of its visit.
 * The first RAISE behind a throw is the throw's, wherever it stands; a later one in a frame at the
 * same address is another's. */
static inline bool monitored_raise_begins(const PyCodeObject *code, int offset,
					  const eval_frame *frame)
{
	struct thread_notes *notes = thread_notes(kymo_thread());
	bool is_told = notes && notes->thrown == monitored_identity(frame);

	if (notes)
		notes->thrown = 0;
	return !is_told && kymo_unlikely(bytecode_is_resume(code, offset));
}

#else

static inline void monitored_throw(const eval_frame *frame)
{
	(void)frame;
}

#endif

#endif

#endif
