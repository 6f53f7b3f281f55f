/* Hooking `_thread.start_new_thread` and its variants.  Only an audit hook can notice: it receives
 * the function that begins the thread, which is thread_main(). */
#include "instrumenters/threadhooks.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "greenlets.h"
#include "instrumenters/builtinhook.h"

/* Passed to a new thread: owned by a capsule. */
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
static char *threadhooks_name_of(PyObject *function)
{
	PyObject *owner = PyMethod_Check(function) ? PyMethod_GET_SELF(function) : NULL;
	PyObject *name = owner ? PyObject_GetAttrString(owner, "_name") : NULL;
	const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
	char *copy = text ? strdup(text) : NULL;

	Py_XDECREF(name);
	PyErr_Clear();
	return copy;
}

static PyObject *start_capsule(PyObject *function)
{
	struct start *start = calloc(1, sizeof(*start));
	PyObject *capsule;

	if (!start)
		return PyErr_NoMemory();
	start->ticket = kymo_thread_ticket();
	start->name = threadhooks_name_of(function);
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

/* The interpreter's message for an exception that ends a thread names the started function: make
 * that the program's, not the wrapper. */
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

/* Runs first in the new thread. */
static PyObject *thread_main(PyObject *capsule, PyObject *arguments, PyObject *keywords)
{
	struct start *start = PyCapsule_GetPointer(capsule, NULL);
	bool is_known = kymo_thread_current != NULL; /* to followers of the process's threads */
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

/* Call the original with thread_main instead of the function. */
static PyObject *start_thread(const struct builtin_hook *hook, PyObject *self, PyObject *arguments,
			      PyObject *keywords)
{
	PyObject *function = PyTuple_GET_SIZE(arguments) ? PyTuple_GET_ITEM(arguments, 0) : NULL;
	PyObject *capsule, *wrapped, *replaced, *result;

	if (!collector.active || !function || !PyCallable_Check(function) ||
	    PyThreadState_Get()->interp != PyInterpreterState_Main())
		return builtinhook_call(hook, self, arguments, keywords);
	capsule = start_capsule(function);
	wrapped = capsule ? PyCFunction_New(&thread_main_method, capsule) : NULL;
	replaced = wrapped ? with_first(arguments, wrapped) : NULL;
	result = replaced ? builtinhook_call(hook, self, replaced, keywords) : NULL;
	Py_XDECREF(replaced);
	Py_XDECREF(wrapped);
	Py_XDECREF(capsule);
	return result;
}

/* A hook does not receive its own registration, so each has functions of its own. */
enum { START_NEW_THREAD, START_NEW, START_JOINABLE_THREAD, STARTS };
static struct builtin_hook starts[STARTS];

#define START_FUNCTIONS(id, suffix)                                                                \
	static PyObject *plain_##suffix(PyObject *self, PyObject *arguments)                       \
	{                                                                                          \
		return start_thread(&starts[id], self, arguments, NULL);                           \
	}                                                                                          \
	static PyObject *keyword_##suffix(PyObject *self, PyObject *arguments, PyObject *keywords) \
	{                                                                                          \
		return start_thread(&starts[id], self, arguments, keywords);                       \
	}
START_FUNCTIONS(START_NEW_THREAD, start_new_thread)
START_FUNCTIONS(START_NEW, start_new)
START_FUNCTIONS(START_JOINABLE_THREAD, start_joinable_thread)

#define START_HOOK(suffix)                                                                         \
	{                                                                                          \
		.module = "_thread", .name = #suffix, .plain = plain_##suffix,                     \
		.keyword = keyword_##suffix                                                        \
	}
static struct builtin_hook starts[STARTS] = {
	[START_NEW_THREAD] = START_HOOK(start_new_thread),
	[START_NEW] = START_HOOK(start_new),
	[START_JOINABLE_THREAD] = START_HOOK(start_joinable_thread),
};

void threadhooks_install(void)
{
	for (int i = 0; i < STARTS; i++)
		builtinhook_install(&starts[i]);
}

void threadhooks_remove(void)
{
	for (int i = 0; i < STARTS; i++)
		builtinhook_remove(&starts[i]);
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
