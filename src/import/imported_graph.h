/* Call paths of an imported call graph, as graph_paths.h makes them. */
#ifndef KYMO_IMPORTED_GRAPH_H
#define KYMO_IMPORTED_GRAPH_H

#include "import/imported.h"
#include "model/tree/graph_paths.h"

/* Add the paths below the thread's root.  metrics: rows of imported.metric_count per function, NULL
 * = none.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status imported_graph_add(struct call_paths_graph *graph, const double *metrics,
				    struct imported *imported, uint32_t thread);

#endif
