/* The original tests the same: whether the thread is in a callback, then the tools of the event, by
 * location if several tools watch the code.
 *
 * Most events need no call of another function, neither of the runtime nor of the original.  The
 * functions that take these leave all others to a second function of the same arguments: so they
 * save no registers, which would take as long as all the rest. */
#include "instrumenters/dispatchevents.h"

#if DISPATCH_IS_KNOWN

#include "instrumenters/dispatchdetours.h"
#include "instrumenters/monitoringevents.h"

struct dispatch dispatch;

/* The tools whose callbacks the interpreter would call for an event of code. */
static inline __attribute__((always_inline)) unsigned
tools_of_code(const PyCodeObject *code, const _Py_CODEUNIT *at, int event)
{
	const _PyCoMonitoringData *data = code->_co_monitoring;

	if (kymo_unlikely(data->tools != NULL))
		return data->tools[at - _PyCode_CODE(code)];
	return data->active_monitors.tools[event];
}

static inline __attribute__((always_inline)) bool is_watched(const PyThreadState *state)
{
	return kymo_likely(state->interp == dispatch.interpreter && state->tracing == 0);
}

/* For events that are set per code object. */
static inline __attribute__((always_inline)) bool
is_ours(const PyThreadState *state, const PyCodeObject *code, const _Py_CODEUNIT *at, int event)
{
	return is_watched(state) && kymo_likely(tools_of_code(code, at, event) == dispatch.tool);
}

/* For events that are set for the whole interpreter. */
static inline __attribute__((always_inline)) bool is_ours_anywhere(const PyThreadState *state,
								   int event)
{
	return is_watched(state) &&
	       kymo_likely(state->interp->monitors.tools[event] == dispatch.tool);
}

/* False: uncommon cases are left to the original and its callback. */
static inline __attribute__((always_inline)) bool
dispatch_enter(PyCodeObject *code, const eval_frame *frame, unsigned mode)
{
	struct kymo_thread *thread = kymo_thread();
	uint64_t word = codecache_word(code);

	if (!monitored_is_plain(thread, word))
		return false;
	monitored_enter(thread, word, frame, mode);
	return true;
}

static inline __attribute__((always_inline)) bool
dispatch_leave(PyCodeObject *code, enum kymo_event_kind kind, unsigned mode)
{
	struct kymo_thread *thread = kymo_thread();
	uint64_t word = codecache_word(code);

	if (!monitored_is_plain(thread, word))
		return false;
	kymo_leave(thread, word_region(word), kind, mode);
	return true;
}

/* As dispatch_enter(), false wherever that would make a call. */
static inline __attribute__((always_inline)) bool
dispatch_enter_at_once(const PyCodeObject *code, const eval_frame *frame, unsigned mode)
{
	struct kymo_thread *thread = kymo_thread_current;
	uint64_t word = codecache_word_at_once(code);

	if (!thread || !monitored_is_recorded(word) || !kymo_admits_at_once(thread) ||
	    !kymo_enters_at_once(thread, word_region(word), mode))
		return false;
	monitored_enter(thread, word, frame, mode);
	return true;
}

static inline __attribute__((always_inline)) bool dispatch_leave_at_once(const PyCodeObject *code,
									 unsigned mode)
{
	struct kymo_thread *thread = kymo_thread_current;
	uint64_t word = codecache_word_at_once(code);

	if (!thread || !monitored_is_recorded(word) || !kymo_admits_at_once(thread) ||
	    !kymo_leaves_at_once(thread, word_region(word), mode))
		return false;
	kymo_leave(thread, word_region(word), KYMO_EVENT_LEAVE, mode);
	return true;
}

#if BYTECODE_SIGNALS_FIRST

/* True: no visit begins here. */
static bool dispatch_raise(const PyCodeObject *code, const _Py_CODEUNIT *at,
			   const eval_frame *frame)
{
	int offset = (int)(at - _PyCode_CODE(code)) * (int)sizeof(_Py_CODEUNIT);

	return !monitored_raise_begins(code, offset, frame);
}

#else

static bool dispatch_raise(const PyCodeObject *code, const _Py_CODEUNIT *at,
			   const eval_frame *frame)
{
	(void)code, (void)at, (void)frame;
	return false;
}

#endif

static inline __attribute__((always_inline)) bool is_exception(int event)
{
	return event == PY_MONITORING_EVENT_PY_UNWIND || event == PY_MONITORING_EVENT_PY_THROW ||
	       event == PY_MONITORING_EVENT_RAISE;
}

/* True when the event of an exception was taken. */
static inline __attribute__((always_inline)) bool
dispatch_exception(const PyThreadState *state, PyCodeObject *code, const eval_frame *frame,
		   const _Py_CODEUNIT *at, int event, unsigned mode)
{
	if (!is_ours_anywhere(state, event))
		return false;
	switch (event) {
	case PY_MONITORING_EVENT_PY_UNWIND:
		return dispatch_leave(code, KYMO_EVENT_UNWIND, mode);
	case PY_MONITORING_EVENT_PY_THROW:
		monitored_throw(frame);
		return dispatch_enter(code, frame, mode);
	default:
		return dispatch_raise(code, at, frame);
	}
}

/* Events without a value: PY_START and PY_RESUME are Kymo's. */
static inline bool is_enter(int event)
{
	return kymo_likely(event <= PY_MONITORING_EVENT_PY_RESUME);
}

/* Of events with a value. */
static inline bool is_leave(int event)
{
	return kymo_likely(event == PY_MONITORING_EVENT_PY_RETURN ||
			   event == PY_MONITORING_EVENT_PY_YIELD);
}

static inline __attribute__((always_inline)) int dispatch_plain(PyThreadState *state, int event,
								eval_frame *frame, _Py_CODEUNIT *at,
								PyObject *first, PyObject *second,
								unsigned mode)
{
	PyCodeObject *code = EVAL_FRAME_CODE(frame);

	if (is_enter(event) && is_ours(state, code, at, event) && dispatch_enter(code, frame, mode))
		return 0;
	return dispatchdetours_original[DISPATCH_PLAIN](state, event, frame, at, first, second);
}

static inline __attribute__((always_inline)) int
dispatch_argument(PyThreadState *state, int event, eval_frame *frame, _Py_CODEUNIT *at,
		  PyObject *first, PyObject *second, unsigned mode)
{
	PyCodeObject *code = EVAL_FRAME_CODE(frame);

	if (is_leave(event)) {
		if (is_ours(state, code, at, event) && dispatch_leave(code, KYMO_EVENT_LEAVE, mode))
			return 0;
	} else if (is_exception(event) && dispatch_exception(state, code, frame, at, event, mode)) {
		return 0;
	}
	return dispatchdetours_original[DISPATCH_ARGUMENT](state, event, frame, at, first, second);
}

/* For each mode a pair of functions without tests of the mode, and the pair of what is rare. */
#define DISPATCH_ARGUMENTS                                                                         \
	(PyThreadState * state, int event, eval_frame *frame, _Py_CODEUNIT *at, PyObject *first,   \
	 PyObject *second)
#define DISPATCH_RARE(suffix, mode)                                                                \
	static __attribute__((noinline)) int plain_rare_##suffix DISPATCH_ARGUMENTS                \
	{                                                                                          \
		return dispatch_plain(state, event, frame, at, first, second, mode);               \
	}                                                                                          \
	static __attribute__((noinline)) int argument_rare_##suffix DISPATCH_ARGUMENTS             \
	{                                                                                          \
		return dispatch_argument(state, event, frame, at, first, second, mode);            \
	}
#define DISPATCH(suffix, mode)                                                                     \
	DISPATCH_RARE(suffix, mode)                                                                \
	static __attribute__((nonnull(3))) int plain_##suffix DISPATCH_ARGUMENTS                   \
	{                                                                                          \
		PyCodeObject *code = EVAL_FRAME_CODE(frame);                                       \
                                                                                                   \
		if (is_enter(event) && is_ours(state, code, at, event) &&                          \
		    kymo_likely(dispatch_enter_at_once(code, frame, mode)))                        \
			return 0;                                                                  \
		return plain_rare_##suffix(state, event, frame, at, first, second);                \
	}                                                                                          \
	static int argument_##suffix DISPATCH_ARGUMENTS                                            \
	{                                                                                          \
		PyCodeObject *code = EVAL_FRAME_CODE(frame);                                       \
                                                                                                   \
		if (is_leave(event) && is_ours(state, code, at, event) &&                          \
		    kymo_likely(dispatch_leave_at_once(code, mode)))                               \
			return 0;                                                                  \
		return argument_rare_##suffix(state, event, frame, at, first, second);             \
	}
DISPATCH(profile, KYMO_MODE_PROFILE)
DISPATCH(trace, KYMO_MODE_TRACE)
DISPATCH(both, KYMO_MODE_PROFILE | KYMO_MODE_TRACE)
DISPATCH(positions, KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS)
DISPATCH_RARE(any, collector.mode)

/* Events of returns of C functions go to the tools of CALL. */
static int c_two(PyThreadState *state, int event, eval_frame *frame, _Py_CODEUNIT *at,
		 PyObject *first, PyObject *second)
{
	PyCodeObject *code = EVAL_FRAME_CODE(frame);

	if ((event == PY_MONITORING_EVENT_CALL || event == PY_MONITORING_EVENT_C_RETURN) &&
	    is_ours(state, code, at, PY_MONITORING_EVENT_CALL) &&
	    (event == PY_MONITORING_EVENT_CALL ? events_enter_known_c(code, first)
					       : events_leave_known_c(code, first)))
		return 0;
	return dispatchdetours_original[DISPATCH_TWO](state, event, frame, at, first, second);
}

static void dispatchevents_select(unsigned mode, dispatch_fn out[DISPATCH_FUNCTIONS])
{
	switch (mode) {
	case KYMO_MODE_PROFILE:
		out[DISPATCH_PLAIN] = plain_profile;
		out[DISPATCH_ARGUMENT] = argument_profile;
		break;
	case KYMO_MODE_TRACE:
		out[DISPATCH_PLAIN] = plain_trace;
		out[DISPATCH_ARGUMENT] = argument_trace;
		break;
	case KYMO_MODE_PROFILE | KYMO_MODE_TRACE:
		out[DISPATCH_PLAIN] = plain_both;
		out[DISPATCH_ARGUMENT] = argument_both;
		break;
	case KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS:
		out[DISPATCH_PLAIN] = plain_positions;
		out[DISPATCH_ARGUMENT] = argument_positions;
		break;
	}
}

void dispatchevents_functions(unsigned mode, bool with_c, dispatch_fn out[DISPATCH_FUNCTIONS])
{
	out[DISPATCH_PLAIN] = plain_rare_any;
	out[DISPATCH_ARGUMENT] = argument_rare_any;
	out[DISPATCH_TWO] = with_c ? c_two : NULL;
	if (codecache.is_layout_known)
		dispatchevents_select(mode, out);
}

#endif
