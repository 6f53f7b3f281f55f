/* From an interpreter's event to the runtime: the part that all instrumenters share.
 *
 * The common case, a code object that is recorded in a thread that is not blocked, is inlined; the
 * rest is in events.c.  mode is a compile-time constant or collector.mode.  Context: hook, with the
 * GIL held. */
#ifndef KYMO_EVENTS_H
#define KYMO_EVENTS_H

#include "codecache.h"

/* The origin of an enter, for the cases that need more than the code object. */
struct enter_source {
	PyFrameObject *frame; /* borrowed; NULL = get it from the interpreter when needed */
	const eval_frame
		*evaluated; /* the frame about to run; NULL = that of frame, or the innermost */
	uint64_t identity;  /* of the generator that is resumed, 0 = none */
	int offset;	    /* bytecode offset if there is no frame; -1 = at its beginning */
	bool is_remembered; /* at the leave the caller knows whether it was entered */
};

/* True when the call was entered, so that its leave has to be recorded. */
bool events_enter_slow(struct kymo_thread *thread, PyCodeObject *code, uint64_t word,
		       const struct enter_source *source);
void events_leave_slow(struct kymo_thread *thread, uint64_t word, enum kymo_event_kind kind,
		       bool is_remembered);

/* A C function is called or has ended, by return or by exception. */
void events_enter_c(PyCodeObject *caller, PyObject *callable);
void events_leave_c(PyCodeObject *caller, PyObject *callable, enum kymo_event_kind kind);
/* The same without calling into Python: false if something is not decided yet, and nothing was
 * done. */
bool events_enter_known_c(PyCodeObject *caller, PyObject *callable);
bool events_leave_known_c(PyCodeObject *caller, PyObject *callable);

static inline __attribute__((always_inline)) bool
events_enter(PyCodeObject *code, const struct enter_source *source, unsigned mode)
{
	struct kymo_thread *thread = kymo_thread();
	uint64_t word = codecache_word(code);

	if (kymo_unlikely(word_tag(word) != codecache.record_tag || !kymo_admits(thread)))
		return events_enter_slow(thread, code, word, source);
	kymo_enter(thread, word_region(word), mode);
	return true;
}

static inline __attribute__((always_inline)) void
events_leave(PyCodeObject *code, enum kymo_event_kind kind, unsigned mode)
{
	struct kymo_thread *thread = kymo_thread();
	uint64_t word = codecache_word(code);

	if (kymo_unlikely(word_tag(word) != codecache.record_tag || !kymo_admits(thread))) {
		events_leave_slow(thread, word, kind, false);
		return;
	}
	kymo_leave(thread, word_region(word), kind, mode);
}

#endif
