/* What shares of samples are of: the CPU time of all threads where a run has some, since a program
 * is made faster where it computes; of one that waits nearly always the time of all threads.
 * No state; any thread. */
#ifndef KYMO_SAMPLED_BASE_H
#define KYMO_SAMPLED_BASE_H

#include "model/samples/sampled_kinds.h"
#include "model/samples/samples.h"
#include "model/tree/calltree.h"

struct sampled_base { /* of all processes; zeros before */
	double cpu_ns;
	double longest_ns; /* wall time of the thread that was sampled for longest, about */
	bool has_wall, has_cpu;
	bool has_calls; /* times of a process that was not sampled are among them */
};

/* Add one process: its samples, or a tree that was made without them here. */
void sampled_base_add(struct sampled_base *base, const struct samples *samples);
void sampled_base_add_tree(struct sampled_base *base, const struct calltree *tree);

/* What SAMPLED_BY_CHOICE stands for; never itself. */
enum sampled_by sampled_base_choose(const struct sampled_base *base);

/* Weigh a tree that was made of samples before, and keeps them as metrics; one that has no CPU time
 * stays as it is.  Events are in no such tree. */
void sampled_base_weigh(struct calltree *tree, enum sampled_by by);

#endif
