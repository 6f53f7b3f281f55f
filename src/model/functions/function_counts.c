/* Counts of a thread's functions, from the chunks that its trampolines and their collector
 * write. */
#include "model/functions/function_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/functions/functions.h"
#include "model/recording/chunks.h"

#define SUM_MAX 1e60 /* far above any real sum; its squares still fit a double */

struct counts_reader {
	const struct recording *recording;
	const struct functions *functions;
	uint32_t thread;
	struct counted_calls *calls;
	size_t function_capacity, edge_capacity;
	uint64_t dropped;
	bool is_out_of_memory;
};

static bool counts_is_sum(double value)
{
	return value >= 0 && value < SUM_MAX;
}

static bool are_sums(const struct kymo_timed_sums *sums)
{
	return counts_is_sum(sums->squares) && counts_is_sum(sums->weights) &&
	       counts_is_sum(sums->weighted_ticks) && counts_is_sum(sums->spread) &&
	       counts_is_sum(sums->spread_ticks) && counts_is_sum(sums->spread_squares);
}

static bool counts_is_function(const struct functions *functions, uint32_t id)
{
	return id < functions->count && functions->items[id].region;
}

/* Calls until the next timed one; below 0: it is late. */
static int32_t left_of(const struct counts_reader *reader, uint32_t id)
{
	size_t count;
	const struct chunk *chunks =
		chunks_of_thread(reader->recording, KYMO_CHUNK_COUNTDOWNS, reader->thread, &count);
	int32_t left;

	for (size_t i = 0; i < count; i++) {
		uint64_t index = id - chunks[i].base;

		if (id < chunks[i].base || index >= chunks[i].bytes / sizeof(left))
			continue;
		memcpy(&left, reader->recording->data + chunks[i].offset + index * sizeof(left),
		       sizeof(left));
		return left;
	}
	return 0;
}

static void function_add(struct counts_reader *reader, const unsigned char *bytes)
{
	struct counted_calls *calls = reader->calls;
	struct counted_function *functions;
	struct kymo_timed record;
	int32_t left;

	memcpy(&record, bytes, sizeof(record));
	if (record.due == 0)
		return;
	left = left_of(reader, record.id);
	if (!counts_is_function(reader->functions, record.id) || !are_sums(&record.sums) ||
	    (left > 0 && record.due < (uint64_t)left)) {
		reader->dropped++;
		return;
	}
	functions = array_grow(calls->functions, &reader->function_capacity,
			       calls->function_count + (size_t)1, sizeof(*functions));
	if (!functions) {
		reader->is_out_of_memory = true;
		return;
	}
	calls->functions = functions;
	functions[calls->function_count++] = (struct counted_function){
		.id = record.id,
		.sampling_interval = record.sampling_interval,
		.calls = record.due - (uint64_t)(int64_t)left,
		.timed = record.timed,
		.min = record.min,
		.max = record.max,
		.sums = record.sums,
	};
}

static int counts_compare_ids(const void *left, const void *right)
{
	const struct counted_function *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

/* By id, each once: a second record of one is damage. */
static void functions_sort(struct counts_reader *reader)
{
	struct counted_calls *calls = reader->calls;
	uint32_t kept = 0;

	if (calls->function_count == 0)
		return;
	qsort(calls->functions, calls->function_count, sizeof(*calls->functions),
	      counts_compare_ids);
	for (uint32_t i = 1; i < calls->function_count; i++)
		if (calls->functions[i].id != calls->functions[kept].id)
			calls->functions[++kept] = calls->functions[i];
	reader->dropped += calls->function_count - (kept + 1);
	calls->function_count = kept + 1;
}

/* COUNTED_OUTSIDE: it was not called. */
static uint32_t counts_index_of(const struct counted_calls *calls, uint32_t id)
{
	const struct counted_function key = {.id = id};
	const struct counted_function *found =
		calls->function_count ? bsearch(&key, calls->functions, calls->function_count,
						sizeof(key), counts_compare_ids)
				      : NULL;

	return found ? (uint32_t)(found - calls->functions) : COUNTED_OUTSIDE;
}

static uint32_t function_counts_caller_of(const struct counts_reader *reader,
					  uint64_t return_address)
{
	uint32_t id = FUNCTION_NONE;

	if (return_address && !functions_code_at(&reader->functions->code, return_address - 1, &id))
		id = functions_at(reader->functions, return_address - 1);
	return id == FUNCTION_NONE ? COUNTED_OUTSIDE : counts_index_of(reader->calls, id);
}

static void edge_append(struct counts_reader *reader, const struct counted_edge *edge)
{
	struct counted_calls *calls = reader->calls;
	struct counted_edge *edges = array_grow(calls->edges, &reader->edge_capacity,
						calls->edge_count + 1, sizeof(*edges));

	if (!edges) {
		reader->is_out_of_memory = true;
		return;
	}
	calls->edges = edges;
	edges[calls->edge_count++] = *edge;
}

static void counts_edge_add(struct counts_reader *reader, const unsigned char *bytes)
{
	struct counted_calls *calls = reader->calls;
	struct kymo_timed_caller record;
	uint32_t callee;

	memcpy(&record, bytes, sizeof(record));
	if (record.timed == 0)
		return;
	callee = counts_index_of(calls, record.id);
	if (callee == COUNTED_OUTSIDE || !are_sums(&record.sums)) {
		reader->dropped++;
		return;
	}
	edge_append(reader,
		    &(struct counted_edge){
			    .caller = function_counts_caller_of(reader, record.return_address),
			    .callee = callee,
			    .timed = record.timed,
			    .sums = record.sums,
		    });
}

static int compare_edges(const void *left, const void *right)
{
	const struct counted_edge *a = left, *b = right;

	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return a->caller < b->caller ? -1 : a->caller > b->caller;
}

/* By callee and caller, one a pair: a function may call another from many places. */
static void edges_merge(struct counted_calls *calls)
{
	size_t kept = 0;

	if (calls->edge_count == 0)
		return;
	qsort(calls->edges, calls->edge_count, sizeof(*calls->edges), compare_edges);
	for (size_t i = 1; i < calls->edge_count; i++) {
		struct counted_edge *last = &calls->edges[kept];

		if (compare_edges(last, &calls->edges[i]) != 0) {
			calls->edges[++kept] = calls->edges[i];
			continue;
		}
		last->timed += calls->edges[i].timed;
		timed_sums_add(&last->sums, &calls->edges[i].sums);
	}
	calls->edge_count = kept + 1;
}

/* Calls of a function without a record of a caller, as of functions whose ends are not recorded:
 * their callers are not known. */
static void add_unknown(struct counts_reader *reader)
{
	struct counted_calls *calls = reader->calls;
	struct counted_edge *known = calloc((size_t)calls->function_count + 1, sizeof(*known));

	if (!known) {
		reader->is_out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < calls->edge_count; i++) {
		known[calls->edges[i].callee].timed += calls->edges[i].timed;
		timed_sums_add(&known[calls->edges[i].callee].sums, &calls->edges[i].sums);
	}
	for (uint32_t i = 0; i < calls->function_count && !reader->is_out_of_memory; i++) {
		const struct counted_function *function = &calls->functions[i];

		if (known[i].timed > 0 && known[i].sums.ended >= function->sums.ended)
			continue;
		edge_append(reader,
			    &(struct counted_edge){
				    .caller = COUNTED_OUTSIDE,
				    .callee = i,
				    .timed = function->timed > known[i].timed
						     ? function->timed - known[i].timed
						     : 0,
				    .sums = timed_sums_without(&function->sums, &known[i].sums),
			    });
	}
	free(known);
}

static void each_record(struct counts_reader *reader, enum kymo_chunk_type type,
			void (*add)(struct counts_reader *reader, const unsigned char *bytes))
{
	size_t count;
	const struct chunk *chunks =
		chunks_of_thread(reader->recording, type, reader->thread, &count);

	for (size_t i = 0; i < count; i++) {
		const unsigned char *bytes = reader->recording->data + chunks[i].offset;
		uint64_t records = chunks[i].bytes / chunks[i].record_size;

		for (; records > 0 && !reader->is_out_of_memory; records--) {
			add(reader, bytes);
			bytes += chunks[i].record_size;
		}
	}
}

enum kymo_status function_counts_read(const struct recording *recording, uint32_t thread,
				      struct counted_calls *out, uint64_t *dropped)
{
	struct counts_reader reader = {
		.recording = recording,
		.functions = recording->functions,
		.thread = thread,
		.calls = out,
	};

	*out = (struct counted_calls){0};
	if (!recording->functions)
		return KYMO_OK;
	each_record(&reader, KYMO_CHUNK_TIMED, function_add);
	functions_sort(&reader);
	each_record(&reader, KYMO_CHUNK_CALLERS, counts_edge_add);
	if (!reader.is_out_of_memory)
		add_unknown(&reader);
	edges_merge(out);
	*dropped += reader.dropped;
	return reader.is_out_of_memory ? KYMO_MEMORY : KYMO_OK;
}

void function_counts_release(struct counted_calls *calls)
{
	free(calls->functions);
	free(calls->edges);
	*calls = (struct counted_calls){0};
}
