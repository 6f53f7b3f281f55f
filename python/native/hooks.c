/* The per-thread hooks: sys.setprofile()'s and sys.settrace()'s C side.
 * 3.12 has functions for all threads; before, each thread's state is set in turn, which
 * 3.8 can only do by making it the current one for a moment. */
#include "hooks.h"

void hooks_set_current(enum hook_slot slot, Py_tracefunc function, PyObject *argument)
{
	if (slot == HOOK_PROFILE)
		PyEval_SetProfile(function, argument);
	else
		PyEval_SetTrace(function, argument);
}

#if PY_VERSION_HEX >= 0x030c0000

int hooks_set_all(enum hook_slot slot, Py_tracefunc function, PyObject *argument)
{
	if (slot == HOOK_PROFILE)
		PyEval_SetProfileAllThreads(function, argument);
	else
		PyEval_SetTraceAllThreads(function, argument);
	return PyErr_Occurred() ? -1 : 0;
}

#elif PY_VERSION_HEX >= 0x03090000

int hooks_set_all(enum hook_slot slot, Py_tracefunc function, PyObject *argument)
{
	PyInterpreterState *interpreter = PyThreadState_Get()->interp;
	PyThreadState *thread = PyInterpreterState_ThreadHead(interpreter);

	for (; thread; thread = PyThreadState_Next(thread)) {
		int result = slot == HOOK_PROFILE ? _PyEval_SetProfile(thread, function, argument)
						  : _PyEval_SetTrace(thread, function, argument);

		if (result < 0)
			return -1;
	}
	return 0;
}

#else

int hooks_set_all(enum hook_slot slot, Py_tracefunc function, PyObject *argument)
{
	PyThreadState *own = PyThreadState_Get();
	PyThreadState *thread = PyInterpreterState_ThreadHead(own->interp);

	for (; thread; thread = PyThreadState_Next(thread)) {
		PyThreadState_Swap(thread);
		hooks_set_current(slot, function, argument);
	}
	PyThreadState_Swap(own);
	return 0;
}

#endif

int hooks_count_lost(enum hook_slot slot, Py_tracefunc function)
{
	PyThreadState *thread = PyInterpreterState_ThreadHead(PyThreadState_Get()->interp);
	int count = 0;

	for (; thread; thread = PyThreadState_Next(thread))
		if ((slot == HOOK_PROFILE ? thread->c_profilefunc : thread->c_tracefunc) !=
		    function)
			count++;
	return count;
}
