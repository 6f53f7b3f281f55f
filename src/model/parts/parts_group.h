/* The order of a run's parts, and which of them belong together. */
#ifndef KYMO_PARTS_GROUP_H
#define KYMO_PARTS_GROUP_H

#include "model/parts/parts_types.h"

/* By run, rank, start of the process, process and thread. */
int parts_compare(const struct recording_part *a, const struct recording_part *b);

/* Fill parts->groups and the counts of parts that are in order; false = no memory. */
bool parts_make_groups(struct parts *parts);

/* How many groups there are that have some of most regions: of ranks, those that are one. */
size_t parts_usual_count(const struct parts *parts, enum parts_by by);

/* The group a part belongs to. */
size_t parts_group(const struct parts *parts, enum parts_by by, size_t part);
size_t parts_group_count(const struct parts *parts, enum parts_by by);

/* Where nobody says: ranks, else repeated runs of one process, else processes, else threads,
 * whatever there are several of. */
enum parts_by parts_by_default(const struct parts *parts);

#endif
