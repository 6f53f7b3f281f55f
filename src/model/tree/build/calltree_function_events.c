/* Call paths of instrumented functions, from the records of their enters and exits. There may be
 * billions of these: the data for a record is in one small node, found as its parent's latest
 * child, or else by a hash of both.  Memory grows with the tree alone. */
#include "model/tree/build/calltree_function_events.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hashset.h"
#include "base/probe.h"
#include "model/functions/foreign_time.h"
#include "model/functions/functions.h"
#include "model/functions/function_events.h"
#include "model/recording/chunks.h"
#include "model/tree/build/calltree_build.h"
#include "model/tree/build/frames_open.h"

#define LEFT_OPEN UINT32_MAX /* value of latest after the last record */

struct pair_node {		 /* one cache line */
	uint32_t id;		 /* of the function */
	uint32_t parent, latest; /* nodes; 0 = the top, none */
	uint32_t next;		 /* the sibling that was taken after it last time */
	uint64_t count, closed;
	uint64_t ticks, min, max;
	double squares;
};

struct function_events_tree { /* of one thread */
	const struct recording *recording;
	const struct functions *functions;
	uint16_t *flags; /* by function: KYMO_FUNCTION_*, the upper half */
	struct frames_open frames;
	struct function_events_stops stops;
	struct pair_node *nodes; /* 0: the top, no function */
	size_t node_count, node_capacity;
	uint32_t *paths; /* node by its parent and function; 0 = free.  A hashset's slots are four
			  * times as large, which costs time here. */
	size_t path_capacity;
	uint32_t current;
	struct foreign_time foreign;
	uint64_t dropped;
	bool is_out_of_memory;
};

/* The slot of the node, or the free slot for it. */
static uint32_t *path_place(const struct function_events_tree *tree, uint32_t parent, uint32_t id)
{
	const struct pair_node *nodes = tree->nodes;
	uint32_t *paths = tree->paths;

	return &paths[probe(
		hash_pair(parent, id) >> 32, tree->path_capacity - 1, i,
		!paths[i] || (nodes[paths[i]].parent == parent && nodes[paths[i]].id == id))];
}

static void path_insert(struct function_events_tree *tree, uint32_t node)
{
	*path_place(tree, tree->nodes[node].parent, tree->nodes[node].id) = node;
}

static bool paths_grow(struct function_events_tree *tree)
{
	size_t capacity = tree->path_capacity ? 2 * tree->path_capacity : 1024;
	uint32_t *paths = calloc(capacity, sizeof(*paths));

	if (!paths)
		return false;
	free(tree->paths);
	tree->paths = paths;
	tree->path_capacity = capacity;
	for (size_t node = 1; node < tree->node_count; node++)
		path_insert(tree, (uint32_t)node);
	return true;
}

static uint32_t events_node_new(struct function_events_tree *tree, uint32_t parent, uint32_t id)
{
	struct pair_node *nodes = tree->node_count < UINT32_MAX - 1
					  ? array_grow(tree->nodes, &tree->node_capacity,
						       tree->node_count + 1, sizeof(*nodes))
					  : NULL;

	if (nodes)
		tree->nodes = nodes;
	if (!nodes || (2 * tree->node_count >= tree->path_capacity && !paths_grow(tree))) {
		tree->is_out_of_memory = true;
		return 0;
	}
	nodes[tree->node_count] = (struct pair_node){.id = id, .parent = parent, .min = UINT64_MAX};
	path_insert(tree, (uint32_t)tree->node_count);
	return (uint32_t)tree->node_count++;
}

static uint32_t node_search(struct function_events_tree *tree, uint32_t parent, uint32_t id)
{
	uint32_t node = *path_place(tree, parent, id);

	return node ? node : events_node_new(tree, parent, id);
}

static inline uint32_t child_of(struct function_events_tree *tree, uint32_t parent, uint32_t id)
{
	uint32_t child = tree->nodes[parent].latest, next;

	if (__builtin_expect(child && tree->nodes[child].id == id, 1))
		return child;
	/* A function usually calls others in the same order. */
	next = tree->nodes[child].next;
	if (!next || tree->nodes[next].id != id) {
		next = node_search(tree, parent, id);
		if (child)
			tree->nodes[child].next = next;
	}
	tree->nodes[parent].latest = next;
	return next;
}

/* Ticks without foreign time, as in times of calls. */
static inline uint64_t own_time(const struct function_events_tree *tree, uint64_t ticks)
{
	return ticks - foreign_time_left_out(&tree->foreign);
}

static inline void events_node_close(struct pair_node *node, uint64_t duration)
{
	double squared = (double)duration;

	node->closed++;
	node->ticks += duration;
	node->squares += squared * squared;
	if (duration < node->min)
		node->min = duration;
	if (duration > node->max)
		node->max = duration;
}

static inline void close_frames(struct function_events_tree *tree, size_t count, uint64_t ticks)
{
	for (; count > 0; count--) {
		struct open_frame *frame = frames_pop(&tree->frames);
		struct pair_node *node = &tree->nodes[frame->place];

		events_node_close(node, own_time(tree, ticks) - frame->ticks);
		tree->current = node->parent;
	}
}

static inline bool on_enter(struct function_events_tree *tree,
			    const struct function_events_record *record)
{
	size_t gone = frames_closed_by_enter(&tree->frames, record->slot, record->id);
	struct open_frame *frame;
	uint32_t node, flags;

	if (__builtin_expect(record->id >= tree->functions->count || !tree->flags[record->id], 0)) {
		tree->dropped++;
		return true;
	}
	flags = tree->flags[record->id];
	if (__builtin_expect(gone > 0, 0))
		close_frames(tree, gone, record->ticks);
	node = child_of(tree, tree->current, record->id);
	if (!node)
		return false;
	tree->nodes[node].count++;
	if (__builtin_expect(!functions_has_end(tree->functions, flags << 16, record->ticks), 0)) {
		events_node_close(&tree->nodes[node], 0);
		return true;
	}
	frame = frames_push(&tree->frames, record->slot, record->id, flags << 16);
	if (!frame)
		return false;
	frame->place = node;
	frame->ticks = own_time(tree, record->ticks);
	tree->current = node;
	return true;
}

static inline void on_exit_record(struct function_events_tree *tree,
				  const struct function_events_record *record)
{
	size_t unwound, count = frames_closed_by_exit(&tree->frames, record->slot, &unwound);

	if (__builtin_expect(count > 0, 1))
		close_frames(tree, count, record->ticks);
	else /* nothing is open: it was entered before recording started */
		tree->dropped += tree->frames.depth > 0;
}

static bool chunk_replay(struct function_events_tree *tree, const struct chunk *chunk,
			 uint64_t start, uint64_t *time)
{
	struct function_events_reader reader = function_events_reader_begin(
		tree->recording->data + chunk->offset, chunk->bytes,
		pairs_earliest(chunk->base, chunk->flags, *time, start), chunk->flags);
	struct function_events_record record = {0};

	foreign_time_begin_chunk(&tree->foreign);
	function_events_reader_follow(&reader, &tree->stops);
	while (function_events_next(&reader, &record)) {
		foreign_time_read_marks(&tree->foreign, &reader);
		foreign_time_pass_record(&tree->foreign, record.ticks);
		if (record.kind == FUNCTION_EVENTS_ENTER) {
			if (!on_enter(tree, &record))
				return false;
		} else if (record.kind == FUNCTION_EVENTS_EXIT) {
			on_exit_record(tree, &record);
		} else {
			close_frames(tree, tree->frames.depth, record.ticks);
		}
	}
	foreign_time_read_marks(&tree->foreign, &reader);
	tree->dropped += reader.is_malformed;
	*time = reader.ticks;
	return true;
}

/* Calls open at the end last until the thread's end. */
static void events_close_open(struct function_events_tree *tree, uint32_t thread, uint64_t time)
{
	const struct recording *recording = tree->recording;
	bool has_ended = recording->is_closed || recording->threads[thread].end_ticks;
	uint64_t end = recording->threads[thread].end_ticks;

	if (!end)
		end = recording->end_ticks;
	end = function_events_stops_cut(&tree->stops, end);
	if (end < time)
		end = time;
	foreign_time_pass(&tree->foreign, end);
	end = own_time(tree, end);
	while (tree->frames.depth > 0) {
		struct open_frame *frame = frames_pop(&tree->frames);
		struct pair_node *node = &tree->nodes[frame->place];

		if (has_ended) {
			events_node_close(node, end - frame->ticks);
		} else {
			node->ticks += end - frame->ticks;
			node->latest = LEFT_OPEN;
		}
	}
}

static bool thread_replay(struct function_events_tree *tree, uint32_t thread)
{
	size_t count;
	const struct chunk *chunks =
		chunks_of_thread(tree->recording, KYMO_CHUNK_FUNCTION_EVENTS, thread, &count);
	uint64_t start = tree->recording->threads[thread].start_ticks, time = 0;

	tree->foreign = foreign_time_begin(start, tree->recording->is_raw);
	for (size_t i = 0; i < count; i++) {
		if (!chunk_replay(tree, &chunks[i], start, &time))
			return false;
		chunk_drop_pages(tree->recording, &chunks[i]);
	}
	events_close_open(tree, thread, time);
	return true;
}

static void node_convert(const struct function_events_tree *pairs, const struct pair_node *from,
			 struct calltree_node *out)
{
	double tick_ns = recording_tick_ns(pairs->recording);

	out->region = functions_region(pairs->recording, from->id);
	out->count = from->count;
	out->closed_count = from->closed;
	out->sum_ns = (double)from->ticks * tick_ns;
	out->is_open = from->latest == LEFT_OPEN;
	if (!from->closed)
		return;
	out->min_ns = (double)from->min * tick_ns;
	out->max_ns = (double)from->max * tick_ns;
	out->sum_squares_ns = from->squares * tick_ns * tick_ns;
}

/* Append to the existing nodes, below parent. */
static enum kymo_status graft(struct calltree *tree, const struct function_events_tree *pairs,
			      uint32_t thread, uint32_t parent)
{
	size_t added = pairs->node_count - 1;
	struct calltree_node *nodes = calltree_reserve(tree, added);

	if (added && !nodes)
		return KYMO_MEMORY;
	for (size_t i = 1; i <= added; i++) {
		const struct pair_node *from = &pairs->nodes[i];
		struct calltree_node *out = &nodes[i - 1];

		*out = (struct calltree_node){
			.thread = thread,
			.parent = from->parent ? tree->node_count + from->parent - 1 : parent,
		};
		node_convert(pairs, from, out);
	}
	tree->node_count += (uint32_t)added;
	tree->dropped_count += pairs->dropped;
	calltree_leave_foreign_out(tree, thread, parent, &pairs->foreign);
	return KYMO_OK;
}

static enum kymo_status events_add_thread(struct calltree *tree, uint16_t *flags, uint32_t thread,
					  uint32_t parent)
{
	struct function_events_tree pairs = {
		.recording = tree->recording,
		.functions = tree->recording->functions,
		.flags = flags,
		.stops = function_events_stops_of(&tree->recording->header),
		.node_count = 1,
		.nodes = calloc(1, sizeof(struct pair_node)),
		.node_capacity = 1,
	};
	enum kymo_status status = KYMO_MEMORY;

	if (pairs.nodes && paths_grow(&pairs) && thread_replay(&pairs, thread))
		status = graft(tree, &pairs, thread, parent);
	frames_release(&pairs.frames);
	free(pairs.nodes);
	free(pairs.paths);
	return status;
}

/* By id: 0 = no function that records may refer to. */
static uint16_t *events_flags_of(const struct functions *functions)
{
	uint16_t *flags = calloc((size_t)functions->count + 1, sizeof(*flags));

	for (uint32_t id = 0; flags && id < functions->count; id++)
		if (functions->items[id].region)
			flags[id] = OPEN_FRAME_FLAG(functions->items[id].flags);
	return flags;
}

enum kymo_status calltree_add_function_events(struct calltree *tree)
{
	const struct recording *recording = tree->recording;
	enum kymo_status status = KYMO_OK;
	uint32_t *wholes;
	uint16_t *flags;

	if (!recording->functions)
		return KYMO_OK;
	wholes = calltree_wholes(tree);
	flags = events_flags_of(recording->functions);
	if (!flags || !wholes)
		status = KYMO_MEMORY;
	for (uint32_t i = 0; i < recording->thread_count && status == KYMO_OK; i++) {
		size_t count;

		chunks_of_thread(recording, KYMO_CHUNK_FUNCTION_EVENTS, i, &count);
		/* Records of an unknown thread are ignored. */
		if (count && wholes[i] != CALLTREE_NONE)
			status = events_add_thread(tree, flags, i, wholes[i]);
	}
	free(flags);
	free(wholes);
	return status;
}
