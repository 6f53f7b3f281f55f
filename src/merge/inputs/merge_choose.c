/* Chooses the recordings to merge.
 *
 * Merged recordings come first, those of most processes before others, so that processes within
 * another recording are recognized whatever the order of the arguments. */
#include "merge/inputs/merge_choose.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "merge/inputs/merge_problem.h"
#include "model/recording/process_set.h"
#include "model/recording/recording_open.h"

struct chooser {
	struct merge_inputs *inputs;
	struct process_set known; /* chosen ones, and their paths */
	struct problem *problem;
};

static bool choose_report_duplicate(struct chooser *chooser, const char *path, const char *other)
{
	return lines_add(&chooser->inputs->remarks, &chooser->inputs->remark_count,
			 "'%s' is in '%s' already; taken once", path, other);
}

/* true in *is_taken_out: merge it. */
static enum kymo_status choose_merged(struct chooser *chooser, const struct merge_input *input,
				      bool *is_taken_out)
{
	struct recording *recording;
	const char *other = NULL;
	enum kymo_status status = recording_open(input->path, &recording, chooser->problem);
	bool is_complete = true;
	uint64_t count;

	*is_taken_out = false;
	if (status == KYMO_MEMORY)
		return status;
	if (status < 0)
		return lines_add(&chooser->inputs->problems, &chooser->inputs->problem_count, "%s",
				 chooser->problem->text)
			       ? KYMO_OK
			       : merge_no_memory(chooser->problem);
	count = process_set_count(&chooser->known, recording, &other, NULL);
	if (count == 0) {
		*is_taken_out = true;
		is_complete = process_set_add_all(&chooser->known, recording, input->path);
	} else if (count == input->process_count) {
		is_complete = choose_report_duplicate(chooser, input->path, other);
	} else {
		is_complete = lines_add(&chooser->inputs->problems, &chooser->inputs->problem_count,
					"'%s' and '%s' have %" PRIu64
					" process%s in common, which would count "
					"twice; left out: merge what they were made of",
					input->path, other, count, count == 1 ? "" : "es");
	}
	recording_free(recording);
	return is_complete ? KYMO_OK : merge_no_memory(chooser->problem);
}

static enum kymo_status choose_process(struct chooser *chooser, const struct merge_input *input,
				       bool *is_taken_out)
{
	struct process_id id = {.start_realtime_ns = input->start_realtime_ns, .pid = input->pid};
	const char *other;
	bool is_complete;

	memcpy(id.run_id, input->run_id, sizeof(id.run_id));
	other = process_set_find(&chooser->known, &id);
	*is_taken_out = !other;
	is_complete = other ? choose_report_duplicate(chooser, input->path, other)
			    : process_set_add(&chooser->known, &id, input->path);
	return is_complete ? KYMO_OK : merge_no_memory(chooser->problem);
}

static uint64_t processes_of(const char *path)
{
	struct recording *recording;
	struct problem ignored;
	uint64_t count = 0;

	if (recording_open(path, &recording, &ignored) < 0)
		return 0;
	for (uint32_t i = 0; i < recording->part_count; i++)
		count += recording_part_is_new_process(recording, i);
	recording_free(recording);
	return count;
}

static int compare_inputs(const void *left, const void *right)
{
	const struct merge_input *a = left, *b = right;
	bool is_merged_a = a->flags & KYMO_HEADER_MERGED,
	     is_merged_b = b->flags & KYMO_HEADER_MERGED;
	int order;

	if (is_merged_a != is_merged_b)
		return is_merged_a ? -1 : 1;
	if (a->process_count != b->process_count)
		return a->process_count > b->process_count ? -1 : 1;
	order = memcmp(a->run_id, b->run_id, sizeof(a->run_id));
	if (order == 0 && a->start_realtime_ns != b->start_realtime_ns)
		order = a->start_realtime_ns < b->start_realtime_ns ? -1 : 1;
	if (order == 0 && a->pid != b->pid)
		order = a->pid < b->pid ? -1 : 1;
	return order ? order : strcmp(a->path, b->path);
}

static bool choose_has_calls(const struct merge_input *input)
{
	return (input->flags & (KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE)) &&
	       !(input->flags & KYMO_HEADER_SAMPLED);
}

static bool has_samples_alone(const struct merge_input *input)
{
	return (input->flags & (KYMO_HEADER_SAMPLES | KYMO_HEADER_SAMPLED)) &&
	       !choose_has_calls(input);
}

static void choose_input_release(struct merge_input *input)
{
	free(input->path);
	free(input->run);
}

static void merge_choose_source(struct merge_inputs *inputs)
{
	bool has_any_calls = false, has_any_samples = false;
	size_t kept = 0;

	for (size_t i = 0; i < inputs->count; i++) {
		has_any_calls |= choose_has_calls(&inputs->items[i]);
		has_any_samples |= has_samples_alone(&inputs->items[i]);
	}
	inputs->is_sampled = has_any_samples && !has_any_calls;
	for (size_t i = 0; i < inputs->count; i++) {
		if (!has_any_calls || !has_samples_alone(&inputs->items[i])) {
			inputs->items[kept++] = inputs->items[i];
			continue;
		}
		inputs->left_out += inputs->items[i].process_count;
		choose_input_release(&inputs->items[i]);
	}
	inputs->count = kept;
}

enum kymo_status merge_inputs_choose(struct merge_inputs *inputs, struct problem *problem)
{
	struct chooser chooser = {.inputs = inputs, .problem = problem};
	enum kymo_status status = KYMO_OK;
	size_t kept = 0;

	for (size_t i = 0; i < inputs->count; i++)
		if (inputs->items[i].flags & KYMO_HEADER_MERGED)
			inputs->items[i].process_count = processes_of(inputs->items[i].path);
	if (inputs->count > 1)
		qsort(inputs->items, inputs->count, sizeof(*inputs->items), compare_inputs);
	/* Paths of recordings that were left out are named in lines about others, so they are kept
	 * until then. */
	for (size_t i = 0; i < inputs->count; i++) {
		struct merge_input *input = &inputs->items[i], other = inputs->items[kept];
		bool is_taken = false;

		if (status == KYMO_OK)
			status = input->flags & KYMO_HEADER_MERGED
					 ? choose_merged(&chooser, input, &is_taken)
					 : choose_process(&chooser, input, &is_taken);
		if (!is_taken)
			continue;
		inputs->items[kept++] = *input;
		*input = other;
	}
	for (size_t i = kept; i < inputs->count; i++)
		choose_input_release(&inputs->items[i]);
	inputs->count = kept;
	process_set_release(&chooser.known);
	if (status == KYMO_OK)
		merge_choose_source(inputs);
	return status;
}
