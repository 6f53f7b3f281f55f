/* The call paths of runs, side by side: a path of the recording is there once all runs that have
 * it were met. */
#ifndef KYMO_MERGE_JOIN_NODES_H
#define KYMO_MERGE_JOIN_NODES_H

#include "base/status.h"

struct merge_joined;

/* Behind the regions. */
enum kymo_status merge_join_nodes(struct merge_joined *joined, struct problem *problem);

#endif
