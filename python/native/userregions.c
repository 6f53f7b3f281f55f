/* region_begin(), region_end(), pause() and resume() of kymo._native. */
#include "userregions.h"

#include "collector.h"

/* The regions that Python began, so that a mismatched end raises in the code that wrote it.  The
 * stack of all open regions, also of other languages, is the thread's own. */
static bool userregions_push(struct thread_notes *notes, uint32_t region)
{
	return region_push(&notes->user, &notes->user_count, &notes->user_capacity, region);
}

void userregion_begin(uint32_t region)
{
	struct kymo_thread *thread = kymo_thread();
	struct thread_notes *notes = region ? thread_notes(thread) : NULL;

	if (notes && userregions_push(notes, region))
		kymo_user_begin(thread, region);
}

int userregion_end(uint32_t region, PyObject *name)
{
	struct kymo_thread *thread = kymo_thread();
	struct thread_notes *notes = region ? thread_notes(thread) : NULL;

	if (!notes)
		return 0;
	if (notes->user_count == 0 || notes->user[notes->user_count - 1] != region) {
		PyErr_Format(PyExc_RuntimeError,
			     "region %R is not the innermost open region of this thread", name);
		return -1;
	}
	notes->user_count--;
	kymo_user_end(thread, region);
	if (!collector.active)
		kymo_thread_unwind(thread);
	return 0;
}

static PyObject *region_begin(PyObject *self, PyObject *name)
{
	const char *text = PyUnicode_AsUTF8(name);

	(void)self;
	if (!text)
		return NULL;
	if (kymo_runtime_state() == KYMO_RUNTIME_ACTIVE)
		userregion_begin(kymo_user_region(text));
	Py_RETURN_NONE;
}

static PyObject *region_end(PyObject *self, PyObject *name)
{
	const char *text = PyUnicode_AsUTF8(name);

	(void)self;
	if (!text)
		return NULL;
	if (kymo_runtime_state() == KYMO_RUNTIME_ACTIVE &&
	    userregion_end(kymo_user_region(text), name) < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *pause_thread(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	kymo_user_pause(kymo_thread());
	Py_RETURN_NONE;
}

static PyObject *resume_thread(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	kymo_user_resume(kymo_thread());
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{"region_begin", region_begin, METH_O, "Enter a region on the calling thread."},
	{"region_end", region_end, METH_O,
	 "Leave it; RuntimeError when it is not the innermost open one."},
	{"pause", pause_thread, METH_NOARGS, "Record nothing on the calling thread; counted."},
	{"resume", resume_thread, METH_NOARGS, "Undo one pause()."},
	{NULL, NULL, 0, NULL},
};

int userregions_add_methods(PyObject *module)
{
	return PyModule_AddFunctions(module, methods) < 0 ? -1 : regiontype_add(module);
}
