/* Short calls among those that were all timed. */
#include "model/functions/short_calls.h"

#include "model/recording/recording_open.h"
#include "model/tree/calltree.h"

static bool is_short(const struct calltree *tree, const struct calltree_node *node)
{
	return tree->recording->regions[node->region].kind == KYMO_REGION_NATIVE &&
	       node->count >= SHORT_CALLS_LEAST && !node->is_count_estimated &&
	       node->sum_ns < SHORT_CALL_NS * (double)node->count;
}

double short_calls_ns(const struct calltree *tree)
{
	double all_ns = 0;

	/* Estimates have their own errors. */
	if (!tree->recording->functions || tree->estimated_functions > 0 ||
	    recording_note(tree->recording, KYMO_NOTE_INFO, KYMO_SERIALIZED_NOTE))
		return 0;
	for (uint32_t i = 0; i < tree->node_count; i++)
		if (is_short(tree, &tree->nodes[i]))
			all_ns += tree->nodes[i].self_ns;
	return all_ns;
}
