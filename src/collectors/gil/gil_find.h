/* The address of the process's GIL, once it exists.  Context: thread. */
#ifndef KYMO_GIL_FIND_H
#define KYMO_GIL_FIND_H

#include <stdint.h>

struct gil_conditions { /* addresses of the GIL's conditions; 0 = not found (yet) */
	uintptr_t
		dropped; /* signalled by a thread that drops it, waited for by those that want it */
	uintptr_t taken; /* signalled by a thread that has taken it */
};
extern struct gil_conditions gil_conditions;

/* Search for the GIL from time to time, until it is found.  Cheap if there is none. */
void gil_find(void);
/* Check whether there can be one.  Context: init. */
void gil_find_begin(void);

#endif
