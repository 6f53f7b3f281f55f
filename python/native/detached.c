/* The chain of frames and the count of recursion of the calling thread, set aside while
 * the program runs and put back after it.  Where they are kept changes with the version of
 * CPython; all of it is in its public headers. */
#include "detached.h"

#include <frameobject.h>

struct set_aside {
	void *frame;
	int depth; /* levels of recursion in use */
};

#if PY_VERSION_HEX < 0x030B0000

static struct set_aside detach(PyThreadState *state)
{
	struct set_aside kept = {state->frame, state->recursion_depth};

	state->frame = NULL;
	state->recursion_depth = 0;
	return kept;
}

static void attach(PyThreadState *state, struct set_aside kept)
{
	state->frame = kept.frame;
	state->recursion_depth = kept.depth;
}

#else

#if PY_VERSION_HEX < 0x030C0000
#define RECURSION_LIMIT	    recursion_limit
#define RECURSION_REMAINING recursion_remaining
#else
#define RECURSION_LIMIT	    py_recursion_limit
#define RECURSION_REMAINING py_recursion_remaining
#endif

#if PY_VERSION_HEX < 0x030D0000
#define CURRENT_FRAME cframe->current_frame
#else
#define CURRENT_FRAME current_frame
#endif

static struct set_aside detach(PyThreadState *state)
{
	struct set_aside kept = {state->CURRENT_FRAME,
				 state->RECURSION_LIMIT - state->RECURSION_REMAINING};

	state->CURRENT_FRAME = NULL;
	state->RECURSION_REMAINING = state->RECURSION_LIMIT;
	return kept;
}

/* The program may have set another limit: what is put back is the depth. */
static void attach(PyThreadState *state, struct set_aside kept)
{
	state->CURRENT_FRAME = kept.frame;
	state->RECURSION_REMAINING = state->RECURSION_LIMIT - kept.depth;
}

#endif

static PyObject *run(PyObject *what, PyObject *rest)
{
	PyObject *globals = PyTuple_GET_SIZE(rest) == 1 ? PyTuple_GET_ITEM(rest, 0) : NULL;

	if (PyCode_Check(what) && globals && PyDict_Check(globals))
		return PyEval_EvalCode(what, globals, globals);
	return PyObject_Call(what, rest, NULL);
}

PyObject *detached_call(PyObject *module, PyObject *args)
{
	PyThreadState *state = PyThreadState_Get();
	struct set_aside kept;
	PyObject *rest, *result;

	(void)module;
	if (PyTuple_GET_SIZE(args) < 1) {
		PyErr_SetString(PyExc_TypeError, "call_detached() needs something to call");
		return NULL;
	}
	rest = PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args));
	if (!rest)
		return NULL;
	kept = detach(state);
	result = run(PyTuple_GET_ITEM(args, 0), rest);
	attach(state, kept);
	Py_DECREF(rest);
	return result;
}
