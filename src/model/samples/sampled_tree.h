/* The samples of a recording as a call-path tree, so that all views of a profile can show them: a
 * count is a number of samples, a time is an estimate.
 *
 * Frames become regions (added to the recording): functions, or lines if selected. */
#ifndef KYMO_SAMPLED_TREE_H
#define KYMO_SAMPLED_TREE_H

#include "model/code/locations.h"
#include "model/samples/sampled_kinds.h"
#include "model/samples/samples.h"
#include "model/tree/calltree.h"

/* With CPU time: the region of all threads but the first that never left their wait. */
#define SAMPLED_IDLE_THREADS "[idle threads]"

/* As calltree_new(): nodes have sum_ns and self_ns by weight, count = samples; metrics are those
 * of calltree.metric_ids: sampling_wall_clock, sampling_waiting, sampling_cpu_clock,
 * sampling_percent. */
enum kymo_status sampled_tree_new(struct recording *recording, const struct samples *samples,
				  const struct sampled_options *options, struct calltree **out,
				  struct problem *problem);

#endif
