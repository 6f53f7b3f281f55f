/* os._exit(), which runs no exit handlers: calls a handler before it. */
#ifndef KYMO_EXITHOOK_H
#define KYMO_EXITHOOK_H

#include "compat.h"

/* Call handler(status), status from 0 to 255, before each os._exit() of this interpreter; its
 * exceptions are dropped.  NULL: none.  The handler is kept alive. */
void exithook_set(PyObject *handler);

#endif
