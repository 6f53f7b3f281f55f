/* Which of the recordings are merged: each process once, and calls rather than samples.
 *
 * Merged recordings come first, those of most processes before others, so that what is within
 * another one is recognised whatever the order they were named in. */
#include "merge/inputs/merge_inputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hashset.h"
#include "merge/inputs/merge_problem.h"
#include "merge/merge_parts.h"

struct known { /* a process that is merged, and where it is from */
	uint8_t run_id[16];
	uint64_t start_realtime_ns;
	uint32_t pid;
	const char *path;
};

struct chooser {
	struct merge_inputs *inputs;
	struct known *known;
	size_t count, capacity;
	struct hashset by_name;
	struct problem *problem;
};

struct key {
	const struct chooser *chooser;
	const struct known *known;
};

static bool is_same(uint64_t value, const void *context)
{
	const struct key *key = context;
	const struct known *a = &key->chooser->known[value - 1], *b = key->known;

	return a->pid == b->pid && a->start_realtime_ns == b->start_realtime_ns &&
	       memcmp(a->run_id, b->run_id, sizeof(a->run_id)) == 0;
}

static uint64_t hash_of(const struct known *known)
{
	uint64_t hash = hash_bytes(HASH_SEED, known->run_id, sizeof(known->run_id));

	return hash_word(hash ^ known->start_realtime_ns) + known->pid;
}

/* The path it is known from; NULL = it is not. */
static const char *find(const struct chooser *chooser, const struct known *known)
{
	const struct key key = {chooser, known};
	uint64_t value = hashset_find(&chooser->by_name, hash_of(known), is_same, &key);

	return value ? chooser->known[value - 1].path : NULL;
}

static bool keep(struct chooser *chooser, const struct known *known)
{
	struct known *grown =
		array_grow(chooser->known, &chooser->capacity, chooser->count + 1, sizeof(*grown));

	if (!grown)
		return false;
	chooser->known = grown;
	grown[chooser->count++] = *known;
	return hashset_insert(&chooser->by_name, hash_of(known), chooser->count);
}

static struct known known_of(const struct recording_part *part, const char *path)
{
	struct known known = {
		.start_realtime_ns = part->start_realtime_ns, .pid = part->pid, .path = path};

	memcpy(known.run_id, part->run_id, sizeof(known.run_id));
	return known;
}

static bool is_new_process(const struct recording *recording, uint32_t part)
{
	return part == 0 ||
	       merge_process_compare(&recording->parts[part], &recording->parts[part - 1]) != 0;
}

/* How many processes of a merged recording are merged already, and from where. */
static uint64_t count_known(const struct chooser *chooser, const struct recording *recording,
			    const char **path_out)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < recording->part_count; i++) {
		const struct known known = known_of(&recording->parts[i], NULL);
		const char *path = is_new_process(recording, i) ? find(chooser, &known) : NULL;

		if (path)
			*path_out = path;
		count += path != NULL;
	}
	return count;
}

static bool keep_all(struct chooser *chooser, const struct recording *recording, const char *path)
{
	for (uint32_t i = 0; i < recording->part_count; i++) {
		const struct known known = known_of(&recording->parts[i], path);

		if (is_new_process(recording, i) && !find(chooser, &known) &&
		    !keep(chooser, &known))
			return false;
	}
	return true;
}

static bool say_twice(struct chooser *chooser, const char *path, const char *other)
{
	return lines_add(&chooser->inputs->remarks, &chooser->inputs->remark_count,
			 "'%s' is in '%s' already; taken once", path, other);
}

/* true in *is_taken_out: it is to be merged. */
static enum kymo_status choose_merged(struct chooser *chooser, const struct merge_input *input,
				      bool *is_taken_out)
{
	struct recording *recording;
	const char *other = NULL;
	enum kymo_status status = recording_open(input->path, &recording, chooser->problem);
	bool is_said = true;
	uint64_t count;

	*is_taken_out = false;
	if (status == KYMO_MEMORY)
		return status;
	if (status < 0)
		return lines_add(&chooser->inputs->problems, &chooser->inputs->problem_count, "%s",
				 chooser->problem->text)
			       ? KYMO_OK
			       : merge_no_memory(chooser->problem);
	count = count_known(chooser, recording, &other);
	if (count == 0) {
		*is_taken_out = true;
		is_said = keep_all(chooser, recording, input->path);
	} else if (count == input->process_count) {
		is_said = say_twice(chooser, input->path, other);
	} else {
		is_said = lines_add(&chooser->inputs->problems, &chooser->inputs->problem_count,
				    "'%s' and '%s' have %" PRIu64
				    " process%s in common, which would count "
				    "twice; left out: merge what they were made of",
				    input->path, other, count, count == 1 ? "" : "es");
	}
	recording_free(recording);
	return is_said ? KYMO_OK : merge_no_memory(chooser->problem);
}

static enum kymo_status choose_process(struct chooser *chooser, const struct merge_input *input,
				       bool *is_taken_out)
{
	struct known known = {.start_realtime_ns = input->start_realtime_ns,
			      .pid = input->pid,
			      .path = input->path};
	const char *other;
	bool is_complete;

	memcpy(known.run_id, input->run_id, sizeof(known.run_id));
	other = find(chooser, &known);
	*is_taken_out = !other;
	is_complete = other ? say_twice(chooser, input->path, other) : keep(chooser, &known);
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
		count += is_new_process(recording, i);
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

static bool has_calls(const struct merge_input *input)
{
	return (input->flags & (KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE)) &&
	       !(input->flags & KYMO_HEADER_SAMPLED);
}

static bool has_samples_alone(const struct merge_input *input)
{
	return (input->flags & (KYMO_HEADER_SAMPLES | KYMO_HEADER_SAMPLED)) && !has_calls(input);
}

static void input_release(struct merge_input *input)
{
	free(input->path);
	free(input->run);
}

static void choose_source(struct merge_inputs *inputs)
{
	bool has_any_calls = false, has_any_samples = false;
	size_t kept = 0;

	for (size_t i = 0; i < inputs->count; i++) {
		has_any_calls |= has_calls(&inputs->items[i]);
		has_any_samples |= has_samples_alone(&inputs->items[i]);
	}
	inputs->is_sampled = has_any_samples && !has_any_calls;
	for (size_t i = 0; i < inputs->count; i++) {
		if (!has_any_calls || !has_samples_alone(&inputs->items[i])) {
			inputs->items[kept++] = inputs->items[i];
			continue;
		}
		inputs->left_out += inputs->items[i].process_count;
		input_release(&inputs->items[i]);
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
	/* Paths that were left out are named in lines about others, so they stay until then. */
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
		input_release(&inputs->items[i]);
	inputs->count = kept;
	hashset_release(&chooser.by_name);
	free(chooser.known);
	if (status == KYMO_OK)
		choose_source(inputs);
	return status;
}
