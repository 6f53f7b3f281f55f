/* Running the program as if there were no frames below it on the stack. */
#ifndef KYMO_DETACHED_H
#define KYMO_DETACHED_H

#include "compat.h"

int detached_add_methods(PyObject *module);

#endif
