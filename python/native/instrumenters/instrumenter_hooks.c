/* Instrumenters `cProfile`, `cTrace`, `profile` and `trace`: the interpreter's profile and trace
 * hooks.
 *
 * The first two install C functions, the others callables as sys.setprofile() and sys.settrace()
 * take them, for programs that inspect what is installed there.  All receive a frame object with
 * every event, which is their main cost. */
#include "events.h"

#include <string.h>

#include "bytecode.h"
#include "instrumenters/hooks.h"
#include "instrumenters/resumedgenerators.h"
#include "runtime/store/note.h"

static void enter_code(PyCodeObject *code, PyFrameObject *frame)
{
	struct enter_source source = {.frame = frame, .offset = -1};

	if (code->co_flags & CODE_IS_GENERATOR)
		source.identity = (uint64_t)(uintptr_t)frame;
	events_enter(code, &source, collector.mode);
}

#if BYTECODE_SIGNALS_FIRST

/* A generator that was resumed without an event, since a signal handler raised there and the
 * generator caught it, is entered at its next event. */
static void enter_unreported(PyFrameObject *frame)
{
	PyCodeObject *code = frame_code(frame);

	if (code->co_flags & CODE_IS_GENERATOR &&
	    !resumed_has(kymo_thread(), frame_of_object(frame))) {
		enter_code(code, frame);
		resumed_add(kymo_thread(), frame_of_object(frame));
	}
	Py_DECREF(code);
}

static void enter_unreported_caller(PyFrameObject *frame)
{
	const eval_frame *caller = resumed_calling(frame_of_object(frame));
	PyFrameObject *object;

	if (!caller || resumed_has(kymo_thread(), caller))
		return;
	object = PyFrame_GetBack(frame);
	if (object)
		enter_unreported(object);
	Py_XDECREF(object);
}

static void note_resumed(const PyCodeObject *code, PyFrameObject *frame)
{
	if (code->co_flags & CODE_IS_GENERATOR)
		resumed_add(kymo_thread(), frame_of_object(frame));
}

/* A function interrupted by a raising handler at its RESUME cannot catch that: it ends there. */
static void prepare_leave(PyCodeObject *code, PyFrameObject *frame)
{
	if (code->co_flags & CODE_IS_GENERATOR) {
		enter_unreported(frame);
		resumed_drop(kymo_thread(), frame_of_object(frame));
	} else if (bytecode_is_resume(code, frame_last_instruction(frame))) {
		enter_code(code, frame);
	}
}

/* A callable does not receive the end of a frame without its beginning.  Its next event is the
 * exception in the caller: the traceback begins with the caller and ends with the function that was
 * ended so.  The flag that the interpreter would have set for the frame prevents a second
 * notification. */
static void visit_ended(PyObject *callable, PyObject *raised)
{
	PyTracebackObject *caller, *ended;
	PyObject *traceback = PyTuple_Check(raised) && PyTuple_GET_SIZE(raised) == 3
				      ? PyTuple_GET_ITEM(raised, 2)
				      : NULL;
	PyCodeObject *code;
	PyObject *notified;

	if (!traceback || !PyTraceBack_Check(traceback))
		return;
	caller = (PyTracebackObject *)traceback;
	ended = caller->tb_next;
	if (kymo_likely(!ended || ended->tb_next))
		return;
	code = frame_code(ended->tb_frame);
	notified = bytecode_is_resume(code, ended->tb_lasti)
			   ? PyObject_GetAttrString((PyObject *)ended->tb_frame, "f_trace")
			   : NULL;
	if (notified == Py_None &&
	    PyObject_SetAttrString((PyObject *)ended->tb_frame, "f_trace", callable) == 0) {
		enter_code(code, ended->tb_frame);
		events_leave(code, KYMO_EVENT_UNWIND, collector.mode);
	}
	PyErr_Clear();
	Py_XDECREF(notified);
	Py_DECREF(code);
}

#else

static void visit_ended(PyObject *callable, PyObject *raised)
{
	(void)callable, (void)raised;
}

static void enter_unreported(PyFrameObject *frame)
{
	(void)frame;
}

static void enter_unreported_caller(PyFrameObject *frame)
{
	(void)frame;
}

static void note_resumed(const PyCodeObject *code, PyFrameObject *frame)
{
	(void)code, (void)frame;
}

static void prepare_leave(PyCodeObject *code, PyFrameObject *frame)
{
	(void)code, (void)frame;
}

#endif

static void enter_frame(PyFrameObject *frame)
{
	PyCodeObject *code = frame_code(frame);

	enter_unreported_caller(frame);
	enter_code(code, frame);
	note_resumed(code, frame);
	Py_DECREF(code);
}

static void leave_frame(PyFrameObject *frame, enum kymo_event_kind kind)
{
	PyCodeObject *code = frame_code(frame);

	prepare_leave(code, frame);
	events_leave(code, kind, collector.mode);
	Py_DECREF(code);
}

static void enter_c(PyFrameObject *frame, PyObject *callable)
{
	PyCodeObject *caller = frame_code(frame);

	enter_unreported(frame);
	events_enter_c(caller, callable);
	Py_DECREF(caller);
}

static void hooks_leave_c(PyFrameObject *frame, PyObject *callable, enum kymo_event_kind kind)
{
	PyCodeObject *caller = frame_code(frame);

	events_leave_c(caller, callable, kind);
	Py_DECREF(caller);
}

static int on_profile(PyObject *self, PyFrameObject *frame, int what, PyObject *argument)
{
	(void)self;
	switch (what) {
	case PyTrace_CALL:
		enter_frame(frame);
		break;
	case PyTrace_RETURN:
		leave_frame(frame, argument ? KYMO_EVENT_LEAVE : KYMO_EVENT_UNWIND);
		break;
	case PyTrace_C_CALL:
		if (collector.trace_c)
			enter_c(frame, argument);
		break;
	case PyTrace_C_RETURN:
		if (collector.trace_c)
			hooks_leave_c(frame, argument, KYMO_EVENT_LEAVE);
		break;
	case PyTrace_C_EXCEPTION:
		if (collector.trace_c)
			hooks_leave_c(frame, argument, KYMO_EVENT_UNWIND);
		break;
	}
	return 0;
}

/* Line events arrive, too: turning them off for a frame would turn them off for the program's
 * debugger as well. */
static int on_trace(PyObject *self, PyFrameObject *frame, int what, PyObject *argument)
{
	(void)self;
	if (what == PyTrace_CALL)
		enter_frame(frame);
	else if (what == PyTrace_RETURN)
		leave_frame(frame, argument ? KYMO_EVENT_LEAVE : KYMO_EVENT_UNWIND);
	else if (what == PyTrace_EXCEPTION)
		enter_unreported(frame);
	return 0;
}

static const struct hook c_profile = {HOOK_PROFILE, on_profile, NULL};
static const struct hook c_trace = {HOOK_TRACE, on_trace, NULL};

static void note_lost(const char *what, int count)
{
	char text[320];

	if (count <= 0)
		return;
	PyOS_snprintf(
		text, sizeof(text),
		"the %s function was not Kymo's in %d of the threads when recording stopped: the "
		"program had set or removed it, or they began outside of Python; "
		"--instrumenter-type auto needs none",
		what, count);
	kymo_note_add(KYMO_NOTE_LOSS, "python", text);
}

static const char *hooks_unavailable(void)
{
	return NULL;
}

static int start_c_profile(void)
{
	return hooks_install(&c_profile);
}

static void stop_c_profile(void)
{
	note_lost("profile", hooks_remove(&c_profile));
}

static void thread_c_profile(void)
{
	hooks_set_current(HOOK_PROFILE, on_profile, NULL);
}

static int start_c_trace(void)
{
	return hooks_install(&c_trace);
}

static void stop_c_trace(void)
{
	note_lost("trace", hooks_remove(&c_trace));
}

static void thread_c_trace(void)
{
	hooks_set_current(HOOK_TRACE, on_trace, NULL);
}

/* profile(frame, event, argument), as sys.setprofile() calls it. */
static PyObject *profile_event(PyObject *self, PyObject *arguments)
{
	PyObject *frame, *argument;
	const char *event;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "O!sO", &PyFrame_Type, &frame, &event, &argument))
		return NULL;
	if (!strcmp(event, "call"))
		enter_frame((PyFrameObject *)frame);
	else if (!strcmp(event, "return"))
		leave_frame((PyFrameObject *)frame, KYMO_EVENT_LEAVE);
	else if (collector.trace_c && !strcmp(event, "c_call"))
		enter_c((PyFrameObject *)frame, argument);
	else if (collector.trace_c && !strcmp(event, "c_return"))
		hooks_leave_c((PyFrameObject *)frame, argument, KYMO_EVENT_LEAVE);
	else if (collector.trace_c && !strcmp(event, "c_exception"))
		hooks_leave_c((PyFrameObject *)frame, argument, KYMO_EVENT_UNWIND);
	Py_RETURN_NONE;
}

/* Up to 3.10 every event of a callable keeps the frame's local objects alive, by the dictionary
 * that is made of them: with fewer line events fewer finalizers run late.  A debugger that the
 * program starts within such a frame misses its lines, though. */
static void leave_lines_out(PyFrameObject *frame)
{
	if (PY_VERSION_HEX < 0x030b0000)
		frame->f_trace_lines = 0;
}

/* trace(frame, event, argument), as sys.settrace() calls it; returns itself, so that the
 * frame's return is traced too. */
static PyObject *trace_event(PyObject *self, PyObject *arguments)
{
	PyObject *frame, *argument;
	PyObject *callable;
	const char *event;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "O!sO", &PyFrame_Type, &frame, &event, &argument))
		return NULL;
	callable = PyObject_GetAttrString(collector.module, "_trace_event");
	if (!callable)
		return NULL;
	if (!strcmp(event, "call")) {
		leave_lines_out((PyFrameObject *)frame);
		enter_frame((PyFrameObject *)frame);
	} else if (!strcmp(event, "return")) {
		leave_frame((PyFrameObject *)frame, KYMO_EVENT_LEAVE);
	} else if (!strcmp(event, "exception")) {
		enter_unreported((PyFrameObject *)frame);
		visit_ended(callable, argument);
	}
	return callable;
}

static PyMethodDef event_methods[] = {
	{"_profile_event", profile_event, METH_VARARGS, "For sys.setprofile()."},
	{"_trace_event", trace_event, METH_VARARGS, "For sys.settrace()."},
	{NULL, NULL, 0, NULL},
};

int hooks_add_methods(PyObject *module)
{
	return PyModule_AddFunctions(module, event_methods);
}

/* An instrumenter that the program can see through sys.getprofile() or sys.gettrace(), in this
 * thread and in new ones; threads that run already, whose state cannot be accessed from Python, get
 * the C side of the hook. */
struct visible_hook {
	struct hook hook;
	const char *what, *method, *setter;
};

static struct visible_hook visible_profile = {
	{HOOK_PROFILE, on_profile, NULL}, "profile", "_profile_event", "setprofile"};
static struct visible_hook visible_trace = {
	{HOOK_TRACE, on_trace, NULL}, "trace", "_trace_event", "settrace"};

/* Make the hook installed in this thread visible; 0, or -1 with an exception. */
static int show_here(const struct visible_hook *visible)
{
	PyObject *setter = PySys_GetObject(visible->setter);
	PyObject *result = NULL;

	if (setter)
		result = PyObject_CallFunctionObjArgs(setter, visible->hook.callable, NULL);
	else
		PyErr_Format(PyExc_RuntimeError, "sys.%s is missing", visible->setter);
	Py_XDECREF(result);
	return result ? 0 : -1;
}

static int start_visible(struct visible_hook *visible)
{
	struct hook *hook = &visible->hook;

	if (!hook->callable) /* never freed */
		hook->callable = PyObject_GetAttrString(collector.module, visible->method);
	if (!hook->callable || hooks_install(hook) < 0)
		return -1;
	if (hooks_function(PyThreadState_Get(), hook->slot) != hook->function)
		return 0; /* the program's own is installed */
	return show_here(visible);
}

static void stop_visible(struct visible_hook *visible)
{
	note_lost(visible->what, hooks_remove(&visible->hook));
}

static void thread_visible(const struct visible_hook *visible)
{
	if (show_here(visible) < 0)
		PyErr_Clear();
}

static int start_profile(void)
{
	return start_visible(&visible_profile);
}

static void stop_profile(void)
{
	stop_visible(&visible_profile);
}

static void thread_profile(void)
{
	thread_visible(&visible_profile);
}

static int start_trace(void)
{
	return start_visible(&visible_trace);
}

static void stop_trace(void)
{
	stop_visible(&visible_trace);
}

static void thread_trace(void)
{
	thread_visible(&visible_trace);
}

const struct instrumenter cprofile_instrumenter = {
	.name = "cProfile",
	.unavailable = hooks_unavailable,
	.sees_c = true,
	.sees_arguments = true,
	.sees_offset = true,
	.start = start_c_profile,
	.stop = stop_c_profile,
	.thread_start = thread_c_profile,
};

const struct instrumenter ctrace_instrumenter = {
	.name = "cTrace",
	.unavailable = hooks_unavailable,
	.sees_arguments = true,
	.sees_offset = true,
	.start = start_c_trace,
	.stop = stop_c_trace,
	.thread_start = thread_c_trace,
};

const struct instrumenter profile_instrumenter = {
	.name = "profile",
	.unavailable = hooks_unavailable,
	.sees_c = true,
	.sees_arguments = true,
	.sees_offset = true,
	.start = start_profile,
	.stop = stop_profile,
	.thread_start = thread_profile,
};

const struct instrumenter trace_instrumenter = {
	.name = "trace",
	.unavailable = hooks_unavailable,
	.sees_arguments = true,
	.sees_offset = true,
	.start = start_trace,
	.stop = stop_trace,
	.thread_start = thread_trace,
};
