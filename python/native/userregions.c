/* region_begin(), region_end(), pause() and resume() of kymo._native. */
#include "userregions.h"

#include "events.h"
#include "labels.h"

/* In the stack of open regions: it was recorded, so that its end is to be, paused or not. */
#define ENTERED (1u << 31)

static bool push(struct thread_notes *notes, uint32_t entry)
{
	return region_push(&notes->user, &notes->user_count, &notes->user_capacity, entry);
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
	if (region && push(notes, thread->blocked ? region : region | ENTERED) &&
	    !thread->blocked) {
		thread->pinned = region;
		events_enter_region(thread, region);
	}
	Py_RETURN_NONE;
}

static uint32_t innermost_entered(const struct thread_notes *notes)
{
	for (size_t i = notes->user_count; i > 0; i--)
		if (notes->user[i - 1] & ENTERED)
			return notes->user[i - 1] & ~ENTERED;
	return 0;
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
	uint32_t region, entry;

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
	entry = notes->user_count > 0 ? notes->user[notes->user_count - 1] : 0;
	if ((entry & ~ENTERED) != region)
		return not_open(name);
	notes->user_count--;
	if (entry & ENTERED) {
		thread->pinned = innermost_entered(notes);
		events_leave_region(thread, region);
		if (!collector.active)
			kymo_thread_unwind(thread);
	}
	Py_RETURN_NONE;
}

static PyObject *pause_thread(PyObject *self, PyObject *unused)
{
	struct kymo_thread *thread = kymo_thread();

	(void)self, (void)unused;
	if (thread->record) {
		thread->paused++;
		thread->blocked++;
	}
	Py_RETURN_NONE;
}

static PyObject *resume_thread(PyObject *self, PyObject *unused)
{
	struct kymo_thread *thread = kymo_thread();

	(void)self, (void)unused;
	if (thread->record && thread->paused > 0) {
		thread->paused--;
		thread->blocked--;
		if (thread->paused == 0 && thread->collector)
			thread_notes(thread)->passed = 0;
	}
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
