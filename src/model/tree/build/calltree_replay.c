/* The call-path tree from the trace, if no tree was recorded, or every call is requested. Every
 * event is one step in the tree: to the child of that region, which is usually the one taken last,
 * else found by its parent and region; or back to the parent. */
#include "model/tree/build/calltree_replay.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hashset.h"
#include "model/functions/foreign_time.h"
#include "model/recording/chunks.h"
#include "model/trace/trace_cursor.h"
#include "model/tree/build/calltree_build.h"

struct replay {
	struct calltree *tree;
	size_t node_capacity;
	struct hashset paths; /* parent and region -> index + 1 */
	uint64_t *enters;     /* the thread's own ticks when the open nodes were entered */
	size_t depth, enter_capacity;
	struct foreign_time *foreign;	  /* by thread */
	uint32_t thread;		  /* the one being replayed */
	uint32_t current;		  /* its innermost open node */
	uint32_t *children;		  /* threads in order of their beginning */
	uint32_t child_count, next_child; /* threads that it created */
};

static uint32_t replay_node_add(struct replay *replay, uint32_t parent, uint32_t region)
{
	struct calltree *tree = replay->tree;
	struct calltree_node *nodes = tree->nodes;

	if (tree->node_count == CALLTREE_NONE - 1)
		return CALLTREE_NONE;
	if (tree->node_count == replay->node_capacity) {
		nodes = array_grow(nodes, &replay->node_capacity, (size_t)tree->node_count + 1,
				   sizeof(*nodes));
		if (!nodes)
			return CALLTREE_NONE;
		tree->nodes = nodes;
	}
	nodes[tree->node_count] = (struct calltree_node){
		.region = region,
		.thread = replay->thread,
		.parent = parent,
		.first_child = CALLTREE_NONE, /* the one taken last, until finished */
	};
	return tree->node_count++;
}

static uint32_t child_find(struct replay *replay, uint32_t region)
{
	uint32_t parent = replay->current;
	uint32_t child = replay->tree->nodes[parent].first_child;
	uint64_t key = hash_pair(parent, region);

	if (replay->tree->recording->has_each_call)
		return replay_node_add(replay, parent, region);
	if (child != CALLTREE_NONE && replay->tree->nodes[child].region == region)
		return child;
	child = (uint32_t)hashset_find_key(&replay->paths, key) - 1;
	if (child == CALLTREE_NONE) {
		child = replay_node_add(replay, parent, region);
		if (child == CALLTREE_NONE ||
		    !hashset_insert(&replay->paths, key, (uint64_t)child + 1))
			return CALLTREE_NONE;
	}
	replay->tree->nodes[parent].first_child = child;
	return child;
}

static bool replay_enter(struct replay *replay, const struct trace_event *event)
{
	uint32_t child = child_find(replay, event->region);

	if (child == CALLTREE_NONE)
		return false;
	if (replay->depth == replay->enter_capacity) {
		uint64_t *grown = array_grow(replay->enters, &replay->enter_capacity,
					     replay->depth + 1, sizeof(*grown));

		if (!grown)
			return false;
		replay->enters = grown;
	}
	replay->enters[replay->depth++] = event->ticks - event->left_out;
	replay->tree->nodes[child].count++;
	replay->current = child;
	return true;
}

/* Regions open at the end count as left if the thread, or the process, ended regularly. Times are
 * ticks until the end. */
static void replay_leave(struct replay *replay, const struct trace_event *event, bool is_open)
{
	struct calltree_node *node = &replay->tree->nodes[replay->current];
	uint64_t ticks = event->ticks - event->left_out;
	double duration = (double)(ticks - replay->enters[--replay->depth]);

	node->sum_ns += duration;
	replay->current = node->parent;
	if (is_open) {
		node->is_open = true;
		return;
	}
	if (node->closed_count == 0 || duration < node->min_ns)
		node->min_ns = duration;
	if (duration > node->max_ns)
		node->max_ns = duration;
	node->sum_squares_ns += duration * duration;
	node->closed_count++;
}

/* Threads that began before this event were created at the current node. */
static void note_children(struct replay *replay, uint64_t ticks, uint32_t *creators)
{
	const struct thread *threads = replay->tree->recording->threads;

	while (replay->next_child < replay->child_count &&
	       threads[replay->children[replay->next_child]].start_ticks <= ticks)
		creators[replay->children[replay->next_child++]] = replay->current;
}

static bool replay_has_ended(const struct recording *recording, uint32_t thread)
{
	return recording->is_closed || recording->threads[thread].end_ticks;
}

static enum kymo_status replay_events(struct replay *replay, struct trace_cursor *cursor,
				      uint32_t *creators)
{
	bool has_end = replay_has_ended(replay->tree->recording, replay->thread);
	struct trace_event event;

	while (trace_cursor_next(cursor, &event)) {
		note_children(replay, event.ticks, creators);
		if (event.kind == TRACE_ENTER) {
			if (!replay_enter(replay, &event))
				return KYMO_MEMORY;
		} else if (event.kind == TRACE_LEAVE || event.kind == TRACE_UNWIND) {
			replay_leave(replay, &event, !has_end && trace_cursor_is_at_end(cursor));
		}
	}
	note_children(replay, UINT64_MAX, creators);
	return KYMO_OK;
}

static void root_time(struct replay *replay, struct calltree_node *root)
{
	const struct recording *recording = replay->tree->recording;
	const struct thread *thread = &recording->threads[replay->thread];
	uint64_t end = thread->end_ticks ? thread->end_ticks : recording->end_ticks;

	root->count = 1;
	root->is_open = !replay_has_ended(recording, replay->thread);
	if (!thread->is_present || end < thread->start_ticks)
		return;
	root->sum_ns = (double)(end - thread->start_ticks);
	root->closed_count = !root->is_open;
	if (root->is_open)
		return;
	root->min_ns = root->max_ns = root->sum_ns;
	root->sum_squares_ns = root->sum_ns * root->sum_ns;
}

static enum kymo_status replay_thread(struct replay *replay, uint32_t number, uint32_t *creators)
{
	struct calltree *tree = replay->tree;
	struct trace_cursor *cursor;
	enum kymo_status status;
	uint32_t root;

	replay->thread = number;
	root = replay_node_add(replay, CALLTREE_NONE, 0);
	if (root == CALLTREE_NONE)
		return KYMO_MEMORY;
	root_time(replay, &tree->nodes[root]);
	tree->thread_root[number] = root;
	replay->current = root;
	status = trace_cursor_new(tree->recording, number, &cursor);
	if (status != KYMO_OK)
		return status;
	status = replay_events(replay, cursor, creators);
	tree->dropped_count += trace_cursor_dropped(cursor);
	if (trace_cursor_foreign(cursor))
		replay->foreign[number] = *trace_cursor_foreign(cursor);
	trace_cursor_free(cursor);
	return status;
}

/* By parent, then by start: the threads created by a thread are adjacent. */
static int child_compare(const void *left, const void *right, void *context)
{
	const struct thread *threads = context;
	const struct thread *a = &threads[*(const uint32_t *)left];
	const struct thread *b = &threads[*(const uint32_t *)right];

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->start_ticks != b->start_ticks)
		return a->start_ticks < b->start_ticks ? -1 : 1;
	return a < b ? -1 : a > b;
}

static enum kymo_status replay_all(struct replay *replay, uint32_t *creators)
{
	const struct recording *recording = replay->tree->recording;
	uint32_t *order = malloc((recording->thread_count + (size_t)1) * sizeof(*order));
	enum kymo_status status = order ? KYMO_OK : KYMO_MEMORY;
	uint32_t at = 0;

	if (!order)
		return KYMO_MEMORY;
	for (uint32_t i = 0; i < recording->thread_count; i++)
		order[i] = i;
	qsort_r(order, recording->thread_count, sizeof(*order), child_compare, recording->threads);
	for (uint32_t i = 0; i < recording->thread_count && status == KYMO_OK; i++) {
		size_t chunk_count;

		replay->children = order + at;
		replay->next_child = 0;
		for (replay->child_count = 0;
		     at < recording->thread_count && recording->threads[order[at]].parent == i;
		     at++)
			replay->child_count++;
		chunks_of_thread(recording, KYMO_CHUNK_EVENTS, i, &chunk_count);
		if (recording->threads[i].is_present || chunk_count)
			status = replay_thread(replay, i, creators);
	}
	free(order);
	return status;
}

/* Foreign time outside of calls is not the threads' own time either. */
static void leave_foreign_out(const struct replay *replay)
{
	struct calltree *tree = replay->tree;

	for (uint32_t i = 0; i < tree->recording->thread_count; i++)
		if (tree->thread_root[i] != CALLTREE_NONE)
			calltree_leave_foreign_out(tree, i, tree->thread_root[i],
						   &replay->foreign[i]);
}

static void ticks_to_ns(struct calltree *tree)
{
	double tick_ns = recording_tick_ns(tree->recording);

	for (uint32_t i = 0; i < tree->node_count; i++) {
		tree->nodes[i].sum_ns *= tick_ns;
		tree->nodes[i].min_ns *= tick_ns;
		tree->nodes[i].max_ns *= tick_ns;
		tree->nodes[i].sum_squares_ns *= tick_ns * tick_ns;
	}
}

enum kymo_status calltree_from_trace(struct calltree *tree, uint32_t *creators)
{
	struct replay replay = {.tree = tree};
	enum kymo_status status = KYMO_MEMORY;

	replay.foreign = calloc((size_t)tree->recording->thread_count + 1, sizeof(*replay.foreign));
	if (replay.foreign)
		status = replay_all(&replay, creators);
	hashset_release(&replay.paths);
	free(replay.enters);
	tree->metric_count = 0;
	ticks_to_ns(tree);
	if (status == KYMO_OK)
		leave_foreign_out(&replay);
	free(replay.foreign);
	return status;
}
