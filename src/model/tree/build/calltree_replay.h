/* The call-path tree from the trace, where no tree was recorded, or every call is wanted. */
#ifndef KYMO_CALLTREE_REPLAY_H
#define KYMO_CALLTREE_REPLAY_H

#include <stdint.h>

#include "base/status.h"

struct calltree;

/* Fill what calltree_from_nodes() does, from the events.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_from_trace(struct calltree *tree, uint32_t *creators);

#endif
