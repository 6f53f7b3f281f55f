/* A metric as timemory's JSON: flat, one list of rows per process, and as a tree. */
#ifndef KYMO_METRIC_JSON_H
#define KYMO_METRIC_JSON_H

#include <stdio.h>

struct metric_view;

/* timemory's JSON: one list of rows per process, or the tree. */
void metric_write_flat_json(const struct metric_view *view, FILE *out);
void metric_write_tree_json(const struct metric_view *view, FILE *out);

#endif
