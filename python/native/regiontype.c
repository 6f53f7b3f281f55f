/* kymo._native.Region: a named region that is begun and ended without a line of Python,
 * which remembers the region its name stands for. */
#include "userregions.h"

#include <structmember.h>

#define RECENT_COUNT 64

struct region {
	PyObject_HEAD PyObject *label;
	uint32_t id; /* 0 = not asked for yet */
};

/* The first region of a program that nobody records opens the recording, if it can. */
static int ensure_open(void)
{
	PyObject *session, *is_open;
	int result;

	if (kymo_runtime_state() == KYMO_RUNTIME_DISABLED)
		return 0;
	session = PyImport_ImportModule("kymo._session");
	is_open = session ? PyObject_CallMethod(session, "ensure_open", NULL) : NULL;
	result = is_open ? PyObject_IsTrue(is_open) : -1;
	Py_XDECREF(is_open);
	Py_XDECREF(session);
	return result;
}

/* What names stood for lately: a region in a loop is made anew each time round, of the same
 * text object. */
static struct recent {
	PyObject *label; /* a reference */
	uint32_t id;
} recent[RECENT_COUNT];

static uint32_t look_up(PyObject *label)
{
	const char *text = PyUnicode_AsUTF8(label);

	if (text)
		return kymo_user_region(text);
	PyErr_Clear(); /* lone surrogates: such a name is not recorded */
	return 0;
}

static uint32_t id_of(struct region *self)
{
	struct recent *entry = &recent[((uintptr_t)self->label >> 4) % RECENT_COUNT];

	if (kymo_likely(self->id))
		return self->id;
	if (kymo_unlikely(entry->label != self->label)) {
		entry->id = look_up(self->label);
		Py_INCREF(self->label);
		Py_XSETREF(entry->label, self->label);
	}
	self->id = entry->id;
	return self->id;
}

static int begin(struct region *self)
{
	if (kymo_unlikely(!collector.is_open)) {
		int is_open = ensure_open();

		if (is_open <= 0)
			return is_open;
	}
	if (kymo_runtime_state() == KYMO_RUNTIME_ACTIVE)
		userregion_begin(id_of(self));
	return 0;
}

static int end(struct region *self)
{
	if (!collector.is_open || kymo_runtime_state() != KYMO_RUNTIME_ACTIVE)
		return 0;
	return userregion_end(id_of(self), self->label);
}

static PyObject *region_start(PyObject *self, PyObject *unused)
{
	(void)unused;
	if (begin((struct region *)self) < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *region_stop(PyObject *self, PyObject *unused)
{
	(void)unused;
	if (end((struct region *)self) < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *region_enter(PyObject *self, PyObject *unused)
{
	(void)unused;
	if (begin((struct region *)self) < 0)
		return NULL;
	Py_INCREF(self);
	return self;
}

/* The block ended where it ended: a recording out of order must not end the program. */
static int report_order(void)
{
	PyObject *type, *value, *traceback, *user, *done = NULL;

	if (!PyErr_ExceptionMatches(PyExc_RuntimeError))
		return -1;
	PyErr_Fetch(&type, &value, &traceback);
	PyErr_NormalizeException(&type, &value, &traceback);
	user = PyImport_ImportModule("kymo.user");
	if (user)
		done = PyObject_CallMethod(user, "_report_order", "O", value);
	Py_XDECREF(user);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(traceback);
	Py_XDECREF(done);
	return done ? 0 : -1;
}

static PyObject *region_exit(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	(void)arguments, (void)count;
	if (end((struct region *)self) < 0 && report_order() < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *label_in(PyObject *arguments, PyObject *keywords)
{
	static char *names[] = {(char *)"label", NULL};
	PyObject *label = NULL;

	if (!keywords && PyTuple_GET_SIZE(arguments) == 1)
		return PyTuple_GET_ITEM(arguments, 0);
	PyArg_ParseTupleAndKeywords(arguments, keywords, "O:Region", names, &label);
	return label;
}

static PyObject *region_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	PyObject *label = label_in(arguments, keywords);
	struct region *self;

	if (!label)
		return NULL;
	if (!PyUnicode_Check(label)) {
		PyErr_SetString(PyExc_TypeError,
				"a region has a name: write @kymo.region(\"name\")");
		return NULL;
	}
	self = (struct region *)type->tp_alloc(type, 0);
	if (!self)
		return NULL;
	Py_INCREF(label);
	self->label = label;
	return (PyObject *)self;
}

static void region_dealloc(PyObject *object)
{
	struct region *self = (struct region *)object;

	Py_CLEAR(self->label);
	Py_TYPE(object)->tp_free(object);
}

static PyMethodDef methods[] = {
	{"start", region_start, METH_NOARGS, "Open the region on the calling thread."},
	{"stop", region_stop, METH_NOARGS,
	 "Close the region.  RuntimeError: another region was opened in it and is still."},
	{"__enter__", region_enter, METH_NOARGS, NULL},
	{"__exit__", (PyCFunction)(void (*)(void))region_exit, METH_FASTCALL, NULL},
	{NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
	{"label", T_OBJECT_EX, offsetof(struct region, label), READONLY, "The region's name."},
	{NULL, 0, 0, 0, NULL},
};

static PyTypeObject region_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = REGION_TYPE_NAME,
	.tp_basicsize = sizeof(struct region),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.tp_doc = "A named stretch of work on the calling thread.",
	.tp_new = region_new,
	.tp_dealloc = region_dealloc,
	.tp_methods = methods,
	.tp_members = members,
};

int regiontype_add(PyObject *module)
{
	if (PyType_Ready(&region_type) < 0)
		return -1;
	Py_INCREF(&region_type);
	if (PyModule_AddObject(module, "Region", (PyObject *)&region_type) == 0)
		return 0;
	Py_DECREF(&region_type);
	return -1;
}
