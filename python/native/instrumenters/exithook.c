/* Hooking posix._exit, which os._exit is. */
#include "instrumenters/exithook.h"

#include <string.h>

#include "instrumenters/builtinhook.h"

static PyObject *exit_handler;

/* The status as os._exit() will take it; NULL if it will reject it. */
static PyObject *exithook_status_of(PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
	Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;

	if (PyVectorcall_NARGS((size_t)count) + named != 1 || !PyLong_Check(arguments[0]))
		return NULL;
	if (named && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "status") != 0)
		return NULL;
	return arguments[0];
}

static void call_handler(PyObject *status)
{
	PyObject *handler = exit_handler, *result = NULL;
	int overflow;
	long value = PyLong_AsLongAndOverflow(status, &overflow);

	if (overflow || value != (int)value)
		return; /* it will raise OverflowError */
	Py_INCREF(handler);
	result = PyObject_CallFunction(handler, "l", value & 0xff);
	Py_XDECREF(result);
	Py_DECREF(handler);
	PyErr_Clear();
}

static PyObject *hooked_exit(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
			     PyObject *names);

static struct builtin_hook hook = {.module = "posix", .name = "_exit", .fast = hooked_exit};

static PyObject *hooked_exit(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
			     PyObject *names)
{
	PyObject *status = exithook_status_of(arguments, count, names);

	if (status && exit_handler && PyThreadState_Get()->interp == PyInterpreterState_Main())
		call_handler(status);
	return builtinhook_call_fast(&hook, self, arguments, count, names);
}

void exithook_set(PyObject *handler)
{
	PyObject *before = exit_handler;

	Py_XINCREF(handler);
	exit_handler = handler;
	if (handler)
		builtinhook_install(&hook);
	else
		builtinhook_remove(&hook);
	Py_XDECREF(before);
}
