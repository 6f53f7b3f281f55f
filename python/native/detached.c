/* call_detached(): the frames of the launcher are unlinked from the thread's stack while the
 * program runs, so that sys._getframe(), warnings, tracebacks and the recursion limit are as
 * without Kymo. */
#include "detached.h"

struct stack_top {
#if PY_VERSION_HEX >= 0x030b0000
	struct _PyInterpreterFrame *frame;
#else
	PyFrameObject *frame;
#endif
	int depth; /* Python calls below */
};

#if PY_VERSION_HEX >= 0x030d0000
#define CURRENT_FRAME(thread) ((thread)->current_frame)
#elif PY_VERSION_HEX >= 0x030b0000
#define CURRENT_FRAME(thread) ((thread)->cframe->current_frame)
#else
#define CURRENT_FRAME(thread) ((thread)->frame)
#endif

#if PY_VERSION_HEX >= 0x030c0000

static int take_depth(PyThreadState *thread)
{
	int depth = thread->py_recursion_limit - thread->py_recursion_remaining;

	thread->py_recursion_remaining = thread->py_recursion_limit;
	return depth;
}

static void give_depth(PyThreadState *thread, int depth)
{
	thread->py_recursion_remaining = thread->py_recursion_limit - depth;
}

#elif PY_VERSION_HEX >= 0x030b0000

static int take_depth(PyThreadState *thread)
{
	int depth = thread->recursion_limit - thread->recursion_remaining;

	thread->recursion_remaining = thread->recursion_limit;
	return depth;
}

static void give_depth(PyThreadState *thread, int depth)
{
	thread->recursion_remaining = thread->recursion_limit - depth;
}

#else

static int take_depth(PyThreadState *thread)
{
	int depth = thread->recursion_depth;

	thread->recursion_depth = 0;
	return depth;
}

static void give_depth(PyThreadState *thread, int depth)
{
	thread->recursion_depth = depth;
}

#endif

static struct stack_top detached_detach(PyThreadState *thread)
{
	struct stack_top top = {CURRENT_FRAME(thread), take_depth(thread)};

	CURRENT_FRAME(thread) = NULL;
	return top;
}

static void detached_attach(PyThreadState *thread, const struct stack_top *top)
{
	CURRENT_FRAME(thread) = top->frame;
	give_depth(thread, top->depth);
}

static PyObject *detached_run(PyObject *what, PyObject *arguments)
{
	PyObject *namespace = PyTuple_GET_SIZE(arguments) ? PyTuple_GET_ITEM(arguments, 0) : NULL;

	if (PyCode_Check(what) && namespace)
		return PyEval_EvalCode(what, namespace, namespace);
	return PyObject_CallObject(what, arguments);
}

static PyObject *call_detached(PyObject *self, PyObject *arguments)
{
	PyThreadState *thread = PyThreadState_Get();
	PyObject *rest, *result;
	struct stack_top top;

	(void)self;
	if (PyTuple_GET_SIZE(arguments) < 1) {
		PyErr_SetString(PyExc_TypeError, "call_detached() takes what to run");
		return NULL;
	}
	rest = PyTuple_GetSlice(arguments, 1, PyTuple_GET_SIZE(arguments));
	if (!rest)
		return NULL;
	top = detached_detach(thread);
	result = detached_run(PyTuple_GET_ITEM(arguments, 0), rest);
	detached_attach(thread, &top);
	Py_DECREF(rest);
	return result;
}

static PyMethodDef methods[] = {
	{"call_detached", call_detached, METH_VARARGS,
	 "Run a code object in a namespace, or call something, on an empty stack."},
	{NULL, NULL, 0, NULL},
};

int detached_add_methods(PyObject *module)
{
	return PyModule_AddFunctions(module, methods);
}
