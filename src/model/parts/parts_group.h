/* Parts' own: their order, and which of them belong together. */
#ifndef KYMO_PARTS_GROUP_H
#define KYMO_PARTS_GROUP_H

#include "model/parts/parts.h"

/* By run, rank, start of the process, process and thread. */
int parts_compare(const struct recording_part *a, const struct recording_part *b);

/* Fill parts->groups and the counts of parts that are in order; false = no memory. */
bool parts_make_groups(struct parts *parts);
/* After the groups: what the folders of all runs have in common is no part of names. */
void parts_settle_names(struct parts *parts);

/* How many groups there are that have some of most regions: of ranks, those that are one. */
size_t parts_usual_count(const struct parts *parts, enum parts_by by);

#endif
