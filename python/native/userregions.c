/* region_begin(), region_end(), pause() and resume() of kymo._native. */
#include "userregions.h"

#include "collector.h"
#include "labels.h"

/* Which regions Python began, so that a wrong end is told to who wrote it.  What is open
 * altogether, also by other languages, is on the thread's own stack. */
static bool push(struct thread_notes *notes, uint32_t region)
{
	return region_push(&notes->user, &notes->user_count, &notes->user_capacity, region);
}

static PyObject *region_begin(PyObject *self, PyObject *name)
{
	const char *text = PyUnicode_AsUTF8(name);
	struct kymo_thread *thread;
	struct thread_notes *notes;
	uint32_t region;

	(void)self;
	if (!text)
		return NULL;
	if (kymo_runtime_state() != KYMO_RUNTIME_ACTIVE)
		Py_RETURN_NONE;
	thread = kymo_thread();
	notes = thread_notes(thread);
	region = notes ? label_intern_user(text) : 0;
	if (region && push(notes, region))
		kymo_user_begin(thread, region);
	Py_RETURN_NONE;
}

static PyObject *not_open(PyObject *name)
{
	PyErr_Format(PyExc_RuntimeError,
		     "region %R is not the innermost open region of this thread", name);
	return NULL;
}

static PyObject *region_end(PyObject *self, PyObject *name)
{
	const char *text = PyUnicode_AsUTF8(name);
	struct kymo_thread *thread;
	struct thread_notes *notes;
	uint32_t region;

	(void)self;
	if (!text)
		return NULL;
	if (kymo_runtime_state() != KYMO_RUNTIME_ACTIVE)
		Py_RETURN_NONE;
	thread = kymo_thread();
	notes = thread_notes(thread);
	region = notes ? label_intern_user(text) : 0;
	if (!region)
		Py_RETURN_NONE;
	if (notes->user_count == 0 || notes->user[notes->user_count - 1] != region)
		return not_open(name);
	notes->user_count--;
	kymo_user_end(thread, region);
	if (!collector.active)
		kymo_thread_unwind(thread);
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
	return PyModule_AddFunctions(module, methods);
}
