/* The regions of several recordings under common numbers: the same function in two
 * processes is one region of a run.
 *
 * The union borrows the recordings and must not outlive them.  Read-only once made. */
#ifndef KYMO_REGION_UNION_H
#define KYMO_REGION_UNION_H

#include "model/tree/calltree.h"

struct region_union {
	const struct region **regions; /* by common number */
	struct region
		*copies; /* copies, since the recordings' own may move when regions are added */
	uint32_t count;
	uint32_t **numbers;	 /* per tree: common number of each region */
	uint32_t *region_counts; /* per tree: how many have a number: later ones have none */
	size_t tree_count;
	/* After those of the trees: entries for time in no region, which have rows like one.  Their
	 * kind is KYMO_REGION_ROOT. */
	uint32_t outside, measuring;
};

enum kymo_status region_union_new(const struct calltree *const *trees, size_t tree_count,
				  struct region_union **out);
void region_union_free(struct region_union *all);

static inline uint32_t region_union_number(const struct region_union *all, size_t tree,
					   uint32_t region)
{
	return all->numbers[tree][region];
}

/* The name of a region in reports: "Class.method(n=5)"; valid UTF-8.  Like region_label(), returns
 * the full length. */
size_t region_name(const struct region *region, char *text, size_t size);

/* Its location: "file.py:12", "module", "" if unknown. */
size_t region_location(const struct region *region, char *text, size_t size);

/* The label as collected: region_label() in valid UTF-8. */
size_t region_text(const struct region *region, char *text, size_t size);

#endif
