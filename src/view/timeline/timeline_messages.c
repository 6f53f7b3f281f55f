/* Ends are sorted by key, which makes those of one message adjacent. */
#include "view/timeline/timeline_messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/hashset.h"
#include "command/xalloc.h"
#include "model/trace/trace_cursor.h"

void messages_init(struct messages *messages, size_t limit)
{
	*messages = (struct messages){.limit = limit, .key_max = UINT64_MAX};
}

void messages_release(struct messages *messages)
{
	xfree(messages->ends);
	*messages = (struct messages){0};
}

uint64_t message_key(const struct recording *recording, const struct trace_event *event)
{
	const struct kymo_header *header = &recording->header;
	const char *name = recording->regions[event->region].name;
	uint64_t hash = hash_bytes(HASH_SEED, header->run_id, sizeof(header->run_id));

	hash = hash_bytes(hash, name, strlen(name));
	hash = hash_word(hash_bytes(hash, &event->value, sizeof(event->value)));
	return hash_word(hash ^ hash >> 32);
}

/* Leave out the half with the larger keys. */
static void thin(struct messages *messages)
{
	while (messages->count >= messages->limit && messages->key_max) {
		size_t kept = 0;

		messages->key_max /= 2;
		for (size_t i = 0; i < messages->count; i++) {
			if (messages->ends[i].key <= messages->key_max)
				messages->ends[kept++] = messages->ends[i];
		}
		messages->count = kept;
	}
}

void messages_add(struct messages *messages, const struct message_end *end)
{
	messages->send_count += end->is_send;
	if (end->key > messages->key_max)
		return;
	thin(messages);
	if (end->key > messages->key_max || messages->count >= messages->limit)
		return;
	messages->ends = xgrow(messages->ends, &messages->capacity, messages->count + 1,
			       sizeof(*messages->ends));
	messages->ends[messages->count++] = *end;
}

/* By key; sends first, each side in the order of time. */
static int compare_ends(const void *left, const void *right)
{
	const struct message_end *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->is_send != b->is_send)
		return a->is_send ? -1 : 1;
	return a->ns < b->ns ? -1 : a->ns > b->ns;
}

static int compare_messages(const void *left, const void *right)
{
	const struct message *a = left, *b = right;

	if (a->from.ns != b->from.ns)
		return a->from.ns < b->from.ns ? -1 : 1;
	return a->to.ns < b->to.ns ? -1 : a->to.ns > b->to.ns;
}

struct matching {
	struct message *pairs;
	size_t count, limit;
	uint64_t span_ns;
	uint32_t used[MESSAGE_PARTS];
	uint32_t *left_out;
};

static void messages_add_pair(struct matching *matching, const struct message_end *from,
			      const struct message_end *to)
{
	uint64_t part = from->ns / (matching->span_ns / MESSAGE_PARTS + 1);

	if (part >= MESSAGE_PARTS)
		part = MESSAGE_PARTS - 1;
	if (matching->used[part] >= matching->limit) {
		matching->left_out[part]++;
		return;
	}
	matching->used[part]++;
	matching->pairs[matching->count++] = (struct message){*from, *to};
}

/* The ends of one key: the first sent is received first; one send may have many receives. */
static void match_key(struct matching *matching, const struct message_end *ends, size_t count)
{
	size_t sends = 0;

	while (sends < count && ends[sends].is_send)
		sends++;
	for (size_t i = 0; sends && i < count - sends; i++)
		messages_add_pair(matching, &ends[i < sends ? i : sends - 1], &ends[sends + i]);
}

struct message *messages_match(struct messages *messages, uint64_t span_ns, size_t limit,
			       size_t *count_out, uint32_t left_out[MESSAGE_PARTS])
{
	struct matching matching = {
		.pairs = xreallocarray(NULL, messages->count + 1, sizeof(*matching.pairs)),
		.limit = limit,
		.span_ns = span_ns,
		.left_out = left_out,
	};

	memset(left_out, 0, MESSAGE_PARTS * sizeof(*left_out));
	if (messages->count)
		qsort(messages->ends, messages->count, sizeof(*messages->ends), compare_ends);
	for (size_t i = 0, end; i < messages->count; i = end) {
		for (end = i + 1;
		     end < messages->count && messages->ends[end].key == messages->ends[i].key;)
			end++;
		match_key(&matching, &messages->ends[i], end - i);
	}
	if (matching.count)
		qsort(matching.pairs, matching.count, sizeof(*matching.pairs), compare_messages);
	*count_out = matching.count;
	return matching.pairs;
}
