/* Following greenlet switches.  A greenlet's fiber is attached to the greenlet object itself, in a
 * capsule that releases the fiber when the greenlet is freed. */
#include "greenlets.h"

#include <string.h>

#define FIBER_ATTRIBUTE "_kymo_fiber"

static PyObject *greenlet_module; /* once the program has imported it */

struct fiber_holder {
	struct kymo_thread *fiber;
	bool is_owner; /* the fiber was created for this greenlet and is released with it */
};

static void holder_free(PyObject *capsule)
{
	struct fiber_holder *holder = PyCapsule_GetPointer(capsule, NULL);

	if (holder->is_owner)
		kymo_fiber_put(holder->fiber);
	free(holder);
}

/* The state the greenlet runs on: its fiber, created at its first switch; for the thread's main
 * greenlet the thread's own state, which is stored when it is first left. */
static struct fiber_holder *holder_of(PyObject *greenlet)
{
	PyObject *capsule = PyObject_GetAttrString(greenlet, FIBER_ATTRIBUTE);
	struct fiber_holder *holder = NULL;

	if (!capsule) {
		PyErr_Clear();
		holder = calloc(1, sizeof(*holder));
		capsule = holder ? PyCapsule_New(holder, NULL, holder_free) : NULL;
		if (!capsule || PyObject_SetAttrString(greenlet, FIBER_ATTRIBUTE, capsule) < 0)
			holder = NULL;
	} else {
		holder = PyCapsule_GetPointer(capsule, NULL);
	}
	PyErr_Clear();
	Py_XDECREF(capsule);
	return holder;
}

static void on_switch(PyObject *origin, PyObject *target)
{
	struct fiber_holder *from = holder_of(origin), *to = holder_of(target);

	if (!from || !to)
		return;
	from->fiber = kymo_thread();
	if (!to->fiber || !kymo_fiber_is_valid(to->fiber)) {
		to->fiber = kymo_fiber_get("greenlet");
		to->is_owner = true;
	}
	if (to->fiber)
		kymo_fiber_switch(to->fiber);
}

/* callback(event, (origin, target)); self is the previous callback. */
static PyObject *on_greenlet_event(PyObject *self, PyObject *arguments)
{
	PyObject *event, *pair, *result;

	if (!PyArg_ParseTuple(arguments, "OO", &event, &pair))
		return NULL;
	if (PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2)
		on_switch(PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
	if (!self || self == Py_None)
		Py_RETURN_NONE;
	result = PyObject_Call(self, arguments, NULL);
	return result;
}

static PyMethodDef event_method = {"on_greenlet_event", on_greenlet_event, METH_VARARGS, NULL};

static void trace_thread(void)
{
	struct kymo_thread *thread = kymo_thread();
	struct thread_notes *notes = thread_notes(thread);
	PyObject *before, *function = NULL, *result = NULL;

	if (!notes || notes->has_greenlet_trace || thread->is_fiber)
		return;
	notes->has_greenlet_trace = true;
	thread->blocked++;
	before = PyObject_CallMethod(greenlet_module, "gettrace", NULL);
	if (before)
		function = PyCFunction_New(&event_method, before);
	if (function)
		result = PyObject_CallMethod(greenlet_module, "settrace", "O", function);
	PyErr_Clear();
	Py_XDECREF(result);
	Py_XDECREF(function);
	Py_XDECREF(before);
	thread->blocked--;
}

void greenlets_notice(void)
{
	if (!greenlet_module) {
		PyObject *modules = PyImport_GetModuleDict();
		PyObject *module = PyDict_GetItemString(modules, "greenlet");

		if (!module || !PyObject_HasAttrString(module, "settrace"))
			return;
		Py_INCREF(module);
		greenlet_module = module;
	}
	trace_thread();
}

void greenlets_thread_start(void)
{
	if (greenlet_module)
		trace_thread();
}
