/* Installing a C profile or trace function in every thread of the interpreter. */
#ifndef KYMO_HOOKS_H
#define KYMO_HOOKS_H

#include "compat.h"

enum hook_slot { HOOK_PROFILE, HOOK_TRACE };

/* function NULL removes it.  0, or -1 with an exception. */
int hooks_set_all(enum hook_slot slot, Py_tracefunc function, PyObject *argument);
/* In the calling thread only. */
void hooks_set_current(enum hook_slot slot, Py_tracefunc function, PyObject *argument);
/* Threads in which function is no longer what is installed. */
int hooks_count_lost(enum hook_slot slot, Py_tracefunc function);

/* The callables of the instrumenters `profile` and `trace`. */
int hooks_add_methods(PyObject *module);

#endif
