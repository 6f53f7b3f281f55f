/* Call paths of counted functions: callers are known, paths are estimated, as for imported call
 * graphs (graph_paths.h). */
#ifndef KYMO_CALLTREE_COUNTS_H
#define KYMO_CALLTREE_COUNTS_H

#include "base/status.h"

struct calltree;

/* Add the calls of functions that were counted, with estimates.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_add_counts(struct calltree *tree);
/* Count those functions: sets estimated_functions.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_count_estimated(struct calltree *tree);

#endif
