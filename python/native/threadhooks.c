/* Wrapping `_thread.start_new_thread` and its kin, wherever they are already imported. */
#include "threadhooks.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "greenlets.h"

struct start_function {
	const char *module, *name;
};

/* Every place the standard library keeps one in. */
static const struct start_function places[] = {
	{"_thread", "start_new_thread"},	 {"_thread", "start_new"},
	{"threading", "_start_new_thread"},	 {"_thread", "start_joinable_thread"},
	{"threading", "_start_joinable_thread"},
};
#define PLACES (sizeof(places) / sizeof(*places))

/* What a new thread needs to know: owned by a capsule. */
struct start {
	struct kymo_thread_ticket ticket;
	char *name;
	PyObject *function;
};

static void start_free(PyObject *capsule)
{
	struct start *start = PyCapsule_GetPointer(capsule, NULL);

	free(start->name);
	Py_XDECREF(start->function);
	free(start);
}

/* The name of the threading.Thread whose method is about to run. */
static char *name_of(PyObject *function)
{
	PyObject *owner = PyMethod_Check(function) ? PyMethod_GET_SELF(function) : NULL;
	PyObject *name = owner ? PyObject_GetAttrString(owner, "_name") : NULL;
	const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
	char *copy = text ? strdup(text) : NULL;

	Py_XDECREF(name);
	PyErr_Clear();
	return copy;
}

static PyObject *start_new(PyObject *function)
{
	struct start *start = calloc(1, sizeof(*start));
	PyObject *capsule;

	if (!start)
		return PyErr_NoMemory();
	start->ticket = kymo_thread_ticket();
	start->name = name_of(function);
	Py_INCREF(function);
	start->function = function;
	capsule = PyCapsule_New(start, NULL, start_free);
	if (!capsule) {
		free(start->name);
		Py_DECREF(function);
		free(start);
	}
	return capsule;
}

/* What the interpreter prints for an exception that ends a thread names the function that
 * was started; it shall name the program's, not ours. */
static PyObject *report_unraisable(PyObject *function)
{
	if (PyErr_ExceptionMatches(PyExc_SystemExit)) {
		PyErr_Clear();
		Py_RETURN_NONE;
	}
#if PY_VERSION_HEX >= 0x030d0000
	PyErr_FormatUnraisable("Exception ignored in thread started by %R", function);
#else
	_PyErr_WriteUnraisableMsg("in thread started by", function);
#endif
	Py_RETURN_NONE;
}

/* First thing in the new thread. */
static PyObject *thread_main(PyObject *capsule, PyObject *arguments, PyObject *keywords)
{
	struct start *start = PyCapsule_GetPointer(capsule, NULL);
	bool is_known = kymo_thread_current != NULL; /* to whoever follows the process's threads */
	PyObject *result;

	kymo_thread_begin(&start->ticket, start->name);
	if (is_known && start->name)
		kymo_thread_name((uint64_t)syscall(SYS_gettid), start->name);
	greenlets_thread_start();
	if (collector.active && collector.active->thread_start)
		collector.active->thread_start();
	result = PyObject_Call(start->function, arguments, keywords);
	return result ? result : report_unraisable(start->function);
}

static PyMethodDef thread_main_method = {"thread_main", (PyCFunction)(void (*)(void))thread_main,
					 METH_VARARGS | METH_KEYWORDS, NULL};

/* The arguments with the first one replaced. */
static PyObject *with_first(PyObject *arguments, PyObject *first)
{
	Py_ssize_t count = PyTuple_GET_SIZE(arguments);
	PyObject *replaced = PyTuple_New(count);

	for (Py_ssize_t i = 0; replaced && i < count; i++) {
		PyObject *item = i == 0 ? first : PyTuple_GET_ITEM(arguments, i);

		Py_INCREF(item);
		PyTuple_SET_ITEM(replaced, i, item);
	}
	return replaced;
}

/* original(function, …) with function replaced by thread_main; self is the original. */
static PyObject *start_thread(PyObject *original, PyObject *arguments, PyObject *keywords)
{
	PyObject *function = PyTuple_GET_SIZE(arguments) ? PyTuple_GET_ITEM(arguments, 0) : NULL;
	PyObject *capsule, *wrapped, *replaced, *result;

	if (!collector.active || !function || !PyCallable_Check(function))
		return PyObject_Call(original, arguments, keywords);
	capsule = start_new(function);
	wrapped = capsule ? PyCFunction_New(&thread_main_method, capsule) : NULL;
	replaced = wrapped ? with_first(arguments, wrapped) : NULL;
	result = replaced ? PyObject_Call(original, replaced, keywords) : NULL;
	Py_XDECREF(replaced);
	Py_XDECREF(wrapped);
	Py_XDECREF(capsule);
	return result;
}

static PyMethodDef start_method = {"start_new_thread", (PyCFunction)(void (*)(void))start_thread,
				   METH_VARARGS | METH_KEYWORDS, NULL};

static bool is_ours(PyObject *function)
{
	return PyCFunction_Check(function) &&
	       ((PyCFunctionObject *)function)->m_ml == &start_method;
}

/* The function in a place, a new reference; NULL without exception when it is not there:
 * another version's, or a module not imported yet, which will take it from _thread. */
static PyObject *find(const struct start_function *place, PyObject **module_out)
{
	PyObject *function = NULL;

	*module_out = PyDict_GetItemString(PyImport_GetModuleDict(), place->module);
	if (*module_out)
		function = PyObject_GetAttrString(*module_out, place->name);
	if (!function)
		PyErr_Clear();
	return function;
}

static int replace(const struct start_function *place)
{
	PyObject *module, *function = find(place, &module), *wrapper = NULL;
	int result = 0;

	if (function && !is_ours(function)) {
		wrapper = PyCFunction_New(&start_method, function);
		result = wrapper ? PyObject_SetAttrString(module, place->name, wrapper) : -1;
	}
	Py_XDECREF(wrapper);
	Py_XDECREF(function);
	return result;
}

int threadhooks_install(void)
{
	for (size_t i = 0; i < PLACES; i++)
		if (replace(&places[i]) < 0)
			return -1;
	return 0;
}

/* Only where the function there is still ours. */
static void restore(const struct start_function *place)
{
	PyObject *module, *function = find(place, &module);

	if (function && is_ours(function) &&
	    PyObject_SetAttrString(module, place->name, PyCFunction_GET_SELF(function)) < 0)
		PyErr_Clear();
	Py_XDECREF(function);
}

void threadhooks_remove(void)
{
	PyObject *type, *value, *traceback;

	PyErr_Fetch(&type, &value, &traceback);
	for (size_t i = 0; i < PLACES; i++)
		restore(&places[i]);
	PyErr_Restore(type, value, traceback);
}

static void name_thread(PyObject *thread)
{
	PyObject *name = PyObject_GetAttrString(thread, "_name");
	PyObject *id = PyObject_GetAttrString(thread, "_native_id");

	if (name && PyUnicode_Check(name) && id && PyLong_Check(id))
		kymo_thread_name(PyLong_AsUnsignedLongLong(id), PyUnicode_AsUTF8(name));
	PyErr_Clear();
	Py_XDECREF(name);
	Py_XDECREF(id);
}

void threadhooks_name_all(void)
{
	PyObject *modules = PyImport_GetModuleDict();
	PyObject *module = PyDict_GetItemString(modules, "threading");
	PyObject *active = module ? PyObject_GetAttrString(module, "_active") : NULL;
	PyObject *threads = active && PyDict_Check(active) ? PyDict_Values(active) : NULL;

	for (Py_ssize_t i = 0; threads && i < PyList_GET_SIZE(threads); i++)
		name_thread(PyList_GET_ITEM(threads, i));
	PyErr_Clear();
	Py_XDECREF(threads);
	Py_XDECREF(active);
}
