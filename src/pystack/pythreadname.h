/* The name that the module threading gives a thread, read from its object: as pyobject.h, for
 * callers whose memory does not change.  Context: any if memory is read with checked copies. */
#ifndef KYMO_PYTHREADNAME_H
#define KYMO_PYTHREADNAME_H

#include "pystack/pyobject.h"

/* The name of a threading.Thread; false: it has none, or is unreadable at the moment. */
bool pythreadname_read(const struct pyobjects *objects, uint64_t thread_object, char *text,
		       size_t size);

/* The threading.Thread to which a thread's outermost frame refers: from pystack_walk_addresses(). 0
 * = the thread is none of threading's. */
uint64_t pythreadname_object(const struct pyobjects *objects, const struct pyframe *outermost,
			     uint64_t address);

#endif
