/* Calls that were only counted, in the call tree: entries without a time below the node of the
 * whole thread, since their callers are not known. */
#include "model/tree/build/calltree_throttled.h"

#include <stdlib.h>

#include "model/functions/throttled_calls.h"
#include "model/functions/functions.h"
#include "model/recording/chunks.h"
#include "model/tree/build/calltree_build.h"

static enum kymo_status throttled_add_thread(struct calltree *tree, uint32_t thread, uint32_t whole)
{
	struct throttled_list list = {0};
	enum kymo_status status =
		throttled_calls_read(tree->recording, thread, &list, &tree->dropped_count);
	struct calltree_node *nodes = NULL;

	if (status == KYMO_OK && list.count > 0) {
		nodes = calltree_reserve(tree, list.count);
		status = nodes ? KYMO_OK : KYMO_MEMORY;
	}
	for (size_t i = 0; nodes && i < list.count; i++) {
		nodes[i] = (struct calltree_node){
			.region = functions_region(tree->recording, list.items[i].id),
			.thread = thread,
			.parent = whole,
			.count = list.items[i].calls,
		};
		tree->throttled_call_count += list.items[i].calls;
	}
	if (nodes)
		tree->node_count += (uint32_t)list.count;
	throttled_calls_release(&list);
	return status;
}

enum kymo_status calltree_add_throttled(struct calltree *tree)
{
	const struct recording *recording = tree->recording;
	enum kymo_status status = KYMO_OK;
	uint32_t *wholes;
	size_t count;

	chunks_of(recording, KYMO_CHUNK_THROTTLED, &count);
	if (!recording->functions || !count)
		return KYMO_OK;
	wholes = calltree_wholes(tree);
	if (!wholes)
		return KYMO_MEMORY;
	for (uint32_t i = 0; i < recording->thread_count && status == KYMO_OK; i++)
		if (wholes[i] != CALLTREE_NONE)
			status = throttled_add_thread(tree, i, wholes[i]);
	free(wholes);
	return status;
}
