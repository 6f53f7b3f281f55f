/* The functions by which the interpreter dispatches monitoring events of calls.
 *
 * They are not exported.  They are looked up in the full symbol table of its file or, if that was
 * stripped, on the stacks of callbacks: that shows which function the evaluator calls, but not that
 * it has the expected arguments.
 * Context: init, with the GIL held. */
#ifndef KYMO_DISPATCHFUNCTIONS_H
#define KYMO_DISPATCHFUNCTIONS_H

#include "compat.h"

/* Versions whose functions have what dispatch_fn says. */
#define DISPATCH_IS_KNOWN (PY_VERSION_HEX >= 0x030c0000 && PY_VERSION_HEX < 0x030f0000)

#if DISPATCH_IS_KNOWN

enum dispatch_function {
	DISPATCH_PLAIN,	   /* events without an argument: a call begins, a generator goes on */
	DISPATCH_ARGUMENT, /* those with one: a return, a yield, an exception */
	DISPATCH_TWO,	   /* those with two: a C function is called, and has returned */
	DISPATCH_FUNCTIONS,
	DISPATCH_NEEDED = DISPATCH_TWO, /* number of those that are required */
};

/* Such a function; the last two are the event's arguments, if it has any.  0, or -1 with an
 * exception. */
typedef int (*dispatch_fn)(PyThreadState *state, int event, eval_frame *frame, _Py_CODEUNIT *at,
			   PyObject *first, PyObject *second);

struct dispatch_place {
	const void *start; /* NULL = it is not known */
	size_t size;
};

struct dispatch_guess { /* candidates */
	struct dispatch_place places[DISPATCH_FUNCTIONS];
};

struct dispatch_probe;

/* NULL, or why the needed ones are not known: constant text. */
const char *dispatchfunctions_by_name(struct dispatch_guess *guess);
/* Likewise, while no monitoring tool is started.  No exception is left. */
const char *dispatchfunctions_by_stack(struct dispatch_probe *probe, struct dispatch_guess *guess);

#endif

#endif
