/* Running the program under study as if nothing were below it on the stack.
 *
 * The launcher's own frames would otherwise be seen by the program: in f_back chains,
 * warnings' stack levels, printed stacks and in how deep it may recurse.  The caller holds
 * the GIL; nothing is owned here. */
#ifndef KYMO_DETACHED_H
#define KYMO_DETACHED_H

#include <Python.h>

/* call_detached(code, globals) executes a code object, call_detached(callable, *args) calls
 * one, on an empty stack of frames; both return what it returns.  Context: thread. */
PyObject *detached_call(PyObject *module, PyObject *args);

#endif
