/* kymo._native.Region: a named region that is begun and ended without a line of Python; it caches
 * the region of its name. */
#include "userregions.h"

#include <structmember.h>

#define RECENT_COUNT 64

struct region {
	PyObject_HEAD PyObject *label;
	uint32_t id; /* 0 = not resolved yet */
};

/* The first region of an unrecorded program opens the recording, if it can. */
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

/* Recently resolved names: a region in a loop is created in each iteration, with the same str
 * object. */
static struct recent {
	PyObject *label; /* a reference */
	uint32_t id;
} recent[RECENT_COUNT];

static uint32_t regiontype_resolve(PyObject *label)
{
	const char *text = PyUnicode_AsUTF8(label);

	if (text)
		return kymo_user_region(text);
	PyErr_Clear(); /* lone surrogates: such a name is not recorded */
	return 0;
}

static uint32_t regiontype_id_of(struct region *self)
{
	struct recent *entry = &recent[((uintptr_t)self->label >> 4) % RECENT_COUNT];

	if (kymo_likely(self->id))
		return self->id;
	if (kymo_unlikely(entry->label != self->label)) {
		entry->id = regiontype_resolve(self->label);
		Py_INCREF(self->label);
		Py_XSETREF(entry->label, self->label);
	}
	self->id = entry->id;
	return self->id;
}

static int regiontype_begin(struct region *self)
{
	if (kymo_unlikely(!collector.is_open)) {
		int is_open = ensure_open();

		if (is_open <= 0)
			return is_open;
	}
	if (kymo_runtime_state() == KYMO_RUNTIME_ACTIVE)
		userregion_begin(regiontype_id_of(self));
	return 0;
}

static int regiontype_end(struct region *self)
{
	if (!collector.is_open || kymo_runtime_state() != KYMO_RUNTIME_ACTIVE)
		return 0;
	return userregion_end(regiontype_id_of(self), self->label);
}

static PyObject *region_start(PyObject *self, PyObject *unused)
{
	(void)unused;
	if (regiontype_begin((struct region *)self) < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *region_stop(PyObject *self, PyObject *unused)
{
	(void)unused;
	if (regiontype_end((struct region *)self) < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *region_enter(PyObject *self, PyObject *unused)
{
	(void)unused;
	if (regiontype_begin((struct region *)self) < 0)
		return NULL;
	Py_INCREF(self);
	return self;
}

/* The block has ended: a recording out of order must not end the program. */
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
	if (regiontype_end((struct region *)self) < 0 && report_order() < 0)
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

static PyObject *regiontype_make(PyTypeObject *type, PyObject *label)
{
	struct region *self;

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

static PyObject *region_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	PyObject *label = label_in(arguments, keywords);

	return label ? regiontype_make(type, label) : NULL;
}

#if PY_VERSION_HEX >= 0x03090000
/* region("name") without a tuple, the most common form of the call. */
static PyObject *region_call(PyObject *type, PyObject *const *arguments, size_t flags,
			     PyObject *names)
{
	Py_ssize_t count = PyVectorcall_NARGS(flags);
	PyObject *tuple, *keywords = NULL, *made = NULL;

	if (kymo_likely(count == 1 && !names))
		return regiontype_make((PyTypeObject *)type, arguments[0]);
	tuple = PyTuple_New(count);
	for (Py_ssize_t i = 0; tuple && i < count; i++) {
		Py_INCREF(arguments[i]);
		PyTuple_SET_ITEM(tuple, i, arguments[i]);
	}
	if (names)
		keywords = PyDict_New();
	for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(names); i++) {
		if (PyDict_SetItem(keywords, PyTuple_GET_ITEM(names, i), arguments[count + i]) < 0)
			Py_CLEAR(keywords);
	}
	if (tuple && (keywords || !names))
		made = region_new((PyTypeObject *)type, tuple, keywords);
	Py_XDECREF(tuple);
	Py_XDECREF(keywords);
	return made;
}
#endif

static void region_dealloc(PyObject *object)
{
	struct region *self = (struct region *)object;
	PyTypeObject *type = Py_TYPE(object);

	Py_CLEAR(self->label);
	type->tp_free(object);
	Py_DECREF(type);
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

static PyType_Slot slots[] = {
	{Py_tp_doc, (void *)"A named stretch of work: `with region(\"load\"):`, "
			    "`@region(\"load\")`, start and stop.\n\n"
			    "A decorated generator or coroutine is in its region only while it "
			    "runs.  A block must\nnot wait for other tasks: decorate the coroutine "
			    "instead."},
	{Py_tp_new, (void *)region_new},
	{Py_tp_dealloc, (void *)region_dealloc},
	{Py_tp_methods, methods},
	{Py_tp_members, members},
	{0, NULL},
};

/* A base type for Python classes; its objects are not tracked by the garbage collector. */
static PyType_Spec spec = {
	.name = REGION_TYPE_NAME,
	.basicsize = sizeof(struct region),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = slots,
};

int regiontype_add(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&spec);

	if (!type)
		return -1;
#if PY_VERSION_HEX >= 0x03090000
	((PyTypeObject *)type)->tp_vectorcall = region_call;
#endif
	if (PyModule_AddObject(module, "Region", type) == 0)
		return 0;
	Py_DECREF(type);
	return -1;
}
