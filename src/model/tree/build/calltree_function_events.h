/* Call paths of instrumented functions, from the records of their enters and exits. */
#ifndef KYMO_CALLTREE_FUNCTION_EVENTS_H
#define KYMO_CALLTREE_FUNCTION_EVENTS_H

#include "base/status.h"

struct calltree;

/* Add the calls of instrumented functions that were recorded one by one.
 * KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_add_function_events(struct calltree *tree);

#endif
