/* Calls that were only counted, in the call tree: entries without a time below the node of the
 * whole thread, since their callers are not known. */
#ifndef KYMO_CALLTREE_THROTTLED_H
#define KYMO_CALLTREE_THROTTLED_H

#include "base/status.h"

struct calltree;

/* Add them below calltree_wholes().  KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_add_throttled(struct calltree *tree);

#endif
