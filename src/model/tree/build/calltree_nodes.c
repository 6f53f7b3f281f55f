/* The call-path tree from the recorded nodes. A parent is written before its children, so its
 * record is before theirs in the file: a reference that points forward, or not to a node, is
 * damage, and everything below such a node is left out.  That also rules out cycles. */
#include "model/tree/build/calltree_nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/gateword.h"
#include "model/recording/chunks.h"
#include "model/recording/node_exact.h"
#include "model/tree/build/calltree_build.h"
#include "model/tree/build/calltree_positions.h"

struct entry {		 /* one record in file order */
	uint32_t parent; /* entry, or CALLTREE_NONE */
	uint32_t thread;
	uint32_t index; /* of its node in the tree, or CALLTREE_NONE */
	bool is_valid;
	bool is_used;
};

struct nodes_reader {
	struct calltree *tree;
	const struct recording *recording;
	const struct chunk *chunks;
	size_t chunk_count;
	uint32_t *first; /* per chunk: entry of its first record */
	struct entry *entries;
	uint32_t entry_count;
	double tick_ns;
};

static uint64_t records_of(const struct chunk *chunk)
{
	return chunk->bytes / chunk->record_size;
}

static enum kymo_status reader_init(struct nodes_reader *reader)
{
	uint64_t count = 0;

	reader->first = malloc(reader->chunk_count * sizeof(*reader->first));
	if (!reader->first)
		return KYMO_MEMORY;
	for (size_t i = 0; i < reader->chunk_count; i++) {
		reader->first[i] = (uint32_t)count;
		count += records_of(&reader->chunks[i]);
	}
	/* References are 32 bits wide, which limits the number of nodes. */
	if (count >= CALLTREE_NONE)
		return KYMO_MEMORY;
	reader->entry_count = (uint32_t)count;
	reader->entries = calloc(count ? count : 1, sizeof(*reader->entries));
	return reader->entries ? KYMO_OK : KYMO_MEMORY;
}

/* Entry of the node that reference names, or CALLTREE_NONE. */
static uint32_t nodes_entry_at(const struct nodes_reader *reader, uint32_t reference)
{
	uint64_t offset = (uint64_t)reference * KYMO_NODE_UNIT;
	const struct chunk *chunk =
		reference ? chunk_holding(reader->recording, KYMO_CHUNK_NODES, offset) : NULL;
	uint64_t record;

	if (!chunk || (offset - chunk->offset) % chunk->record_size != 0)
		return CALLTREE_NONE;
	record = (offset - chunk->offset) / chunk->record_size;
	if (record >= records_of(chunk))
		return CALLTREE_NONE;
	return reader->first[chunk - reader->chunks] + (uint32_t)record;
}

typedef void (*visit_fn)(struct nodes_reader *reader, uint32_t entry, const struct chunk *chunk,
			 const struct kymo_node *node);

static void visit_all(struct nodes_reader *reader, visit_fn visit)
{
	uint32_t entry = 0;

	for (size_t i = 0; i < reader->chunk_count; i++) {
		const struct chunk *chunk = &reader->chunks[i];
		const unsigned char *bytes = reader->recording->data + chunk->offset;

		for (uint64_t k = records_of(chunk); k > 0; k--) {
			visit(reader, entry++, chunk,
			      (const struct kymo_node *)(const void *)bytes);
			bytes += chunk->record_size;
		}
	}
}

/* Determine the thread of each root: from the root itself, which need not be of the chunk's owner;
 * or the owner if the process ended before that was written. */
static void mark_roots(struct nodes_reader *reader)
{
	const struct recording *recording = reader->recording;

	for (uint32_t i = 0; i < reader->entry_count; i++)
		reader->entries[i].thread = KYMO_NO_THREAD;
	for (uint32_t i = recording->thread_count; i-- > 0;) {
		uint32_t entry = nodes_entry_at(reader, recording->threads[i].root_node);

		if (recording->threads[i].is_present && entry != CALLTREE_NONE)
			reader->entries[entry].thread = i;
	}
}

static uint32_t root_thread(const struct nodes_reader *reader, const struct entry *entry,
			    const struct chunk *chunk)
{
	const struct recording *recording = reader->recording;

	if (entry->thread != KYMO_NO_THREAD)
		return entry->thread;
	if (chunk->thread >= recording->thread_count ||
	    !recording->threads[chunk->thread].is_present ||
	    recording->threads[chunk->thread].root_node != 0)
		return KYMO_NO_THREAD;
	return chunk->thread;
}

static void check_root(struct nodes_reader *reader, uint32_t index, const struct chunk *chunk)
{
	struct entry *entry = &reader->entries[index];

	entry->parent = CALLTREE_NONE;
	entry->thread = root_thread(reader, entry, chunk);
	if (entry->thread == KYMO_NO_THREAD ||
	    reader->tree->thread_root[entry->thread] != CALLTREE_NONE)
		return;
	/* An entry's index; replaced by the node's when that is known. */
	reader->tree->thread_root[entry->thread] = index;
	entry->is_valid = true;
	entry->is_used = true;
}

static void check_node(struct nodes_reader *reader, uint32_t index, const struct chunk *chunk,
		       const struct kymo_node *node)
{
	struct entry *entry = &reader->entries[index];

	if (node->parent == 0) {
		check_root(reader, index, chunk);
		return;
	}
	entry->parent = nodes_entry_at(reader, node->parent);
	if (entry->parent >= index || !reader->entries[entry->parent].is_valid ||
	    node->region >= reader->recording->region_count)
		return;
	entry->thread = reader->entries[entry->parent].thread;
	entry->is_valid = true;
	/* Created, but not entered before the process was stopped: not a call path yet. */
	entry->is_used = node->count || node->enter || (node->flags & KYMO_NODE_INHERITED);
}

/* Assign an index to each valid node that was used, or has such nodes below it. */
static uint32_t number_entries(struct nodes_reader *reader)
{
	uint32_t count = 0;

	for (uint32_t i = reader->entry_count; i-- > 0;) {
		const struct entry *entry = &reader->entries[i];

		if (entry->is_valid && entry->is_used && entry->parent != CALLTREE_NONE)
			reader->entries[entry->parent].is_used = true;
	}
	for (uint32_t i = 0; i < reader->entry_count; i++) {
		struct entry *entry = &reader->entries[i];

		reader->tree->dropped_count += !entry->is_valid;
		entry->index = entry->is_valid && entry->is_used ? count++ : CALLTREE_NONE;
	}
	return count;
}

/* No real sum is close to the limit, nor a sum of squares to its square; sums over all nodes, and
 * values computed from them, stay finite. */
#define SUM_MAX	    1e60
#define SQUARES_MAX 1e120

/* Replace damaged values that are not finite or impossible. */
static double sane(struct nodes_reader *reader, double value, double limit)
{
	if (fabs(value) < limit)
		return value;
	reader->tree->impossible_count++;
	return 0;
}

/* Including the open visit; merged nodes, which are no longer open, store the number. */
static uint64_t closed_visits(const struct nodes_reader *reader, const struct chunk *chunk,
			      const struct kymo_node *node)
{
	const struct kymo_node_exact *exact = node_exact(reader->recording, chunk, node);

	return exact ? exact->closed : node->count + ((node->flags & KYMO_NODE_INHERITED) != 0);
}

static void fill_times(struct nodes_reader *reader, const struct chunk *chunk,
		       const struct kymo_node *node, struct calltree_node *out)
{
	const struct recording *recording = reader->recording;
	uint64_t end = recording->end_ticks;
	uint64_t closed = closed_visits(reader, chunk, node);
	uint64_t sum = node->sum;

	if (node->parent) /* a thread continues while recording is switched off */
		end = gateword_cut(&recording->header, end);
	out->is_open = node->enter != 0;
	if (out->is_open && end > node->enter)
		sum += end - node->enter;
	out->sum_ns = (double)sum * reader->tick_ns;
	if (closed <= out->is_open || node->min > node->max)
		return;
	out->closed_count = closed - out->is_open;
	out->min_ns = (double)node->min * reader->tick_ns;
	out->max_ns = (double)node->max * reader->tick_ns;
	out->sum_squares_ns =
		sane(reader, node->sum_squares, SQUARES_MAX) * reader->tick_ns * reader->tick_ns;
}

static void nodes_fill_metrics(struct nodes_reader *reader, uint32_t index,
			       const struct kymo_node *node)
{
	uint32_t count = reader->tree->metric_count;
	const struct kymo_node_metric *blocks = (const struct kymo_node_metric *)(node + 1);
	struct calltree_metric *out = &reader->tree->metrics[(size_t)index * count];

	for (uint32_t k = 0; k < count; k++) {
		out[k].count = blocks[k].count;
		out[k].sum = sane(reader, blocks[k].sum, SUM_MAX);
		out[k].sum_squares = sane(reader, blocks[k].sum_squares, SQUARES_MAX);
		if (blocks[k].count == 0 || !(blocks[k].min <= blocks[k].max))
			continue;
		out[k].min = sane(reader, blocks[k].min, SUM_MAX);
		out[k].max = sane(reader, blocks[k].max, SUM_MAX);
	}
}

static void nodes_fill(struct nodes_reader *reader, uint32_t index, const struct chunk *chunk,
		       const struct kymo_node *node)
{
	const struct entry *entry = &reader->entries[index];
	struct calltree_node *out;

	if (entry->index == CALLTREE_NONE)
		return;
	out = &reader->tree->nodes[entry->index];
	out->region = entry->parent == CALLTREE_NONE ? 0 : node->region;
	out->thread = entry->thread;
	out->parent = entry->parent == CALLTREE_NONE ? CALLTREE_NONE
						     : reader->entries[entry->parent].index;
	out->count = node->count;
	out->is_folded = (node->flags & KYMO_NODE_FOLDED) != 0;
	if (reader->tree->positions)
		calltree_positions_take(reader->tree, entry->index, node);
	else
		fill_times(reader, chunk, node, out);
	if (reader->tree->metrics)
		nodes_fill_metrics(reader, entry->index, node);
}

/* Thread references, from entries and file offsets to indexes. */
static void fill_threads(struct nodes_reader *reader, uint32_t *creators)
{
	const struct recording *recording = reader->recording;

	for (uint32_t i = 0; i < recording->thread_count; i++) {
		uint32_t *root = &reader->tree->thread_root[i];
		uint32_t creator = nodes_entry_at(reader, recording->threads[i].parent_node);

		if (*root != CALLTREE_NONE)
			*root = reader->entries[*root].index;
		if (creator != CALLTREE_NONE)
			creators[i] = reader->entries[creator].index;
	}
}

static enum kymo_status nodes_read(struct nodes_reader *reader, uint32_t *creators)
{
	struct calltree *tree = reader->tree;
	enum kymo_status status = reader_init(reader);

	if (status != KYMO_OK)
		return status;
	mark_roots(reader);
	visit_all(reader, check_node);
	tree->node_count = number_entries(reader);
	tree->nodes = calloc(tree->node_count + (size_t)1, sizeof(*tree->nodes));
	if (tree->metric_count)
		tree->metrics = calloc((tree->node_count + (size_t)1) * tree->metric_count,
				       sizeof(*tree->metrics));
	if (!tree->nodes || (tree->metric_count && !tree->metrics) ||
	    calltree_positions_begin(tree) != KYMO_OK)
		return KYMO_MEMORY;
	visit_all(reader, nodes_fill);
	fill_threads(reader, creators);
	return calltree_positions_end(tree);
}

enum kymo_status calltree_from_nodes(struct calltree *tree, uint32_t *creators)
{
	struct nodes_reader reader = {
		.tree = tree,
		.recording = tree->recording,
		.tick_ns = recording_tick_ns(tree->recording),
	};
	enum kymo_status status;

	reader.chunks = chunks_of(reader.recording, KYMO_CHUNK_NODES, &reader.chunk_count);
	status = nodes_read(&reader, creators);
	free(reader.first);
	free(reader.entries);
	return status;
}
