/* Instrumenters `cProfile`, `cTrace`, `profile` and `trace`: the interpreter's profile
 * and trace hooks.
 *
 * The first two install C functions, the others callables as sys.setprofile() and
 * sys.settrace() take them, for programs that look at what is installed there.  All see
 * a frame object with every event, which is what they cost. */
#include "events.h"

#include <string.h>

#include "hooks.h"

static void enter_frame(PyFrameObject *frame)
{
	PyCodeObject *code = frame_code(frame);
	struct enter_source source = {frame, 0, -1};

	if (code->co_flags & CODE_IS_GENERATOR)
		source.identity = (uint64_t)(uintptr_t)frame;
	events_enter(code, &source, collector.mode);
	Py_DECREF(code);
}

static void leave_frame(PyFrameObject *frame, enum kymo_event_kind kind)
{
	PyCodeObject *code = frame_code(frame);

	events_leave(code, kind, collector.mode);
	Py_DECREF(code);
}

/* ---- C functions ---------------------------------------------------------- */

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
			events_enter_c(argument);
		break;
	case PyTrace_C_RETURN:
		if (collector.trace_c)
			events_leave_c(argument, KYMO_EVENT_LEAVE);
		break;
	case PyTrace_C_EXCEPTION:
		if (collector.trace_c)
			events_leave_c(argument, KYMO_EVENT_UNWIND);
		break;
	}
	return 0;
}

/* Lines are not asked for: the frame says so before its first one. */
static int on_trace(PyObject *self, PyFrameObject *frame, int what, PyObject *argument)
{
	(void)self;
	if (what == PyTrace_CALL) {
		frame->f_trace_lines = 0;
		enter_frame(frame);
	} else if (what == PyTrace_RETURN) {
		leave_frame(frame, argument ? KYMO_EVENT_LEAVE : KYMO_EVENT_UNWIND);
	}
	return 0;
}

static void note_lost(const char *what, int count)
{
	char text[200];

	if (count <= 0)
		return;
	PyOS_snprintf(text, sizeof(text),
		      "the program set its own %s function in %d of its threads; from then on "
		      "they were not recorded. --instrumenter-type auto does not need it",
		      what, count);
	kymo_note_add(KYMO_NOTE_LOSS, "python", text);
}

static const char *unavailable(void)
{
	return NULL;
}

static int start_c_profile(void)
{
	return hooks_set_all(HOOK_PROFILE, on_profile, NULL);
}

static void stop_c_profile(void)
{
	note_lost("profile", hooks_count_lost(HOOK_PROFILE, on_profile));
	hooks_set_all(HOOK_PROFILE, NULL, NULL);
}

static void thread_c_profile(void)
{
	hooks_set_current(HOOK_PROFILE, on_profile, NULL);
}

static int start_c_trace(void)
{
	return hooks_set_all(HOOK_TRACE, on_trace, NULL);
}

static void stop_c_trace(void)
{
	note_lost("trace", hooks_count_lost(HOOK_TRACE, on_trace));
	hooks_set_all(HOOK_TRACE, NULL, NULL);
}

static void thread_c_trace(void)
{
	hooks_set_current(HOOK_TRACE, on_trace, NULL);
}

/* ---- callables ------------------------------------------------------------ */

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
		events_enter_c(argument);
	else if (collector.trace_c && !strcmp(event, "c_return"))
		events_leave_c(argument, KYMO_EVENT_LEAVE);
	else if (collector.trace_c && !strcmp(event, "c_exception"))
		events_leave_c(argument, KYMO_EVENT_UNWIND);
	Py_RETURN_NONE;
}

/* trace(frame, event, argument), as sys.settrace() calls it; returns itself, so that the
 * frame's return is traced too. */
static PyObject *trace_event(PyObject *self, PyObject *arguments)
{
	PyObject *frame, *argument;
	const char *event;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "O!sO", &PyFrame_Type, &frame, &event, &argument))
		return NULL;
	if (!strcmp(event, "call")) {
		((PyFrameObject *)frame)->f_trace_lines = 0;
		enter_frame((PyFrameObject *)frame);
	} else if (!strcmp(event, "return")) {
		leave_frame((PyFrameObject *)frame, KYMO_EVENT_LEAVE);
	}
	return PyObject_GetAttrString(collector.module, "_trace_event");
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

/* module.function(argument) or module.function(); a new reference or NULL. */
static PyObject *call_module(const char *module_name, const char *function, PyObject *argument)
{
	PyObject *module = PyImport_ImportModule(module_name);
	PyObject *result = NULL;

	if (module)
		result = argument ? PyObject_CallMethod(module, function, "O", argument)
				  : PyObject_CallMethod(module, function, NULL);
	Py_XDECREF(module);
	return result;
}

/* threading keeps the hook for new threads in a global; getprofile() is 3.10's. */
static PyObject *threading_hook(const char *name)
{
	PyObject *module = PyImport_ImportModule("threading");
	PyObject *hook = module ? PyObject_GetAttrString(module, name) : NULL;

	Py_XDECREF(module);
	if (!hook)
		PyErr_Clear();
	return hook ? hook : Py_BuildValue("");
}

/* What was installed before us, given back at the end. */
struct previous {
	PyObject *current, *future;
};

/* Our callable in this and in future threads; threads that run already, whose state
 * cannot be reached from Python, get the C side of the same hook. */
static int install(struct previous *previous, const char *kind, const char *method)
{
	char getter[16], setter[16], global[24];
	PyObject *function = PyObject_GetAttrString(collector.module, method);
	PyObject *first = NULL, *second = NULL;

	PyOS_snprintf(getter, sizeof(getter), "get%s", kind);
	PyOS_snprintf(setter, sizeof(setter), "set%s", kind);
	PyOS_snprintf(global, sizeof(global), "_%s_hook", kind);
	previous->current = call_module("sys", getter, NULL);
	previous->future = threading_hook(global);
	if (function && previous->current && previous->future)
		first = call_module("threading", setter, function);
	if (first)
		second = call_module("sys", setter, function);
	Py_XDECREF(function);
	Py_XDECREF(first);
	Py_XDECREF(second);
	return second ? 0 : -1;
}

static void give_back(struct previous *previous, const char *setter)
{
	PyObject *first = call_module("threading", setter, previous->future);
	PyObject *second = call_module("sys", setter, previous->current);

	if (!first || !second)
		PyErr_Clear();
	Py_XDECREF(first);
	Py_XDECREF(second);
	Py_CLEAR(previous->current);
	Py_CLEAR(previous->future);
}

static struct previous previous_profile, previous_trace;

static int start_profile(void)
{
	if (hooks_set_all(HOOK_PROFILE, on_profile, NULL) < 0)
		return -1;
	hooks_set_current(HOOK_PROFILE, NULL, NULL);
	return install(&previous_profile, "profile", "_profile_event");
}

static void stop_profile(void)
{
	hooks_set_all(HOOK_PROFILE, NULL, NULL);
	give_back(&previous_profile, "setprofile");
}

static int start_trace(void)
{
	if (hooks_set_all(HOOK_TRACE, on_trace, NULL) < 0)
		return -1;
	hooks_set_current(HOOK_TRACE, NULL, NULL);
	return install(&previous_trace, "trace", "_trace_event");
}

static void stop_trace(void)
{
	hooks_set_all(HOOK_TRACE, NULL, NULL);
	give_back(&previous_trace, "settrace");
}

const struct instrumenter cprofile_instrumenter = {
	.name = "cProfile",
	.unavailable = unavailable,
	.sees_c = true,
	.sees_arguments = true,
	.sees_offset = true,
	.start = start_c_profile,
	.stop = stop_c_profile,
	.thread_start = thread_c_profile,
};

const struct instrumenter ctrace_instrumenter = {
	.name = "cTrace",
	.unavailable = unavailable,
	.sees_arguments = true,
	.sees_offset = true,
	.start = start_c_trace,
	.stop = stop_c_trace,
	.thread_start = thread_c_trace,
};

const struct instrumenter profile_instrumenter = {
	.name = "profile",
	.unavailable = unavailable,
	.sees_c = true,
	.sees_arguments = true,
	.sees_offset = true,
	.start = start_profile,
	.stop = stop_profile,
	.thread_start = thread_c_profile,
};

const struct instrumenter trace_instrumenter = {
	.name = "trace",
	.unavailable = unavailable,
	.sees_arguments = true,
	.sees_offset = true,
	.start = start_trace,
	.stop = stop_trace,
	.thread_start = thread_c_trace,
};
