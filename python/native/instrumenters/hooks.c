/* The per-thread hooks: sys.setprofile()'s and sys.settrace()'s C side.  From 3.12 on they are set
 * in this thread or in all at once, before that through each thread's state, which 3.8 can only do
 * by making it the current one for a moment. */
#include "instrumenters/hooks.h"

#include "codecache.h"

void hooks_set_current(enum hook_slot slot, Py_tracefunc function, PyObject *argument)
{
	if (slot == HOOK_PROFILE)
		PyEval_SetProfile(function, argument);
	else
		PyEval_SetTrace(function, argument);
}

Py_tracefunc hooks_function(const PyThreadState *thread, enum hook_slot slot)
{
	return slot == HOOK_PROFILE ? thread->c_profilefunc : thread->c_tracefunc;
}

static PyThreadState *first_thread(void)
{
	return PyInterpreterState_ThreadHead(PyThreadState_Get()->interp);
}

static bool hooks_is_kymo(const PyThreadState *thread, const struct hook *hook)
{
	PyObject *argument = hook->slot == HOOK_PROFILE ? thread->c_profileobj : thread->c_traceobj;

	return hooks_function(thread, hook->slot) == hook->function ||
	       (hook->callable && argument == hook->callable);
}

#if PY_VERSION_HEX >= 0x030c0000

/* Threads with another hook in the slot. */
static int count_foreign(const struct hook *hook)
{
	int count = 0;

	for (PyThreadState *thread = first_thread(); thread; thread = PyThreadState_Next(thread))
		if (hooks_function(thread, hook->slot) && !hooks_is_kymo(thread, hook))
			count++;
	return count;
}

/* Set it in all permitted threads: all of them, or only this one. */
static int set_all(const struct hook *hook, Py_tracefunc function)
{
	PyThreadState *own = PyThreadState_Get();

	if (count_foreign(hook) > 0) {
		if (!hooks_function(own, hook->slot) || hooks_is_kymo(own, hook))
			hooks_set_current(hook->slot, function, NULL);
	} else if (hook->slot == HOOK_PROFILE) {
		PyEval_SetProfileAllThreads(function, NULL);
	} else {
		PyEval_SetTraceAllThreads(function, NULL);
	}
	return PyErr_Occurred() ? -1 : 0;
}

#else

static int set_in(PyThreadState *thread, enum hook_slot slot, Py_tracefunc function)
{
#if PY_VERSION_HEX >= 0x03090000
	return slot == HOOK_PROFILE ? _PyEval_SetProfile(thread, function, NULL)
				    : _PyEval_SetTrace(thread, function, NULL);
#else
	PyThreadState *own = PyThreadState_Swap(thread);

	hooks_set_current(slot, function, NULL);
	PyThreadState_Swap(own);
	return 0;
#endif
}

static int set_all(const struct hook *hook, Py_tracefunc function)
{
	for (PyThreadState *thread = first_thread(); thread; thread = PyThreadState_Next(thread)) {
		bool is_free = !hooks_function(thread, hook->slot) || hooks_is_kymo(thread, hook);

		if (is_free && set_in(thread, hook->slot, function) < 0)
			return -1;
	}
	return 0;
}

#endif

int hooks_install(const struct hook *hook)
{
	return set_all(hook, hook->function);
}

int hooks_remove(const struct hook *hook)
{
	int others = 0;

	for (PyThreadState *thread = first_thread(); thread; thread = PyThreadState_Next(thread))
		if (!hooks_is_kymo(thread, hook))
			others++;
	if (set_all(hook, NULL) < 0)
		PyErr_Clear(); /* an audit hook raised */
	/* If it could not be removed it records nothing, since all decisions are invalid. */
	if (others > 0)
		codecache_renew();
	return others;
}
