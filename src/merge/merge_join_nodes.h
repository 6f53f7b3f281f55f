/* Joins the call paths of runs, read in parallel: a path of the recording is complete when all runs
 * that have it were read. */
#ifndef KYMO_MERGE_JOIN_NODES_H
#define KYMO_MERGE_JOIN_NODES_H

#include "base/status.h"

struct merge_joined;

/* Call it after the regions are written. */
enum kymo_status merge_join_nodes(struct merge_joined *joined, struct problem *problem);

#endif
