/* Where the interpreter dispatches its monitoring events: the two functions of its own that the
 * events of calls pass through.  They are no part of its interface, so they are looked for in the
 * symbol tables of its file, of which the dynamic one never has them.
 * Context: init, with the GIL held. */
#ifndef KYMO_DISPATCHFUNCTIONS_H
#define KYMO_DISPATCHFUNCTIONS_H

#include "compat.h"

enum dispatch_function {
	DISPATCH_PLAIN,	   /* events without an argument: a call begins, a generator goes on */
	DISPATCH_ARGUMENT, /* those with one: a return, a yield, an exception */
	DISPATCH_FUNCTIONS,
};

struct dispatch_place {
	const void *start;
	size_t size;
};

/* NULL, or why they are not known: constant text. */
const char *dispatchfunctions_find(struct dispatch_place places[DISPATCH_FUNCTIONS]);

#endif
