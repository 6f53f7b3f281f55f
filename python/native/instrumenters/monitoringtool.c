/* Callbacks are objects with a vectorcall slot of their own, a third cheaper than built-in
 * functions. */
#include "instrumenters/monitoringtool.h"

#include "codecache.h"

#if PY_VERSION_HEX >= 0x030c0000

struct callback {
	PyObject_HEAD vectorcallfunc call;
};

static PyTypeObject callback_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "kymo._native.callback",
	.tp_basicsize = sizeof(struct callback),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
	.tp_vectorcall_offset = offsetof(struct callback, call),
	.tp_call = PyVectorcall_Call,
};

/* Tool ids in the order they are tried: other profilers require 2. */
static const int tool_ids[] = {3, 4, 2};

static PyObject *monitoring; /* sys.monitoring, while running */
static PyObject *disable;    /* sys.monitoring.DISABLE, kept */
static int tool_id = -1;
static uint32_t disabled_epoch; /* of the decisions that locations were disabled for */
static const struct monitoring_binding *bound;

/* Claim a free tool id.  0, or -1 with an exception. */
static int claim_tool(void)
{
	for (size_t i = 0; i < sizeof(tool_ids) / sizeof(*tool_ids); i++) {
		PyObject *result =
			PyObject_CallMethod(monitoring, "use_tool_id", "is", tool_ids[i], "kymo");

		if (result) {
			Py_DECREF(result);
			tool_id = tool_ids[i];
			return 0;
		}
		PyErr_Clear();
	}
	PyErr_SetString(PyExc_ValueError,
			"sys.monitoring has no free tool id; choose --instrumenter-type frame");
	return -1;
}

/* Register call for an event by name; NULL unregisters.  The event's bit, or -1. */
static long register_callback(const char *event, vectorcallfunc call)
{
	PyObject *events = PyObject_GetAttrString(monitoring, "events");
	PyObject *number = events ? PyObject_GetAttrString(events, event) : NULL;
	PyObject *function = NULL, *previous = NULL;
	long bit = -1;

	if (number && call) {
		struct callback *object = PyObject_New(struct callback, &callback_type);

		if (object)
			object->call = call;
		function = (PyObject *)object;
	} else if (number) {
		function = Py_NewRef(Py_None);
	}
	if (function)
		previous = PyObject_CallMethod(monitoring, "register_callback", "iOO", tool_id,
					       number, function);
	if (previous)
		bit = PyLong_AsLong(number);
	Py_XDECREF(previous);
	Py_XDECREF(function);
	Py_XDECREF(number);
	Py_XDECREF(events);
	return bit;
}

static int set_events(long bits)
{
	PyObject *result = PyObject_CallMethod(monitoring, "set_events", "il", tool_id, bits);

	Py_XDECREF(result);
	return result ? 0 : -1;
}

static int bind_all(void)
{
	long bits = 0;

	for (const struct monitoring_binding *each = bound; each->event; each++) {
		long bit;

		if (!each->call)
			continue;
		bit = register_callback(each->event, each->call);
		if (bit < 0)
			return -1;
		if (!each->is_part)
			bits |= bit;
	}
	return set_events(bits);
}

static void unbind_all(void)
{
	set_events(0);
	for (const struct monitoring_binding *each = bound; each->event; each++)
		if (each->call)
			register_callback(each->event, NULL);
}

int monitoringtool_renew(void)
{
	PyObject *result;

	if (disabled_epoch == 0 || disabled_epoch == codecache.epoch) {
		disabled_epoch = codecache.epoch;
		return 0;
	}
	disabled_epoch = codecache.epoch;
	result = PyObject_CallMethod(monitoring, "restart_events", NULL);
	Py_XDECREF(result);
	return result ? 0 : -1;
}

void monitoringtool_stop(void)
{
	PyObject *type, *value, *traceback, *result;

	PyErr_Fetch(&type, &value, &traceback);
	if (tool_id >= 0) {
		unbind_all();
		result = PyObject_CallMethod(monitoring, "free_tool_id", "i", tool_id);
		Py_XDECREF(result);
		tool_id = -1;
	}
	Py_CLEAR(monitoring);
	PyErr_Restore(type, value, traceback);
}

int monitoringtool_start(const struct monitoring_binding *bindings)
{
	monitoring = Py_XNewRef(PySys_GetObject("monitoring"));
	if (!monitoring) {
		PyErr_SetString(PyExc_RuntimeError, "sys.monitoring is missing");
		return -1;
	}
	bound = bindings;
	if (!disable)
		disable = PyObject_GetAttrString(monitoring, "DISABLE");
	if (disable && PyType_Ready(&callback_type) == 0 && claim_tool() == 0 &&
	    monitoringtool_renew() == 0 && bind_all() == 0)
		return 0;
	monitoringtool_stop();
	return -1;
}

unsigned monitoringtool_bit(void)
{
	return tool_id < 0 ? 0 : 1u << tool_id;
}

PyObject *monitoringtool_disable(void)
{
	return Py_NewRef(disable);
}

#endif
