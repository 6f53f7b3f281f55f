/* Regions that the program names itself, and pauses. */
#ifndef KYMO_USERREGIONS_H
#define KYMO_USERREGIONS_H

#include "collector.h"

int userregions_add_methods(PyObject *module);

/* Enter region on the calling thread; 0: there is none. */
void userregion_begin(uint32_t region);
/* Leave it.  0, or -1 with RuntimeError when it is not the innermost that Python began. */
int userregion_end(uint32_t region, PyObject *name);

/* regiontype.c: the class. */
#define REGION_TYPE_NAME "kymo._native.Region"
int regiontype_add(PyObject *module);

#endif
