/* Names of groups of parts: "rank 3", "worker 4711", "thread 2". */
#ifndef KYMO_PARTS_NAME_H
#define KYMO_PARTS_NAME_H

#include "model/parts/parts_types.h"

/* Call it after the groups are made: names leave out the common parts of the runs' folders. */
void parts_resolve_names(struct parts *parts);

/* The name of a group, cut to size bytes. */
void parts_group_name(const struct parts *parts, enum parts_by by, size_t group, char *text,
		      size_t size);

#endif
