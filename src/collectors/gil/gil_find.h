/* Where the GIL of the process is, once there is one.  Context: thread. */
#ifndef KYMO_GIL_FIND_H
#define KYMO_GIL_FIND_H

#include <stdint.h>

struct gil_conditions {	   /* addresses of the GIL's conditions; 0 = not found (yet) */
	uintptr_t dropped; /* signalled by who drops it, waited for by who wants it */
	uintptr_t taken;   /* signalled by who has taken it */
};
extern struct gil_conditions gil_conditions;

/* Look for the GIL now and then, until it is found.  Cheap when there is none. */
void gil_find(void);
/* Whether there can be one.  Context: init. */
void gil_find_begin(void);

#endif
