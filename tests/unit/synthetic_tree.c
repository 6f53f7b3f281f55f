/* The call trees of synthetic recordings, and the regions that are open in them. */
#include "synthetic.h"

#include "synthetic_insides.h"

struct kymo_node *synthetic_node_at(struct synthetic *synthetic, uint32_t reference)
{
	return (struct kymo_node *)(synthetic->bytes + (uint64_t)reference * KYMO_NODE_UNIT);
}

struct kymo_node_metric *synthetic_metric_at(struct synthetic *synthetic, uint32_t reference,
					     uint32_t block)
{
	return (struct kymo_node_metric *)(synthetic_node_at(synthetic, reference) + 1) + block;
}

uint32_t synthetic_current(const struct synthetic *synthetic, uint32_t thread)
{
	return synthetic->threads[thread].current;
}

uint32_t synthetic_node(struct synthetic *synthetic, uint32_t thread, uint32_t parent,
			uint32_t region)
{
	uint32_t blocks = 1 + synthetic_header(synthetic)->metric_count;
	struct kymo_node *node =
		synthetic_append(synthetic, &synthetic->threads[thread].nodes, KYMO_CHUNK_NODES,
				 thread, blocks * KYMO_NODE_UNIT, blocks * KYMO_NODE_UNIT);

	node->region = region;
	node->parent = parent;
	node->min = UINT64_MAX;
	if (parent) {
		uint16_t above = synthetic_node_at(synthetic, parent)->depth;

		node->depth = above < UINT16_MAX ? above + 1 : above;
	}
	return (uint32_t)((uint64_t)((unsigned char *)node - synthetic->bytes) / KYMO_NODE_UNIT);
}

static void node_close(struct kymo_node *node, uint64_t now)
{
	uint64_t duration = now - node->enter;

	node->sum += duration;
	node->min = duration < node->min ? duration : node->min;
	node->max = duration > node->max ? duration : node->max;
	node->sum_squares += (double)duration * (double)duration;
	node->enter = 0;
}

static uint32_t child_of(struct synthetic *synthetic, uint32_t thread, uint32_t parent,
			 uint32_t region)
{
	uint64_t key = hash_pair(parent, region);
	uint64_t reference = hashset_find_key(&synthetic->paths, key);

	if (!reference) {
		reference = synthetic_node(synthetic, thread, parent, region);
		if (!hashset_insert(&synthetic->paths, key, reference))
			synthetic_must(NULL);
	}
	return (uint32_t)reference;
}

void synthetic_enter(struct synthetic *synthetic, uint32_t thread, uint32_t region, uint64_t time)
{
	struct synthetic_thread *state = &synthetic->threads[thread];
	uint32_t flags = synthetic_header(synthetic)->flags;

	if (flags & KYMO_HEADER_PROFILE) {
		struct kymo_node *node;

		state->current = child_of(synthetic, thread, state->current, region);
		node = synthetic_node_at(synthetic, state->current);
		node->count++;
		node->enter = synthetic_ticks(time);
	}
	if (flags & KYMO_HEADER_TRACE)
		synthetic_event(synthetic, thread, KYMO_EVENT_ENTER, region, time, 0);
}

void synthetic_leave(struct synthetic *synthetic, uint32_t thread, uint32_t region, uint64_t time)
{
	struct synthetic_thread *state = &synthetic->threads[thread];
	uint32_t flags = synthetic_header(synthetic)->flags;

	if (flags & KYMO_HEADER_PROFILE) {
		struct kymo_node *node = synthetic_node_at(synthetic, state->current);

		node_close(node, synthetic_ticks(time));
		state->current = node->parent;
	}
	if (flags & KYMO_HEADER_TRACE)
		synthetic_event(synthetic, thread, KYMO_EVENT_LEAVE, region, time, 0);
}

void synthetic_thread_end(struct synthetic *synthetic, uint32_t thread, uint64_t time)
{
	struct kymo_thread_record *record = synthetic_thread_at(synthetic, thread);

	record->end_ticks = synthetic_ticks(time);
	if (record->root_node)
		node_close(synthetic_node_at(synthetic, record->root_node), synthetic_ticks(time));
}

void synthetic_thread_unwind(struct synthetic *synthetic, uint32_t thread, uint64_t time)
{
	struct kymo_thread_record *record = synthetic_thread_at(synthetic, thread);
	uint32_t flags = synthetic_header(synthetic)->flags;

	while (synthetic_current(synthetic, thread) != record->root_node) {
		const struct kymo_node *node =
			synthetic_node_at(synthetic, synthetic_current(synthetic, thread));

		synthetic_leave(synthetic, thread, node->region, time);
	}
	if ((flags & KYMO_HEADER_TRACE) && !(flags & KYMO_HEADER_PROFILE))
		synthetic_extended(synthetic, thread, KYMO_EXTENDED_UNWIND_ALL, time, 0);
}
