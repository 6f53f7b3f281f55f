/* Runs of sorted regions and nodes in a file. */
#include "merge/inputs/merge_spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "merge/inputs/merge_problem.h"

#define OUT_BUFFER (1u << 20)
#define NO_TEXT	   UINT32_MAX

struct region_record { /* followed by the existing texts, NUL-terminated */
	uint32_t kind, flags, line, stack_size;
	uint16_t argument_count, local_count;
	uint32_t lengths[MERGE_REGION_TEXTS]; /* with the NUL */
};

struct node_record {	     /* followed by the metrics, and for depth 0 the sums of the threads */
	uint32_t depth, key; /* key: rank of the region times 2, plus 1 when folded */
	uint64_t reserved;
	struct merge_values values;
};

void merge_spill_init(struct merge_spill *spill, const char *directory)
{
	*spill = (struct merge_spill){.directory = directory, .fd = -1};
}

static enum kymo_status spill_cannot_write(const struct merge_spill *spill, struct problem *problem)
{
	return problem_set(problem, KYMO_SYSTEM, "cannot write a temporary file in '%s': %s",
			   spill->directory, strerror(errno ? errno : EIO));
}

/* An unnamed file, also if the file system does not support O_TMPFILE. */
static int open_nameless(const char *directory)
{
	int fd = open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	char *name;

	if (fd >= 0 || asprintf(&name, "%s/.kymo-merge-XXXXXX", directory) < 0)
		return fd;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

/* Create the file unless it exists. */
static enum kymo_status spill_open_file(struct merge_spill *spill, struct problem *problem)
{
	if (spill->out)
		return KYMO_OK;
	errno = 0;
	spill->fd = open_nameless(spill->directory);
	if (spill->fd >= 0)
		spill->out = fdopen(spill->fd, "w+");
	if (!spill->out)
		return spill_cannot_write(spill, problem);
	setvbuf(spill->out, NULL, _IOFBF, OUT_BUFFER);
	return KYMO_OK;
}

static void spill_put(struct merge_spill *spill, const void *bytes, size_t size)
{
	if (size > 0)
		fwrite(bytes, size, 1, spill->out);
	spill->end += size;
}

enum kymo_status merge_spill_flush(struct merge_spill *spill, struct problem *problem)
{
	errno = 0;
	if (spill->out && (fflush(spill->out) != 0 || ferror(spill->out)))
		return spill_cannot_write(spill, problem);
	return KYMO_OK;
}

enum kymo_status merge_spill_bytes(struct merge_spill *spill, const void *bytes, size_t size,
				   uint64_t *at_out, struct problem *problem)
{
	enum kymo_status status = spill_open_file(spill, problem);

	if (status < 0)
		return status;
	errno = 0;
	*at_out = spill->end;
	spill_put(spill, bytes, size);
	return ferror(spill->out) ? spill_cannot_write(spill, problem) : KYMO_OK;
}

static void put_region(struct merge_spill *spill, const struct merge_region *region)
{
	struct region_record record = {
		.kind = region->kind,
		.flags = region->flags,
		.line = region->line,
		.stack_size = region->stack_size,
		.argument_count = region->argument_count,
		.local_count = region->local_count,
	};

	for (size_t i = 0; i < MERGE_REGION_TEXTS; i++)
		record.lengths[i] =
			region->texts[i] ? (uint32_t)strlen(region->texts[i]) + 1 : NO_TEXT;
	spill_put(spill, &record, sizeof(record));
	for (size_t i = 0; i < MERGE_REGION_TEXTS; i++)
		if (region->texts[i])
			spill_put(spill, region->texts[i], record.lengths[i]);
}

struct writer {
	struct merge_spill *spill;
	struct merge_tree *tree;
	const uint32_t *rank; /* of regions */
	uint32_t *siblings;
	size_t sibling_capacity;
	uint32_t *stack; /* nodes still to write, with their depths */
	size_t stack_count, stack_capacity;
};

static uint32_t key_of(const struct writer *writer, uint32_t node)
{
	const struct merge_node *from = &writer->tree->nodes[node];

	return writer->rank[from->region] << 1 | from->is_folded;
}

/* The last comes first: they are pushed onto a stack. */
static int compare_siblings(const void *left, const void *right, void *context)
{
	uint32_t a = key_of(context, *(const uint32_t *)left);
	uint32_t b = key_of(context, *(const uint32_t *)right);

	return a > b ? -1 : a < b;
}

/* Push the nodes of a list, so that they are popped in order. */
static bool push_siblings(struct writer *writer, uint32_t first, uint32_t depth)
{
	size_t count = 0;
	uint32_t *stack;

	for (uint32_t at = first; at != MERGE_NO_NODE; at = writer->tree->nodes[at].next_sibling) {
		uint32_t *siblings = array_grow(writer->siblings, &writer->sibling_capacity,
						count + 1, sizeof(*siblings));

		if (!siblings)
			return false;
		writer->siblings = siblings;
		siblings[count++] = at;
	}
	if (count == 0)
		return true;
	if (count > 1)
		qsort_r(writer->siblings, count, sizeof(*writer->siblings), compare_siblings,
			writer);
	stack = array_grow(writer->stack, &writer->stack_capacity, writer->stack_count + 2 * count,
			   sizeof(*stack));
	if (!stack)
		return false;
	writer->stack = stack;
	for (size_t i = 0; i < count; i++) {
		stack[writer->stack_count++] = writer->siblings[i];
		stack[writer->stack_count++] = depth;
	}
	return true;
}

static void spill_put_node(struct writer *writer, uint32_t index, uint32_t depth)
{
	const struct merge_tree *tree = writer->tree;
	const struct merge_node *node = &tree->nodes[index];
	const struct node_record record = {
		.depth = depth, .key = key_of(writer, index), .values = node->values};

	spill_put(writer->spill, &record, sizeof(record));
	if (tree->metric_count)
		spill_put(writer->spill, merge_tree_metrics(tree, index),
			  tree->metric_count * sizeof(*tree->metrics));
	if (depth == 0)
		spill_put(writer->spill, &tree->thread_sums[node->region],
			  sizeof(*tree->thread_sums));
}

static bool spill_put_nodes(struct writer *writer)
{
	const struct merge_tree *tree = writer->tree;
	bool is_complete = push_siblings(writer, tree->first_root, 0);

	while (is_complete && writer->stack_count > 0) {
		uint32_t depth = writer->stack[--writer->stack_count];
		uint32_t index = writer->stack[--writer->stack_count];

		/* Every root has sums, but the last ones may not exist yet. */
		if (depth == 0 && !merge_tree_thread(writer->tree, index))
			return false;
		spill_put_node(writer, index, depth);
		is_complete = push_siblings(writer, tree->nodes[index].first_child, depth + 1);
	}
	return is_complete;
}

/* Write regions and nodes, and fill in the run that describes them. */
static bool spill_put_tree(struct merge_spill *spill, struct merge_tree *tree,
			   struct merge_run *run, uint32_t **rank_out)
{
	struct writer writer = {.spill = spill, .tree = tree};
	uint32_t *order;
	bool is_complete;

	if (!merge_regions_sort(&tree->regions, &order, rank_out))
		return false;
	writer.rank = *rank_out;
	*run = (struct merge_run){.regions_at = spill->end,
				  .region_count = (uint32_t)tree->regions.count,
				  .metric_count = tree->metric_count};
	memcpy(run->metric_ids, tree->metric_ids, sizeof(run->metric_ids));
	for (size_t i = 0; i < tree->regions.count; i++)
		put_region(spill, &tree->regions.items[order[i]]);
	run->regions_end = run->nodes_at = spill->end;
	is_complete = spill_put_nodes(&writer);
	run->nodes_end = spill->end;
	free(order);
	free(writer.siblings);
	free(writer.stack);
	return is_complete;
}

enum kymo_status merge_spill_tree(struct merge_spill *spill, struct merge_tree *tree,
				  uint32_t **rank_out, struct problem *problem)
{
	struct merge_run *runs =
		array_grow(spill->runs, &spill->run_capacity, spill->run_count + 1, sizeof(*runs));
	uint32_t *rank = NULL;
	enum kymo_status status;

	if (!runs)
		return merge_no_memory(problem);
	spill->runs = runs;
	status = spill_open_file(spill, problem);
	if (status < 0)
		return status;
	errno = 0;
	if (!spill_put_tree(spill, tree, &runs[spill->run_count], &rank))
		status = merge_no_memory(problem);
	else if (ferror(spill->out))
		status = spill_cannot_write(spill, problem);
	if (status < 0) {
		free(rank);
		return status;
	}
	*rank_out = rank;
	spill->run_count++;
	merge_tree_release(tree);
	return KYMO_OK;
}

void merge_spill_release(struct merge_spill *spill)
{
	if (spill->out)
		fclose(spill->out);
	else if (spill->fd >= 0)
		close(spill->fd);
	free(spill->runs);
	merge_spill_init(spill, NULL);
}

bool merge_spill_read(const struct merge_spill *spill, void *to, size_t size, uint64_t at)
{
	unsigned char *next = to;

	while (size > 0) {
		ssize_t got = pread(spill->fd, next, size, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		next += got;
		at += (uint64_t)got;
		size -= (size_t)got;
	}
	return true;
}

bool merge_cursor_init(struct merge_cursor *cursor, const struct merge_spill *spill,
		       const struct merge_run *run, bool is_of_nodes, size_t buffer_size)
{
	*cursor = (struct merge_cursor){
		.spill = spill,
		.buffer = malloc(buffer_size),
		.size = buffer_size,
		.next = is_of_nodes ? run->nodes_at : run->regions_at,
		.end = is_of_nodes ? run->nodes_end : run->regions_end,
		.run = run,
	};
	return cursor->buffer != NULL;
}

void merge_cursor_release(struct merge_cursor *cursor)
{
	free(cursor->buffer);
	cursor->buffer = NULL;
}

static void cursor_fail(struct merge_cursor *cursor)
{
	cursor->has_failed = true;
	cursor->is_at_end = true;
}

/* The next size bytes in one piece, valid until the next call; NULL: failed. */
static const void *spill_take(struct merge_cursor *cursor, size_t size)
{
	size_t rest = cursor->length - cursor->at, more;

	if (rest < size) {
		memmove(cursor->buffer, cursor->buffer + cursor->at, rest);
		cursor->at = 0;
		cursor->length = rest;
		if (size > cursor->size) {
			unsigned char *larger = realloc(cursor->buffer, size);

			if (!larger)
				return NULL;
			cursor->buffer = larger;
			cursor->size = size;
		}
		more = cursor->size - rest;
		if (more > cursor->end - cursor->next)
			more = cursor->end - cursor->next;
		if (rest + more < size ||
		    !merge_spill_read(cursor->spill, cursor->buffer + rest, more, cursor->next))
			return NULL;
		cursor->next += more;
		cursor->length += more;
	}
	cursor->at += size;
	return cursor->buffer + cursor->at - size;
}

static bool is_over(struct merge_cursor *cursor)
{
	if (cursor->at == cursor->length && cursor->next == cursor->end)
		cursor->is_at_end = true;
	return cursor->is_at_end;
}

void merge_cursor_next_region(struct merge_cursor *cursor)
{
	const struct region_record *from;
	struct region_record record;
	const char *texts;
	size_t size = 0;

	if (is_over(cursor))
		return;
	from = spill_take(cursor, sizeof(record));
	if (!from) {
		cursor_fail(cursor);
		return;
	}
	memcpy(&record, from, sizeof(record));
	for (size_t i = 0; i < MERGE_REGION_TEXTS; i++)
		size += record.lengths[i] == NO_TEXT ? 0 : record.lengths[i];
	texts = spill_take(cursor, size);
	if (!texts) {
		cursor_fail(cursor);
		return;
	}
	cursor->region = (struct merge_region){
		.kind = record.kind,
		.flags = record.flags,
		.line = record.line,
		.argument_count = record.argument_count,
		.local_count = record.local_count,
		.stack_size = record.stack_size,
	};
	for (size_t i = 0; i < MERGE_REGION_TEXTS; i++) {
		if (record.lengths[i] == NO_TEXT)
			continue;
		cursor->region.texts[i] = texts;
		texts += record.lengths[i];
	}
}

static bool take_copy(struct merge_cursor *cursor, void *to, size_t size)
{
	const void *from = spill_take(cursor, size);

	if (from)
		memcpy(to, from, size);
	else
		cursor_fail(cursor);
	return from != NULL;
}

void merge_cursor_next_node(struct merge_cursor *cursor)
{
	uint32_t metric_count = cursor->run->metric_count;
	struct node_record record;

	if (is_over(cursor) || !take_copy(cursor, &record, sizeof(record)))
		return;
	cursor->depth = record.depth;
	cursor->node_region = record.key >> 1;
	cursor->is_folded = record.key & 1;
	cursor->values = record.values;
	if (metric_count &&
	    !take_copy(cursor, cursor->metrics, metric_count * sizeof(*cursor->metrics)))
		return;
	if (record.depth == 0)
		take_copy(cursor, &cursor->thread, sizeof(cursor->thread));
}
