/* One row per region and one edge per pair of regions, from the call-path tree. */
#ifndef KYMO_FLAT_H
#define KYMO_FLAT_H

#include <stdbool.h>

#include "base/status.h"

struct calltree;
struct calltree_estimate;
struct flat;

/* Add up independent errors. */
void calltree_estimate_add(struct calltree_estimate *sum, const struct calltree_estimate *more);
/* Divide a sum, for the mean. */
void calltree_estimate_divide(struct calltree_estimate *sum, double count);

/* threads: NULL = all, else thread_count booleans. */
enum kymo_status flat_new(const struct calltree *tree, const bool *threads, struct flat **out);
void flat_free(struct flat *flat);

#endif
