/* What percentages of samples refer to: the CPU time of all threads if a run has some, since
 * optimization concerns code that computes; for a run that nearly always waits the time of all
 * threads. No state; any thread. */
#ifndef KYMO_SAMPLED_BASE_H
#define KYMO_SAMPLED_BASE_H

#include "model/samples/sampled_kinds.h"
#include "model/samples/samples.h"
#include "model/tree/calltree.h"

struct sampled_base { /* of all processes; zeros before */
	double cpu_ns;
	double longest_ns; /* wall time of the thread that was sampled for longest, about */
	bool has_wall, has_cpu;
	bool has_calls; /* includes times of a process that was not sampled */
};

/* Add one process: its samples, or a tree that was made of samples elsewhere. */
void sampled_base_add(struct sampled_base *base, const struct samples *samples);
void sampled_base_add_tree(struct sampled_base *base, const struct calltree *tree);

/* What SAMPLED_BY_CHOICE stands for; never itself. */
enum sampled_by sampled_base_choose(const struct sampled_base *base);

/* Reweight a tree that was made of samples earlier and stores them as metrics; one that has no CPU
 * time stays as it is.  No such tree has events. */
void sampled_base_weigh(struct calltree *tree, enum sampled_by by);

#endif
