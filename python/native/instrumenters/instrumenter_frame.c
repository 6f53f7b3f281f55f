/* Instrumenter `frame`: a frame evaluation function (PEP 523) around the interpreter's.
 *
 * It sees every evaluation of a Python frame in every thread, each resume of a generator as one,
 * and each exit of any kind, so enters and leaves always balance.  C functions never pass through
 * here and cost nothing.
 *
 * A frame must not be accessed after the inner evaluation: it has been freed.  The thread's state
 * is fetched again, since a fork or a greenlet may have changed it. */
#include "events.h"
#include "runtime/store/note.h"
#include "stackguard.h"

#if PY_VERSION_HEX >= 0x03090000
#define EVAL_PARAMETERS	   PyThreadState *tstate, eval_frame *frame, int throw_flag
#define EVAL_INNER(frame_) inner(tstate, frame_, throw_flag)
#else
#define EVAL_PARAMETERS	   eval_frame *frame, int throw_flag
#define EVAL_INNER(frame_) inner(frame_, throw_flag)
#endif

typedef PyObject *(*evaluate_fn)(EVAL_PARAMETERS);

static evaluate_fn inner;   /* the previous evaluation function: the interpreter's, or another
			     * tool's */
static evaluate_fn current; /* Kymo's, while installed */
static bool is_installed;   /* called by the interpreter, or by another tool */
static int aside_depth;	    /* > 0: uninstalled until that many evaluations have unwound */

static evaluate_fn get_evaluator(PyInterpreterState *interpreter)
{
#if PY_VERSION_HEX >= 0x03090000
	return _PyInterpreterState_GetEvalFrameFunc(interpreter);
#else
	return interpreter->eval_frame;
#endif
}

static void set_evaluator(PyInterpreterState *interpreter, evaluate_fn function)
{
#if PY_VERSION_HEX >= 0x03090000
	_PyInterpreterState_SetEvalFrameFunc(interpreter, function);
#else
	interpreter->eval_frame = function;
#endif
}

#if PY_VERSION_HEX >= 0x030b0000

/* Calling a generator function evaluates its frame once to create the generator; that is no visit
 * of its body. */
static bool is_creation(const eval_frame *frame, const PyCodeObject *code)
{
	return (code->co_flags & CODE_IS_GENERATOR) && frame->owner != FRAME_OWNED_BY_GENERATOR;
}

static uint64_t frame_identity_of(const eval_frame *frame)
{
	return frame->owner == FRAME_OWNED_BY_GENERATOR ? (uint64_t)(uintptr_t)frame : 0;
}

static struct enter_source frame_source_of(eval_frame *frame)
{
	struct enter_source source = {.evaluated = frame,
				      .identity = frame_identity_of(frame),
				      .offset = -1,
				      .is_remembered = true};

	if (_PyInterpreterFrame_LASTI(frame) >= 0)
		source.offset = _PyInterpreterFrame_LASTI(frame) * (int)sizeof(_Py_CODEUNIT);
	return source;
}

#else

static bool is_creation(const eval_frame *frame, const PyCodeObject *code)
{
	(void)frame;
	(void)code;
	return false;
}

static uint64_t frame_identity_of(const eval_frame *frame)
{
	return (uint64_t)(uintptr_t)frame->f_gen;
}

static struct enter_source frame_source_of(eval_frame *frame)
{
	struct enter_source source = {.frame = frame,
				      .identity = frame_identity_of(frame),
				      .offset = -1,
				      .is_remembered = true};

	return source;
}

#endif

/* Python calls below this frame use the interpreter's own evaluation, without C stack, until it has
 * been left.  Other threads are not recorded in the meantime.  Not possible behind another tool. */
static PyObject *evaluate_aside(EVAL_PARAMETERS)
{
	PyInterpreterState *interpreter = PyThreadState_Get()->interp;
	PyObject *result;

	kymo_stack_aside_count();
	if (get_evaluator(interpreter) != current)
		return EVAL_INNER(frame);
	aside_depth++;
	is_installed = false;
	set_evaluator(interpreter, inner);
	result = EVAL_INNER(frame);
	aside_depth--;
	if (aside_depth == 0 && collector.active == &frame_instrumenter && !is_installed &&
	    get_evaluator(interpreter) == inner) {
		is_installed = true;
		set_evaluator(interpreter, current);
	}
	return result;
}

/* 3.12 and later count evaluations as C recursion and would fail early; the stack is guarded by its
 * address here. */
static PyObject *evaluate_inner(EVAL_PARAMETERS)
{
#if PY_VERSION_HEX >= 0x030c0000 && PY_VERSION_HEX < 0x030e0000
	PyObject *result;

	tstate->c_recursion_remaining += 2;
	result = EVAL_INNER(frame);
	tstate->c_recursion_remaining -= 2;
	return result;
#else
	return EVAL_INNER(frame);
#endif
}

#if PY_VERSION_HEX >= 0x03090000
#define EVAL_ARGUMENTS tstate, frame, throw_flag
#else
#define EVAL_ARGUMENTS frame, throw_flag
#endif

/* The common cases: recorded code, or a recorded generator that is resumed.  False for others;
 * nothing was done. */
static inline __attribute__((always_inline)) bool enter_quickly(struct kymo_thread *thread,
								const eval_frame *frame,
								const PyCodeObject *code,
								uint64_t word, unsigned mode)
{
	if (kymo_unlikely(!kymo_admits(thread)))
		return false;
	if (kymo_likely(word_tag(word) == codecache.record_tag)) {
		kymo_enter(thread, word_region(word), mode);
		return true;
	}
	if ((word_tag(word) & ~CODE_GENERATOR) != codecache.record_tag || is_creation(frame, code))
		return false;
	kymo_enter_with(thread, word_region(word), KYMO_EVENT_RESUME, frame_identity_of(frame),
			mode);
	return true;
}

static inline __attribute__((always_inline)) void
instrumenter_frame_leave(uint64_t word, const PyObject *result, unsigned mode)
{
	enum kymo_event_kind kind = result ? KYMO_EVENT_LEAVE : KYMO_EVENT_UNWIND;
	struct kymo_thread *thread = kymo_thread();

	if (kymo_likely((word_tag(word) & ~CODE_GENERATOR) == codecache.record_tag &&
			kymo_admits(thread)))
		kymo_leave(thread, word_region(word), kind, mode);
	else
		events_leave_slow(thread, word, kind, true);
}

static inline __attribute__((always_inline)) PyObject *evaluate(EVAL_PARAMETERS, unsigned mode)
{
	PyCodeObject *code = EVAL_FRAME_CODE(frame);
	struct kymo_thread *thread = kymo_thread();
	uint64_t word = codecache_word(code);
	PyObject *result;

	if (stackguard_is_low(thread))
		return evaluate_aside(EVAL_ARGUMENTS);
	if (kymo_unlikely(!enter_quickly(thread, frame, code, word, mode))) {
		struct enter_source source;

		if (is_creation(frame, code))
			return evaluate_inner(EVAL_ARGUMENTS);
		source = frame_source_of(frame);
		if (!events_enter_slow(thread, code, word, &source))
			return evaluate_inner(EVAL_ARGUMENTS);
		word = codecache_word(code);
	}
	/* The code object may die with the frame; its region does not. */
	result = evaluate_inner(EVAL_ARGUMENTS);
	instrumenter_frame_leave(word, result, mode);
	return result;
}

static PyObject *evaluate_profile(EVAL_PARAMETERS)
{
	return evaluate(EVAL_ARGUMENTS, KYMO_MODE_PROFILE);
}

static PyObject *evaluate_trace(EVAL_PARAMETERS)
{
	return evaluate(EVAL_ARGUMENTS, KYMO_MODE_TRACE);
}

static PyObject *evaluate_both(EVAL_PARAMETERS)
{
	return evaluate(EVAL_ARGUMENTS, KYMO_MODE_PROFILE | KYMO_MODE_TRACE);
}

static PyObject *evaluate_positions(EVAL_PARAMETERS)
{
	return evaluate(EVAL_ARGUMENTS, KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS);
}

static PyObject *evaluate_any(EVAL_PARAMETERS)
{
	return evaluate(EVAL_ARGUMENTS, collector.mode);
}

static evaluate_fn evaluator_for(unsigned mode)
{
	switch (mode) {
	case KYMO_MODE_PROFILE:
		return evaluate_profile;
	case KYMO_MODE_TRACE:
		return evaluate_trace;
	case KYMO_MODE_PROFILE | KYMO_MODE_TRACE:
		return evaluate_both;
	case KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS:
		return evaluate_positions;
	default:
		return evaluate_any;
	}
}

static const char *frame_unavailable(void)
{
	return NULL;
}

/* Shortcuts of the interpreter that bypass frame evaluation.  One module supports all patch
 * releases of a version: the running interpreter's version is checked. */
static const char *misses(void)
{
#if PY_VERSION_HEX >= 0x030d0000 && PY_VERSION_HEX < 0x030e0000
	return "in Python 3.13 frame evaluation misses most calls of __init__ by its class; "
	       "--instrumenter-type monitoring sees them";
#elif PY_VERSION_HEX >= 0x030b0000
	if (Py_Version < 0x030b0400)
		return "before Python 3.11.4 frame evaluation misses most calls of __getitem__ by "
		       "subscription; --instrumenter-type cProfile sees them";
#endif
	return NULL;
}

static void note_missed(void)
{
	static bool is_noted;

	if (is_noted || !misses())
		return;
	is_noted = true;
	kymo_note_add(KYMO_NOTE_LOSS, "python", misses());
}

static int frame_start(void)
{
	PyInterpreterState *interpreter = PyThreadState_Get()->interp;

	note_missed();
	if (is_installed)
		return 0; /* behind another tool, which still calls this one */
	current = evaluator_for(collector.mode);
	inner = get_evaluator(interpreter);
	set_evaluator(interpreter, current);
	is_installed = true;
	return 0;
}

/* Another tool may be installed in front: it continues to call this one.  Renewed decisions send
 * its events to the slow path, which finds that nothing is recorded. */
static void frame_stop(void)
{
	PyInterpreterState *interpreter = PyThreadState_Get()->interp;

	if (!is_installed)
		return;
	if (get_evaluator(interpreter) == current) {
		set_evaluator(interpreter, inner);
		is_installed = false;
	} else {
		codecache_renew();
	}
}

const struct instrumenter frame_instrumenter = {
	.name = "frame",
	.unavailable = frame_unavailable,
	.misses = misses,
	.sees_arguments = PY_VERSION_HEX < 0x030b0000,
	.sees_offset = true,
	.start = frame_start,
	.stop = frame_stop,
};
