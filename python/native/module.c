/* The extension module kymo._native: opening and closing, starting and stopping. */
#include "collector.h"

#include <string.h>

#include "base/status.h"
#include "calibrate.h"
#include "codecache.h"
#include "detached.h"
#include "filter.h"
#include "instrumenters/dispatch.h"
#include "instrumenters/exithook.h"
#include "instrumenters/hooks.h"
#include "instrumenters/threadhooks.h"
#include "labels.h"
#include "platform/usage.h"
#include "runtime/store/note.h"
#include "userregions.h"

#define REASON_BYTES 512

/* The strings of a list as bytes: a program's arguments and file names need not be UTF-8.  NULL
 * with an exception. */
static PyObject *module_bytes_of(PyObject *list)
{
	PyObject *sequence = PySequence_Fast(list, "a list of strings is expected");
	Py_ssize_t count = sequence ? PySequence_Fast_GET_SIZE(sequence) : 0;
	PyObject *all = sequence ? PyTuple_New(count) : NULL;

	for (Py_ssize_t i = 0; all && i < count; i++) {
		PyObject *bytes = PyUnicode_AsEncodedString(PySequence_Fast_GET_ITEM(sequence, i),
							    "utf-8", "surrogateescape");

		if (bytes)
			PyTuple_SET_ITEM(all, i, bytes);
		else
			Py_CLEAR(all);
	}
	Py_XDECREF(sequence);
	return all;
}

/* A NULL-terminated array of a tuple of bytes, borrowed from it; NULL with an exception. */
static const char **string_array(PyObject *all)
{
	Py_ssize_t count = PyTuple_GET_SIZE(all);
	const char **array = PyMem_Calloc((size_t)count + 1, sizeof(*array));

	for (Py_ssize_t i = 0; array && i < count; i++)
		array[i] = PyBytes_AS_STRING(PyTuple_GET_ITEM(all, i));
	if (!array)
		PyErr_NoMemory();
	return array;
}

/* began_ns: CPU time of this thread when Kymo's start began, from time.thread_time_ns(); 0 = now.
 * No child process may have been waited for since. */
static int open_runtime(const char **settings, const char **argv, unsigned long long began_ns)
{
	uint64_t others_ns = usage_own_ns() - usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct kymo_runtime_options options = {.size = sizeof(options),
					       .settings = settings,
					       .argv = argv,
					       .began_ns = began_ns ? began_ns + others_ns : 0};
	char reason[REASON_BYTES] = "";
	int result = kymo_runtime_open(&options, reason, sizeof(reason));

	if (result < 0) {
		PyErr_SetString(result == KYMO_USAGE ? PyExc_ValueError : PyExc_RuntimeError,
				reason);
		return -1;
	}
	collector.mode = kymo_runtime_mode();
	collector.is_open = true;
	return codecache_init();
}

static PyObject *native_open(PyObject *self, PyObject *arguments)
{
	PyObject *settings_list, *argv_list, *settings_bytes, *argv_bytes;
	unsigned long long began_ns = 0;
	const char **settings, **argv;
	int result = -1;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "OO|K", &settings_list, &argv_list, &began_ns))
		return NULL;
	settings_bytes = module_bytes_of(settings_list);
	argv_bytes = settings_bytes ? module_bytes_of(argv_list) : NULL;
	settings = argv_bytes ? string_array(settings_bytes) : NULL;
	argv = settings ? string_array(argv_bytes) : NULL;
	if (argv)
		result = open_runtime(settings, argv, began_ns);
	PyMem_Free(argv);
	PyMem_Free(settings);
	Py_XDECREF(argv_bytes);
	Py_XDECREF(settings_bytes);
	if (result < 0)
		return NULL;
	Py_RETURN_NONE;
}

static void stop_now(void)
{
	const struct instrumenter *active = collector.active;

	collector.active = NULL;
	active->stop();
	threadhooks_name_all();
	kymo_threads_unwind();
}

static PyObject *native_close(PyObject *self, PyObject *arguments)
{
	int status = -1;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "|i", &status))
		return NULL;
	if (kymo_runtime_state() != KYMO_RUNTIME_ACTIVE || collector.is_shut)
		Py_RETURN_NONE;
	collector.is_shut = true;
	kymo_cost_ending();
	if (collector.active)
		stop_now();
	threadhooks_remove();
	calibrate();
	Py_BEGIN_ALLOW_THREADS kymo_runtime_close(status);
	Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static bool can_start(void)
{
	return !collector.is_shut && kymo_runtime_state() == KYMO_RUNTIME_ACTIVE;
}

/* Hook the interpreter, unless it is hooked or must not be; 0, or -1 with an exception. */
static int start_now(void)
{
	const struct instrumenter *chosen;

	if (collector.active || collector.traces < 0)
		return 0;
	chosen = instrumenter_select();
	if (!chosen)
		return -1;
	if (collector.starts == 0)
		calibrate_early();
	threadhooks_install();
	kymo_runtime_ready();
	kymo_thread();
	collector.starts++;
	collector.active = chosen;
	if (chosen->start() < 0) {
		collector.active = NULL;
		return -1;
	}
	if (!collector.chosen && chosen == &monitoring_instrumenter)
		dispatch_note_refusal();
	return 0;
}

static int start_one(void)
{
	if (collector.running++ > 0 || start_now() == 0)
		return 0;
	collector.running--;
	return -1;
}

static void stop_one(void)
{
	if (collector.running > 0 && --collector.running == 0 && collector.active)
		stop_now();
}

static PyObject *native_start(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	if (can_start() && start_one() < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *native_stop(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	stop_one();
	Py_RETURN_NONE;
}

/* The program's own starts and stops are counted separately: a surplus stop prevents all starts
 * until it is undone. */
static PyObject *native_trace_start(PyObject *self, PyObject *unused)
{
	int status = 0;

	(void)self, (void)unused;
	if (!can_start())
		Py_RETURN_NONE;
	collector.traces++;
	if (collector.traces > 0)
		status = start_one();
	else if (collector.traces == 0 && collector.running > 0)
		status = start_now();
	if (status == 0)
		Py_RETURN_NONE;
	collector.traces--;
	return NULL;
}

static PyObject *native_trace_stop(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	collector.traces--;
	if (collector.traces >= 0)
		stop_one();
	else if (collector.active)
		stop_now();
	Py_RETURN_NONE;
}

static PyObject *native_is_running(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	return PyBool_FromLong(collector.active != NULL);
}

/* If the process is recorded as a whole, the runtime is open before and after this module. */
static enum kymo_runtime_state state(void)
{
	enum kymo_runtime_state runtime = kymo_runtime_state();

	if (runtime != KYMO_RUNTIME_ACTIVE)
		return runtime;
	if (!collector.is_open)
		return KYMO_RUNTIME_NEW;
	return collector.is_shut ? KYMO_RUNTIME_CLOSED : KYMO_RUNTIME_ACTIVE;
}

static PyObject *native_state(PyObject *self, PyObject *unused)
{
	static const char *const names[] = {"new", "active", "closed", "disabled"};

	(void)self, (void)unused;
	return PyUnicode_FromString(names[state()]);
}

static PyObject *native_directory(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	return PyUnicode_DecodeFSDefault(kymo_runtime_directory());
}

static PyObject *native_recording(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	return PyUnicode_DecodeFSDefault(kymo_runtime_recording());
}

static PyObject *native_setting(PyObject *self, PyObject *name)
{
	const char *text = PyUnicode_AsUTF8(name);
	const char *value = text ? kymo_runtime_setting(text) : NULL;

	(void)self;
	if (!text)
		return NULL;
	if (!value)
		Py_RETURN_NONE;
	return PyUnicode_DecodeFSDefault(value);
}

static void set_switch(PyObject *config, const char *key, bool *value)
{
	PyObject *object = PyDict_GetItemString(config, key);

	if (object)
		*value = PyObject_IsTrue(object) > 0;
}

static PyObject *native_configure(PyObject *self, PyObject *config)
{
	(void)self;
	if (!PyDict_Check(config)) {
		PyErr_SetString(PyExc_TypeError, "configure() takes a dict");
		return NULL;
	}
	if (filter_configure(config) < 0)
		return NULL;
	labels_configure(config);
	set_switch(config, "trace_c", &collector.trace_c);
	set_switch(config, "include_args", &collector.include_arguments);
	set_switch(config, "annotate_trace", &collector.annotate);
	PyErr_Clear();
	labels_renew();
	codecache_renew();
	if (collector.active && collector.active->renew && collector.active->renew() < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *native_instrumenters(PyObject *self, PyObject *unused)
{
	PyObject *list = PyList_New(0);

	(void)self, (void)unused;
	for (int i = 0; list && instrumenter_table[i]; i++) {
		const char *reason = instrumenter_table[i]->unavailable();
		PyObject *row = Py_BuildValue("sOs", instrumenter_table[i]->name,
					      reason ? Py_False : Py_True, reason ? reason : "");

		if (!row || PyList_Append(list, row) < 0)
			Py_CLEAR(list);
		Py_XDECREF(row);
	}
	return list;
}

static PyObject *native_instrumenter(PyObject *self, PyObject *unused)
{
	const struct instrumenter *chosen;

	(void)self, (void)unused;
	chosen = collector.active ? collector.active : instrumenter_select();
	return chosen ? PyUnicode_FromString(chosen->name) : NULL;
}

static PyObject *native_set_instrumenter(PyObject *self, PyObject *name)
{
	const char *text = PyUnicode_AsUTF8(name);
	const struct instrumenter *found;

	(void)self;
	if (!text)
		return NULL;
	found = instrumenter_find(text);
	if (!found && strcmp(text, "auto") != 0) {
		PyErr_Format(
			PyExc_ValueError,
			"unknown instrumenter '%s'; there are auto, frame, dispatch, monitoring, "
			"cProfile, profile, cTrace, trace and dummy",
			text);
		return NULL;
	}
	if (found && found->unavailable()) {
		PyErr_Format(PyExc_ValueError, "instrumenter '%s' is not available: %s", text,
			     found->unavailable());
		return NULL;
	}
	collector.chosen = found;
	Py_RETURN_NONE;
}

static PyObject *native_before_exit(PyObject *self, PyObject *handler)
{
	(void)self;
	exithook_set(handler == Py_None ? NULL : handler);
	Py_RETURN_NONE;
}

static PyObject *native_note(PyObject *self, PyObject *arguments)
{
	const char *key, *value;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "ss", &key, &value))
		return NULL;
	kymo_note_add(KYMO_NOTE_INFO, key, value);
	Py_RETURN_NONE;
}

static PyObject *native_error_string(PyObject *self, PyObject *code)
{
	long value = PyLong_AsLong(code);

	(void)self;
	if (value == -1 && PyErr_Occurred())
		return NULL;
	return PyUnicode_FromString(value == 0	  ? "no error"
				    : value == -1 ? "failed"
						  : "unknown error");
}

static PyMethodDef methods[] = {
	{"open", native_open, METH_VARARGS,
	 "open(settings, argv, began_ns=0): begin the recording."},
	{"close", native_close, METH_VARARGS, "close(status=-1): end it and write the outputs."},
	{"start", native_start, METH_NOARGS, "Begin collecting in all threads; nested."},
	{"stop", native_stop, METH_NOARGS, "End what one start() began."},
	{"trace_start", native_trace_start, METH_NOARGS,
	 "The program's start, or its stop undone."},
	{"trace_stop", native_trace_stop, METH_NOARGS,
	 "Its start undone, or hold all others back."},
	{"is_running", native_is_running, METH_NOARGS, "True while collecting."},
	{"state", native_state, METH_NOARGS, "'new', 'active', 'closed' or 'disabled'."},
	{"directory", native_directory, METH_NOARGS, "The run directory, '' before opening."},
	{"recording", native_recording, METH_NOARGS, "This process's recording."},
	{"setting", native_setting, METH_O, "Value of a setting as text, None if unknown."},
	{"configure", native_configure, METH_O, "Take filter and label configuration."},
	{"instrumenters", native_instrumenters, METH_NOARGS, "[(name, is available, why not)]."},
	{"instrumenter", native_instrumenter, METH_NOARGS, "Name of the one that is used."},
	{"set_instrumenter", native_set_instrumenter, METH_O, "Choose one by name, or 'auto'."},
	{"before_exit", native_before_exit, METH_O, "before_exit(f): f(status) before os._exit()."},
	{"note", native_note, METH_VARARGS, "note(key, value): add a fact to the recording."},
	{"error_string", native_error_string, METH_O, "Text of a status code."},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "kymo._native",
	.m_doc = "The C side of the Python collector.",
	.m_size = -1,
	.m_methods = methods,
};

/* PyMODINIT_FUNC does not export before 3.9. */
KYMO_EXPORT PyObject *PyInit__native(void);

PyObject *PyInit__native(void)
{
	PyObject *module;

	if (kymo_runtime_abi() != KYMO_RUNTIME_ABI) {
		PyErr_Format(PyExc_ImportError,
			     "libkymo.so has interface %d, kymo._native was built for %d; install "
			     "both from the same build",
			     kymo_runtime_abi(), KYMO_RUNTIME_ABI);
		return NULL;
	}
	module = PyModule_Create(&definition);
	if (!module || hooks_add_methods(module) < 0 || userregions_add_methods(module) < 0 ||
	    detached_add_methods(module) < 0) {
		Py_XDECREF(module);
		return NULL;
	}
	collector.module = module;
	return module;
}
