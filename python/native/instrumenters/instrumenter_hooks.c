/* Instrumenters `cProfile`, `cTrace`, `profile` and `trace`: the interpreter's profile
 * and trace hooks.
 *
 * The first two install C functions, the others callables as sys.setprofile() and
 * sys.settrace() take them, for programs that look at what is installed there.  All see
 * a frame object with every event, which is what they cost. */
#include "events.h"

#include <string.h>

#include "bytecode.h"
#include "instrumenters/hooks.h"
#include "instrumenters/toldgenerators.h"
#include "runtime/store/note.h"

static void enter_code(PyCodeObject *code, PyFrameObject *frame)
{
	struct enter_source source = {.frame = frame, .offset = -1};

	if (code->co_flags & CODE_IS_GENERATOR)
		source.identity = (uint64_t)(uintptr_t)frame;
	events_enter(code, &source, collector.mode);
}

#if BYTECODE_ASKS_FIRST

/* A generator that nobody has heard of, since a signal's handler raised where it went on and it
 * caught that, is entered as soon as anything else is heard of it. */
static void enter_untold(PyFrameObject *frame)
{
	PyCodeObject *code = frame_code(frame);

	if (code->co_flags & CODE_IS_GENERATOR &&
	    !told_has(kymo_thread(), frame_of_object(frame))) {
		enter_code(code, frame);
		told_add(kymo_thread(), frame_of_object(frame));
	}
	Py_DECREF(code);
}

static void enter_untold_caller(PyFrameObject *frame)
{
	const eval_frame *caller = told_calling(frame_of_object(frame));
	PyFrameObject *object;

	if (!caller || told_has(kymo_thread(), caller))
		return;
	object = PyFrame_GetBack(frame);
	if (object)
		enter_untold(object);
	Py_XDECREF(object);
}

static void note_told(const PyCodeObject *code, PyFrameObject *frame)
{
	if (code->co_flags & CODE_IS_GENERATOR)
		told_add(kymo_thread(), frame_of_object(frame));
}

/* A function that was interrupted so cannot have caught it: it ends where it begins. */
static void prepare_leave(PyCodeObject *code, PyFrameObject *frame)
{
	if (code->co_flags & CODE_IS_GENERATOR) {
		enter_untold(frame);
		told_drop(kymo_thread(), frame_of_object(frame));
	} else if (bytecode_is_resume(code, frame_last_instruction(frame))) {
		enter_code(code, frame);
	}
}

/* A callable is told of no end of a frame that it was not told the beginning of.  The next it hears
 * is what the caller sees raised: the traceback names the caller and, last, who was ended so.  What
 * the interpreter would have set for a frame that was told keeps others from telling it again. */
static void visit_ended(PyObject *callable, PyObject *raised)
{
	PyTracebackObject *caller, *ended;
	PyObject *traceback = PyTuple_Check(raised) && PyTuple_GET_SIZE(raised) == 3
				      ? PyTuple_GET_ITEM(raised, 2)
				      : NULL;
	PyCodeObject *code;
	PyObject *told;

	if (!traceback || !PyTraceBack_Check(traceback))
		return;
	caller = (PyTracebackObject *)traceback;
	ended = caller->tb_next;
	if (kymo_likely(!ended || ended->tb_next))
		return;
	code = frame_code(ended->tb_frame);
	told = bytecode_is_resume(code, ended->tb_lasti)
		       ? PyObject_GetAttrString((PyObject *)ended->tb_frame, "f_trace")
		       : NULL;
	if (told == Py_None &&
	    PyObject_SetAttrString((PyObject *)ended->tb_frame, "f_trace", callable) == 0) {
		enter_code(code, ended->tb_frame);
		events_leave(code, KYMO_EVENT_UNWIND, collector.mode);
	}
	PyErr_Clear();
	Py_XDECREF(told);
	Py_DECREF(code);
}

#else

static void visit_ended(PyObject *callable, PyObject *raised)
{
	(void)callable, (void)raised;
}

static void enter_untold(PyFrameObject *frame)
{
	(void)frame;
}

static void enter_untold_caller(PyFrameObject *frame)
{
	(void)frame;
}

static void note_told(const PyCodeObject *code, PyFrameObject *frame)
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

	enter_untold_caller(frame);
	enter_code(code, frame);
	note_told(code, frame);
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

	enter_untold(frame);
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

/* Lines come too: a frame told to leave them out would leave them out for the program's
 * debugger as well. */
static int on_trace(PyObject *self, PyFrameObject *frame, int what, PyObject *argument)
{
	(void)self;
	if (what == PyTrace_CALL)
		enter_frame(frame);
	else if (what == PyTrace_RETURN)
		leave_frame(frame, argument ? KYMO_EVENT_LEAVE : KYMO_EVENT_UNWIND);
	else if (what == PyTrace_EXCEPTION)
		enter_untold(frame);
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

/* Up to 3.10 every event of a callable keeps alive what the frame's locals name, for the
 * dictionary that is made of them: a line fewer is a finalizer less that runs late.  A
 * debugger that the program starts inside of such a frame misses its lines, though. */
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
		enter_untold((PyFrameObject *)frame);
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

/* An instrumenter that the program can see through sys.getprofile() or sys.gettrace(), in
 * this thread and in those that begin; threads that run already, whose state cannot be
 * reached from Python, get the C side of the hook. */
struct visible_hook {
	struct hook hook;
	const char *what, *method, *setter;
};

static struct visible_hook visible_profile = {
	{HOOK_PROFILE, on_profile, NULL}, "profile", "_profile_event", "setprofile"};
static struct visible_hook visible_trace = {
	{HOOK_TRACE, on_trace, NULL}, "trace", "_trace_event", "settrace"};

/* Make what is installed in this thread visible; 0, or -1 with an exception. */
static int show_here(const struct visible_hook *visible)
{
	PyObject *setter = PySys_GetObject(visible->setter);
	PyObject *result = NULL;

	if (setter)
		result = PyObject_CallFunctionObjArgs(setter, visible->hook.callable, NULL);
	else
		PyErr_Format(PyExc_RuntimeError, "sys.%s is gone", visible->setter);
	Py_XDECREF(result);
	return result ? 0 : -1;
}

static int start_visible(struct visible_hook *visible)
{
	struct hook *hook = &visible->hook;

	if (!hook->callable) /* kept for good */
		hook->callable = PyObject_GetAttrString(collector.module, visible->method);
	if (!hook->callable || hooks_install(hook) < 0)
		return -1;
	if (hooks_function(PyThreadState_Get(), hook->slot) != hook->function)
		return 0; /* the program's own is there */
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
