/* Where the interpreter dispatches its monitoring events: the two functions of its own that the
 * events of calls pass through.
 *
 * They are no part of its interface, and the dynamic symbol table of its file does not have them.
 * So they are looked for in the full one and, where that was stripped, on the stack of a callback:
 * what calls what there is known, which of it is a function that dispatches is not.
 * Context: init, with the GIL held. */
#ifndef KYMO_DISPATCHFUNCTIONS_H
#define KYMO_DISPATCHFUNCTIONS_H

#include "compat.h"

#if PY_VERSION_HEX >= 0x030c0000

enum dispatch_function {
	DISPATCH_PLAIN,	   /* events without an argument: a call begins, a generator goes on */
	DISPATCH_ARGUMENT, /* those with one: a return, a yield, an exception */
	DISPATCH_FUNCTIONS,
};

struct dispatch_place {
	const void *start; /* NULL = there is none */
	size_t size;
};

#define DISPATCH_GUESSES 2

struct dispatch_guess { /* may be the functions: to be tried in the order of their array */
	struct dispatch_place places[DISPATCH_FUNCTIONS];
};

struct dispatch_probe;

/* NULL, or why nothing is known: constant text.  By the stack while no monitoring tool is started.
 * No exception is left. */
const char *dispatchfunctions_by_name(struct dispatch_guess *guess);
const char *dispatchfunctions_by_stack(struct dispatch_probe *probe,
				       struct dispatch_guess guesses[DISPATCH_GUESSES]);

#endif

#endif
