/* Instrumenter `dispatch`: takes over the functions by which the interpreter dispatches monitoring
 * events (3.12+), and so has the events without a callback.
 *
 * It is a monitoring tool with the same events and the same callbacks as `monitoring`.  An event is
 * taken directly where it is for this tool alone, of the interpreter that is recorded, and of code
 * that is recorded: then nothing that the original does can be seen but the call of our callback.
 * All others are the original's, which calls the callbacks of all tools as ever. */
#include "instrumenters/dispatch.h"

#include "instrumenters/monitoringevents.h"
#include "runtime/store/note.h"

#if PY_VERSION_HEX >= 0x030c0000 && PY_VERSION_HEX < 0x030e0000

#include <string.h>

#include "instrumenters/dispatchfunctions.h"
#include "instrumenters/dispatchprobe.h"
#include "instrumenters/monitoringtool.h"
#include "object/code/detour.h"

/* What each event of the interpreter asks for, in as few lines of the cache as can be. */
static struct {
	PyInterpreterState *interpreter; /* whose events are taken; NULL = nobody's */
	unsigned tool;			 /* its bit, as none other has at an event that is ours */
	dispatch_fn original[DISPATCH_FUNCTIONS];
} dispatch;

static struct detour detours[DISPATCH_FUNCTIONS];
static const char *refusal; /* why it can never be; NULL = it can, or that is not known yet */
static bool is_tried, is_noted;

/* The tools that the interpreter would tell of an event of code, as it looks them up. */
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

/* Events of code are ours alone, and so are those that come wherever the code is. */
static inline __attribute__((always_inline)) bool
is_ours(const PyThreadState *state, const PyCodeObject *code, const _Py_CODEUNIT *at, int event)
{
	return is_watched(state) && kymo_likely(tools_of_code(code, at, event) == dispatch.tool);
}

static inline __attribute__((always_inline)) bool is_ours_anywhere(const PyThreadState *state,
								   int event)
{
	return is_watched(state) &&
	       kymo_likely(state->interp->monitors.tools[event] == dispatch.tool);
}

/* False: what is not common is the original's, by its callback. */
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

#if BYTECODE_ASKS_FIRST

/* True: nothing begins here. */
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

/* Exceptions: true when the event was taken. */
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

static inline __attribute__((always_inline)) bool is_exception(int event)
{
	return event == PY_MONITORING_EVENT_PY_UNWIND || event == PY_MONITORING_EVENT_PY_THROW ||
	       event == PY_MONITORING_EVENT_RAISE;
}

static inline __attribute__((always_inline)) int dispatch_plain(PyThreadState *state, int event,
								eval_frame *frame, _Py_CODEUNIT *at,
								PyObject *first, PyObject *second,
								unsigned mode)
{
	PyCodeObject *code = EVAL_FRAME_CODE(frame);

	if (kymo_likely(event <= PY_MONITORING_EVENT_PY_RESUME) &&
	    is_ours(state, code, at, event) && dispatch_enter(code, frame, mode))
		return 0;
	return dispatch.original[DISPATCH_PLAIN](state, event, frame, at, first, second);
}

static inline __attribute__((always_inline)) int
dispatch_argument(PyThreadState *state, int event, eval_frame *frame, _Py_CODEUNIT *at,
		  PyObject *first, PyObject *second, unsigned mode)
{
	PyCodeObject *code = EVAL_FRAME_CODE(frame);

	if (kymo_likely(event == PY_MONITORING_EVENT_PY_RETURN ||
			event == PY_MONITORING_EVENT_PY_YIELD)) {
		if (is_ours(state, code, at, event) && dispatch_leave(code, KYMO_EVENT_LEAVE, mode))
			return 0;
	} else if (is_exception(event) && dispatch_exception(state, code, frame, at, event, mode)) {
		return 0;
	}
	return dispatch.original[DISPATCH_ARGUMENT](state, event, frame, at, first, second);
}

/* One function for every mode, each without tests of the mode. */
#define DISPATCH(suffix, mode)                                                                     \
	static int plain_##suffix(PyThreadState *state, int event, eval_frame *frame,              \
				  _Py_CODEUNIT *at, PyObject *first, PyObject *second)             \
	{                                                                                          \
		return dispatch_plain(state, event, frame, at, first, second, mode);               \
	}                                                                                          \
	static int argument_##suffix(PyThreadState *state, int event, eval_frame *frame,           \
				     _Py_CODEUNIT *at, PyObject *first, PyObject *second)          \
	{                                                                                          \
		return dispatch_argument(state, event, frame, at, first, second, mode);            \
	}
DISPATCH(profile, KYMO_MODE_PROFILE)
DISPATCH(trace, KYMO_MODE_TRACE)
DISPATCH(both, KYMO_MODE_PROFILE | KYMO_MODE_TRACE)
DISPATCH(any, collector.mode)

static const dispatch_fn *functions_for(unsigned mode)
{
	static const dispatch_fn all[][DISPATCH_FUNCTIONS] = {{plain_profile, argument_profile},
							      {plain_trace, argument_trace},
							      {plain_both, argument_both},
							      {plain_any, argument_any}};

	switch (mode) {
	case KYMO_MODE_PROFILE:
		return all[0];
	case KYMO_MODE_TRACE:
		return all[1];
	case KYMO_MODE_PROFILE | KYMO_MODE_TRACE:
		return all[2];
	default:
		return all[3];
	}
}

static const char *dispatch_unavailable(void)
{
	return refusal ? refusal : detour_unavailable();
}

/* Without another interpreter, whoever is in the interpreter's code holds its lock, as we do: no
 * thread is where it changes. */
static bool is_only_interpreter(void)
{
	PyInterpreterState *first = PyInterpreterState_Head();

	return first == PyInterpreterState_Get() && !PyInterpreterState_Next(first);
}

static bool is_left_written(void)
{
	for (int i = 0; i < DISPATCH_FUNCTIONS; i++)
		if (!detours[i].is_written)
			return false;
	return true;
}

/* Where text cannot be as it was, what is in its place hands everything on: nobody is watched. */
static void dispatch_take_back(void)
{
	for (int i = 0; is_only_interpreter() && i < DISPATCH_FUNCTIONS; i++)
		detour_take_back(&detours[i]);
}

static bool dispatch_write(const dispatch_fn functions[DISPATCH_FUNCTIONS])
{
	for (int i = 0; i < DISPATCH_FUNCTIONS; i++) {
		if (detour_write(&detours[i], (const void *)(uintptr_t)functions[i]) == 0)
			continue;
		dispatch_take_back();
		return false;
	}
	return true;
}

/* What is read of the interpreter beside its functions is where it is taken to be: our bit is where
 * it was set, and nowhere else. */
static bool has_known_layout(void)
{
	const uint8_t *tools = PyInterpreterState_Get()->monitors.tools;
	const unsigned tool = monitoringtool_bit();

	return (tools[PY_MONITORING_EVENT_PY_START] & tool) &&
	       (tools[PY_MONITORING_EVENT_PY_THROW] & tool) &&
	       (tools[PY_MONITORING_EVENT_PY_UNWIND] & tool) &&
	       !(tools[PY_MONITORING_EVENT_LINE] & tool) &&
	       !(tools[PY_MONITORING_EVENT_RERAISE] & tool);
}

/* What may be taken over: looked for in two ways, before the tool is started. */
struct dispatch_candidates {
	struct dispatch_probe *probe;
	struct dispatch_guess guesses[DISPATCH_GUESSES];
	unsigned count;
	const char *reason; /* NULL = there are some */
};

static void dispatch_look(struct dispatch_candidates *candidates)
{
	memset(candidates, 0, sizeof(*candidates));
	candidates->probe = dispatchprobe_new();
	PyErr_Clear();
	candidates->reason = candidates->probe ? dispatchfunctions_by_name(candidates->guesses)
					       : "out of memory";
	candidates->count = 1;
	if (!candidates->reason || !candidates->probe)
		return;
	candidates->reason = dispatchfunctions_by_stack(candidates->probe, candidates->guesses);
	candidates->count = DISPATCH_GUESSES;
}

static const char *dispatch_try(const struct dispatch_guess *guess, struct dispatch_probe *probe)
{
	const char *reason = NULL;
	bool is_right;

	for (int i = 0; !reason && i < DISPATCH_FUNCTIONS; i++) {
		const struct dispatch_place *place = &guess->places[i];

		reason = place->start ? detour_prepare(&detours[i], place->start, place->size)
				      : "the interpreter's functions are not found";
		dispatch.original[i] = (dispatch_fn)(uintptr_t)detours[i].original;
	}
	if (reason)
		return reason;
	if (!dispatch_write(dispatchprobe_functions))
		return "the interpreter's text cannot be written to";
	is_right = dispatchprobe_is_right(probe, dispatch.original);
	dispatch_take_back();
	return is_right ? NULL : "the interpreter dispatches events in another way";
}

/* Once in a process, with the tool started. */
static const char *dispatch_try_all(struct dispatch_candidates *candidates)
{
	const char *reason = candidates->reason;

	is_tried = true;
	if (!reason && !has_known_layout())
		reason = "the interpreter is laid out in another way";
	if (reason)
		return reason;
	for (unsigned i = 0; i < candidates->count; i++) {
		reason = dispatch_try(&candidates->guesses[i], candidates->probe);
		if (!reason)
			break;
	}
	return reason;
}

/* The tool is started, so that callbacks do until here; NULL, or why they go on. */
static const char *dispatch_take_over(struct dispatch_candidates *candidates)
{
	if (!is_only_interpreter() && !is_left_written())
		return "another interpreter runs";
	if (!is_tried)
		refusal = dispatch_try_all(candidates);
	if (!refusal && !dispatch_write(functions_for(collector.mode)))
		refusal = "the interpreter's text cannot be written to";
	if (refusal)
		return refusal;
	dispatch.tool = monitoringtool_bit();
	dispatch.interpreter = PyInterpreterState_Get();
	return NULL;
}

static void note_refusal(const char *reason)
{
	if (!is_noted && reason)
		kymo_note_add(KYMO_NOTE_INFO, "python", reason);
	is_noted |= reason != NULL;
}

static int dispatch_start(void)
{
	struct dispatch_candidates candidates = {.probe = NULL};
	const char *reason = dispatch_unavailable();

	if (!reason && !is_tried && is_only_interpreter())
		dispatch_look(&candidates);
	if (monitoring_instrumenter.start() < 0) {
		dispatchprobe_free(candidates.probe);
		return -1;
	}
	note_refusal(reason ? reason : dispatch_take_over(&candidates));
	dispatchprobe_free(candidates.probe);
	return 0;
}

static void dispatch_stop(void)
{
	dispatch.interpreter = NULL;
	dispatch_take_back();
	monitoring_instrumenter.stop();
}

void dispatch_note_refusal(void)
{
	note_refusal(dispatch_unavailable());
}

#else

static const char *dispatch_unavailable(void)
{
	return PY_VERSION_HEX < 0x030c0000 ? "sys.monitoring exists from Python 3.12 on"
					   : "this version dispatches events in another way";
}

static int dispatch_start(void)
{
	PyErr_SetString(PyExc_ValueError, dispatch_unavailable());
	return -1;
}

static void dispatch_stop(void)
{
}

void dispatch_note_refusal(void)
{
}

#endif

static int dispatch_renew(void)
{
	return monitoring_instrumenter.renew();
}

const struct instrumenter dispatch_instrumenter = {
	.name = "dispatch",
	.unavailable = dispatch_unavailable,
	.sees_c = true,
	.sees_arguments = true,
	.sees_offset = true,
	.start = dispatch_start,
	.stop = dispatch_stop,
	.renew = dispatch_renew,
};
