/* Adds a recording: its tree, then each thread's shares.
 *
 * The tree in memory may be spilled at any time, also in the middle of a recording: the required
 * path is then added again with zero counts, and joined at the end. */
#include "merge/merge_add.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "merge/inputs/merge_problem.h"
#include "merge/merge_add_merged.h"
#include "merge/merge_state.h"
#include "model/parts/work.h"
#include "model/recording/recording_open.h"
#include "model/recording/recording_rank.h"
#include "model/samples/sampled_tree.h"

#define CHECK_EVERY 1024u

struct adding {
	struct merge_state *state;
	const struct recording *recording;
	const struct calltree *calls;
	uint32_t *at;	   /* by node of the calls: its node in the tree */
	uint32_t *regions; /* by region of the recording: the tree's */
	uint64_t *inclusive_ns;
	double *work_ns; /* by node: its own */
	uint64_t *inclusive_work_ns;
	uint32_t *path; /* from a node up to one in the tree */
	size_t path_capacity;
	uint32_t columns[KYMO_METRICS_MAX];
	struct problem *problem;
};

static void merge_add_reset_indexes(uint32_t *numbers, size_t count)
{
	memset(numbers, 0xff, count * sizeof(*numbers));
}

static uint32_t add_region_of(struct adding *adding, uint32_t number)
{
	uint32_t *region = &adding->regions[number];

	if (*region == MERGE_NO_REGION) {
		struct merge_region from = merge_region_of(&adding->recording->regions[number]);

		*region = merge_regions_add(&adding->state->tree.regions, &from);
	}
	return *region;
}

static bool add_is_idle(const struct adding *adding, uint32_t thread)
{
	return adding->calls->thread_is_idle && adding->calls->thread_is_idle[thread];
}

/* Threads that never left their wait are kept separate from others of their name. */
static uint32_t thread_region(struct adding *adding, uint32_t number)
{
	struct thread thread = adding->recording->threads[number];
	struct merge_region from;

	thread.flags |= add_is_idle(adding, number) ? KYMO_THREAD_IDLE : 0;
	from = merge_region_of_thread(&thread);
	return merge_regions_add(&adding->state->tree.regions, &from);
}

/* Add one more node of a path, below one in the tree. */
static bool merge_add_step(struct adding *adding, uint32_t index)
{
	const struct calltree_node *node = &adding->calls->nodes[index];
	bool is_root = node->parent == CALLTREE_NONE;
	uint32_t region =
		is_root ? thread_region(adding, node->thread) : add_region_of(adding, node->region);

	if (region == MERGE_NO_REGION)
		return false;
	adding->at[index] = merge_tree_node(&adding->state->tree,
					    is_root ? MERGE_NO_NODE : adding->at[node->parent],
					    region, node->is_folded);
	return adding->at[index] != MERGE_NO_NODE;
}

static bool merge_add_path(struct adding *adding, uint32_t index)
{
	size_t length = 0;

	while (index != CALLTREE_NONE && adding->at[index] == MERGE_NO_NODE) {
		uint32_t *path =
			array_grow(adding->path, &adding->path_capacity, length + 1, sizeof(*path));

		if (!path)
			return false;
		adding->path = path;
		path[length++] = index;
		index = adding->calls->nodes[index].parent;
	}
	while (length > 0)
		if (!merge_add_step(adding, adding->path[--length]))
			return false;
	return true;
}

static struct merge_values add_values_of(const struct calltree_node *node)
{
	struct merge_values values = merge_values_none;

	values.count = node->count;
	values.self_ns = merge_ns_of(node->self_ns);
	if (node->closed_count) {
		values.closed = node->closed_count;
		values.min_ns = merge_ns_of(node->min_ns);
		values.max_ns = merge_ns_of(node->max_ns);
		values.squares = (merge_natural)merge_whole_of(
			node->sum_squares_ns > 0 ? node->sum_squares_ns : 0);
	}
	return values;
}

static void merge_add_metrics(struct adding *adding, uint32_t index)
{
	const struct calltree *calls = adding->calls;
	struct merge_metric *to = merge_tree_metrics(&adding->state->tree, adding->at[index]);

	for (uint32_t k = 0; calls->metrics && k < calls->metric_count; k++) {
		const struct calltree_metric *from =
			&calls->metrics[(size_t)index * calls->metric_count + k];
		struct merge_metric metric = {.count = from->count,
					      .sum = merge_whole_of(from->sum),
					      .squares = merge_whole_of(from->sum_squares),
					      .min = 1};

		if (adding->columns[k] == KYMO_METRICS_MAX)
			continue;
		if (from->count) { /* so that 0 is 0, not -0 */
			metric.min = from->min + 0.0;
			metric.max = from->max + 0.0;
		}
		merge_metric_add(&to[adding->columns[k]], &metric);
	}
}

/* The thread with its measuring time, which is in none of the nodes. */
static bool merge_add_thread(struct adding *adding, const struct calltree_node *root,
			     uint32_t index)
{
	struct thread thread = adding->recording->threads[root->thread];

	if (adding->calls->thread_measuring_ns)
		thread.measuring_ns = merge_ns_of(adding->calls->thread_measuring_ns[root->thread]);
	return merge_tree_add_thread(&adding->state->tree, adding->at[index], &thread);
}

static bool merge_add_node(struct adding *adding, uint32_t index)
{
	const struct calltree_node *node = &adding->calls->nodes[index];
	struct merge_values values = add_values_of(node);

	if (!merge_add_path(adding, index))
		return false;
	merge_values_add(&adding->state->tree.nodes[adding->at[index]].values, &values);
	merge_add_metrics(adding, index);
	adding->inclusive_ns[index] = values.self_ns;
	adding->inclusive_work_ns[index] = merge_ns_of(adding->work_ns[index]);
	return node->parent != CALLTREE_NONE || merge_add_thread(adding, node, index);
}

static enum kymo_status merge_add_nodes(struct adding *adding)
{
	uint32_t count = adding->calls->node_count;
	enum kymo_status status = KYMO_OK;

	for (uint32_t i = 0; i < count && status == KYMO_OK; i++) {
		if (i % CHECK_EVERY == 0 && merge_state_is_full(adding->state)) {
			status = merge_state_spill(adding->state, adding->problem);
			merge_add_reset_indexes(adding->at, count);
			merge_add_reset_indexes(adding->regions, adding->recording->region_count);
		}
		if (status == KYMO_OK && !merge_add_node(adding, i))
			status = merge_no_memory(adding->problem);
	}
	for (uint32_t i = count; status == KYMO_OK && i-- > 0;) {
		uint32_t parent = adding->calls->nodes[i].parent;

		if (parent == CALLTREE_NONE)
			continue;
		adding->inclusive_ns[parent] =
			merge_add(adding->inclusive_ns[parent], adding->inclusive_ns[i]);
		adding->inclusive_work_ns[parent] =
			merge_add(adding->inclusive_work_ns[parent], adding->inclusive_work_ns[i]);
	}
	return status;
}

/* Reserve sums for all regions of the tree. */
static bool reserve_sums(struct merge_state *state)
{
	size_t need = state->tree.regions.count, before = state->open_capacity;
	uint32_t *open = array_grow(state->open, &state->open_capacity, need, sizeof(*open));
	struct merge_share *sums;

	if (!open)
		return need == 0;
	memset(open + before, 0, (state->open_capacity - before) * sizeof(*open));
	state->open = open;
	before = state->sum_capacity;
	sums = array_grow(state->sums, &state->sum_capacity, need, sizeof(*sums));
	if (!sums)
		return false;
	memset(sums + before, 0, (state->sum_capacity - before) * sizeof(*sums));
	state->sums = sums;
	return true;
}

/* Enter the node's region: add its own time, and its total if it is outermost. */
static bool count_node(struct adding *adding, uint32_t index)
{
	struct merge_state *state = adding->state;
	const struct calltree_node *node = &adding->calls->nodes[index];
	uint32_t region = adding->regions[node->region];
	struct merge_share *sum = &state->sums[region];
	uint32_t *touched;

	if (sum->part == 0) { /* 1: it is in the list */
		touched = array_grow(state->touched, &state->touched_capacity,
				     state->touched_count + 1, sizeof(*touched));
		if (!touched)
			return false;
		state->touched = touched;
		touched[state->touched_count++] = region;
		sum->part = 1;
	}
	sum->count = merge_add(sum->count, node->count);
	sum->self_ns = merge_add(sum->self_ns, add_values_of(node).self_ns);
	sum->work_ns = merge_add(sum->work_ns, merge_ns_of(adding->work_ns[index]));
	if (state->open[region]++ > 0)
		return true;
	sum->total_ns = merge_add(sum->total_ns, adding->inclusive_ns[index]);
	sum->work_total_ns = merge_add(sum->work_total_ns, adding->inclusive_work_ns[index]);
	return true;
}

/* Count all nodes below a root. */
static bool count_below(struct adding *adding, uint32_t root)
{
	const struct calltree_node *nodes = adding->calls->nodes;
	uint32_t at = nodes[root].first_child;

	while (at != CALLTREE_NONE) {
		if (add_region_of(adding, nodes[at].region) == MERGE_NO_REGION ||
		    !reserve_sums(adding->state) || !count_node(adding, at))
			return false;
		if (nodes[at].first_child != CALLTREE_NONE) {
			at = nodes[at].first_child;
			continue;
		}
		while (at != root) {
			adding->state->open[adding->regions[nodes[at].region]]--;
			if (nodes[at].next_sibling != CALLTREE_NONE)
				break;
			at = nodes[at].parent;
		}
		at = at == root ? CALLTREE_NONE : nodes[at].next_sibling;
	}
	return true;
}

static bool merge_add_shares(struct merge_state *state, uint32_t part)
{
	bool is_complete = true;

	for (size_t i = 0; i < state->touched_count; i++) {
		uint32_t region = state->touched[i];
		struct merge_share share = state->sums[region];

		share.part = part;
		share.region = region;
		state->sums[region] = (struct merge_share){0};
		is_complete = is_complete && merge_parts_share(&state->parts, &share);
	}
	state->touched_count = 0;
	return is_complete;
}

/* Time outside regions: see profile/time_base.h. */
static void find_rests(const struct adding *adding, uint32_t number, struct recording_part *part)
{
	const double *measuring_ns = adding->calls->thread_measuring_ns;
	uint32_t root = adding->calls->thread_root[number];

	part->outside_ns =
		root == CALLTREE_NONE ? 0 : merge_ns_of(adding->calls->nodes[root].self_ns);
	part->measuring_ns = measuring_ns ? merge_ns_of(measuring_ns[number]) : 0;
}

static bool merge_add_one_part(struct adding *adding, struct recording_part *part, uint32_t number)
{
	const struct thread *thread = &adding->recording->threads[number];
	uint32_t root = adding->calls->thread_root[number], added;

	if (!thread->is_present && root == CALLTREE_NONE)
		return true;
	part->thread = number;
	part->thread_name = thread->name;
	part->duration_ns = recording_thread_ns(adding->recording, number);
	part->cpu_ns = thread->cpu_ns;
	part->is_idle = add_is_idle(adding, number);
	find_rests(adding, number, part);
	added = merge_parts_add(&adding->state->parts, part);
	if (added == UINT32_MAX)
		return false;
	return root == CALLTREE_NONE ||
	       (count_below(adding, root) && merge_add_shares(adding->state, added));
}

/* A process without threads is a part, too. */
static enum kymo_status merge_add_parts(struct adding *adding, const char *run,
					const uint8_t run_id[16])
{
	const struct recording *recording = adding->recording;
	uint32_t before = adding->state->parts.count;
	int64_t duration_ns = recording_ns(recording, recording->end_ticks);
	struct recording_part part = {
		.run = run,
		.program = recording_program(recording),
		.host = recording_note(recording, KYMO_NOTE_INFO, "hostname"),
		.pid = recording->header.pid,
		.rank = recording_rank(recording),
		.start_realtime_ns = recording->header.start_realtime_ns,
		.process_ns = duration_ns > 0 ? (uint64_t)duration_ns : 0,
		.is_complete = true,
	};

	memcpy(part.run_id, run_id, sizeof(part.run_id));
	for (uint32_t i = 0; i < recording->thread_count; i++)
		if (!merge_add_one_part(adding, &part, i))
			return merge_no_memory(adding->problem);
	if (adding->state->parts.count == before &&
	    merge_parts_add(&adding->state->parts, &part) == UINT32_MAX)
		return merge_no_memory(adding->problem);
	return KYMO_OK;
}

static enum kymo_status merge_add_calls(struct merge_state *state,
					const struct recording *recording,
					const struct calltree *calls, const char *run,
					const uint8_t run_id[16], struct problem *problem)
{
	struct adding adding = {
		.state = state,
		.recording = recording,
		.calls = calls,
		.at = malloc((calls->node_count + (size_t)1) * sizeof(*adding.at)),
		.regions = malloc(recording->region_count * sizeof(*adding.regions)),
		.inclusive_ns = calloc(calls->node_count + (size_t)1, sizeof(*adding.inclusive_ns)),
		.work_ns = work_of_nodes(calls),
		.inclusive_work_ns =
			calloc(calls->node_count + (size_t)1, sizeof(*adding.inclusive_work_ns)),
		.problem = problem,
	};
	enum kymo_status status = merge_no_memory(problem);

	if (adding.at && adding.regions && adding.inclusive_ns && adding.work_ns &&
	    adding.inclusive_work_ns) {
		merge_add_reset_indexes(adding.at, calls->node_count);
		merge_add_reset_indexes(adding.regions, recording->region_count);
		status = merge_state_metrics(state, calls->metric_ids, calls->metric_count,
					     adding.columns, problem);
		if (status == KYMO_OK)
			status = merge_add_nodes(&adding);
		if (status == KYMO_OK)
			status = merge_add_parts(&adding, run, run_id);
	}
	free(adding.at);
	free(adding.regions);
	free(adding.inclusive_ns);
	free(adding.work_ns);
	free(adding.inclusive_work_ns);
	free(adding.path);
	return status;
}

/* Copy the problems of a recording to the result. */
static void add_losses(struct merge_state *state, const struct recording *recording,
		       uint64_t dropped)
{
	for (size_t i = 0; i < recording->problem_count; i++)
		merge_notes_add(&state->notes, KYMO_NOTE_LOSS, "recording", recording->problems[i],
				1, state->serial);
	if (dropped)
		merge_notes_add(&state->notes, KYMO_NOTE_LOSS, "recording",
				"damaged call paths were left out", 1, state->serial);
	if (!recording->is_closed && recording->header.state != KYMO_STATE_ABANDONED)
		merge_notes_add(&state->notes, KYMO_NOTE_LOSS, "recording",
				"not closed: killed, left by _exit, or still running", 1,
				state->serial);
}

static enum kymo_status tree_of(struct recording *recording, bool is_sampled, struct calltree **out,
				uint64_t *lost_out, struct problem *problem)
{
	static const struct sampled_options options = {0};
	struct samples *samples;
	enum kymo_status status;

	if (!is_sampled || !(recording->header.flags & KYMO_HEADER_SAMPLES))
		return calltree_new(recording, out, problem);
	status = samples_new(recording, &samples, problem);
	if (status < 0)
		return status;
	status = sampled_tree_new(recording, samples, &options, out, problem);
	*lost_out = samples->lost_count + samples->damaged_count;
	samples_free(samples);
	return status;
}

/* The name of an object that threads wait for is valid in all processes, its address in one
 * only. */
static void name_objects(struct merge_state *state, struct recording *recording)
{
	bool has_objects = false;

	for (uint32_t i = 0; i < recording->region_count; i++)
		has_objects |= (recording->regions[i].flags & KYMO_REGION_OBJECT) != 0;
	if (!has_objects || !recording->module_count)
		return;
	if (!state->symbols)
		state->symbols = symbols_new();
	if (state->symbols)
		symbols_name_objects(state->symbols, recording);
}

static uint64_t process_count(const struct recording *recording)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < recording->part_count; i++)
		count += i == 0 ||
			 merge_process_compare(&recording->parts[i], &recording->parts[i - 1]) != 0;
	return count;
}

enum kymo_status merge_state_add(struct merge_state *state, struct recording *recording,
				 bool is_sampled, const char *run, const uint8_t run_id[16],
				 struct problem *problem)
{
	bool is_merged = (recording->header.flags & KYMO_HEADER_MERGED) != 0;
	struct calltree *calls = NULL;
	uint64_t lost = 0;
	enum kymo_status status;

	state->serial++;
	state->has_others |= !recording_is_own(recording);
	if (is_merged) {
		status = merge_state_add_merged(state, recording, problem);
	} else {
		name_objects(state, recording);
		status = tree_of(recording, is_sampled, &calls, &lost, problem);
		if (status == KYMO_OK)
			status = merge_add_calls(state, recording, calls, run, run_id, problem);
	}
	if (status == KYMO_OK && !merge_estimates_add(&state->estimates, recording, calls))
		status = merge_no_memory(problem);
	if (status < 0) {
		calltree_free(calls);
		return status;
	}
	merge_totals_read(&state->totals, recording, calls);
	state->totals.lost_samples = merge_add(state->totals.lost_samples, lost);
	merge_notes_read(&state->notes, recording, is_merged ? process_count(recording) : 1,
			 state->serial);
	add_losses(state, recording, calls ? calls->dropped_count : 0);
	calltree_free(calls);
	return state->notes.has_failed ? merge_no_memory(problem) : KYMO_OK;
}
