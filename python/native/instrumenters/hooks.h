/* Installing a C profile or trace function in every thread of the interpreter. */
#ifndef KYMO_HOOKS_H
#define KYMO_HOOKS_H

#include "compat.h"

#include <stdbool.h>

enum hook_slot { HOOK_PROFILE, HOOK_TRACE };

struct hook {
	enum hook_slot slot;
	Py_tracefunc function;
	PyObject *callable; /* the object that sys.setprofile() stores; NULL for a C function
			     * only */
};

/* Install it in every thread whose slot is free: a program's own hook is not replaced. 0, or -1
 * with an exception. */
int hooks_install(const struct hook *hook);
/* Remove it if it is still installed.  Returns the number of threads with another hook, or none. */
int hooks_remove(const struct hook *hook);
/* The hook installed in a thread. */
Py_tracefunc hooks_function(const PyThreadState *thread, enum hook_slot slot);
/* In the calling thread only; NULL removes. */
void hooks_set_current(enum hook_slot slot, Py_tracefunc function, PyObject *argument);

/* The callables of the instrumenters `profile` and `trace`. */
int hooks_add_methods(PyObject *module);

#endif
