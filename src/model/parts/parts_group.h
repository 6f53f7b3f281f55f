/* The order of a run's parts, and how they are grouped. */
#ifndef KYMO_PARTS_GROUP_H
#define KYMO_PARTS_GROUP_H

#include "model/parts/parts_types.h"

/* By run, rank, start of the process, process and thread. */
int parts_compare(const struct recording_part *a, const struct recording_part *b);

/* Fill parts->groups and the counts of parts that are in order; false = no memory. */
bool parts_make_groups(struct parts *parts);

/* The number of groups that have time in most regions: of ranks, without the group that has
 * none. */
size_t parts_usual_count(const struct parts *parts, enum parts_by by);

/* The group a part belongs to. */
size_t parts_group(const struct parts *parts, enum parts_by by, size_t part);
size_t parts_group_count(const struct parts *parts, enum parts_by by);

/* The default grouping: ranks, else repeated runs of one process, else processes, else threads, the
 * first of which there are several. */
enum parts_by parts_by_default(const struct parts *parts);

#endif
