/* The call-path tree from the trace, if no tree was recorded, or every call is requested. */
#ifndef KYMO_CALLTREE_REPLAY_H
#define KYMO_CALLTREE_REPLAY_H

#include <stdint.h>

#include "base/status.h"

struct calltree;

/* Fill the same fields as calltree_from_nodes(), from the events.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_from_trace(struct calltree *tree, uint32_t *creators);

#endif
