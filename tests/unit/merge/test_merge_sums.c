/* Merging random recordings gives the sums of a model that adds up paths by their names. */
#include "model/recording/recording_parts.h"
#include "random_runs_fixture.h"

/* Which of the random regions this is. */
static uint32_t number_of(const struct region *region)
{
	for (uint32_t i = 0; i < REGIONS; i++) {
		char name[16];
		struct region other = region_of(i, name);

		if (strcmp(other.name, region->name) == 0 && other.line == region->line &&
		    other.kind == region->kind && !other.file == !region->file &&
		    !other.arguments == !region->arguments)
			return i;
	}
	fail_msg("a region that nobody made: %s", region->name);
	return 0;
}

static void path_of(const struct calltree *tree, uint32_t index, char *path)
{
	const struct calltree_node *node = &tree->nodes[index];
	const struct recording *recording = tree->recording;
	size_t length;

	if (node->parent == CALLTREE_NONE) {
		strcpy(path, recording->threads[node->thread].name);
		return;
	}
	path_of(tree, node->parent, path);
	length = strlen(path);
	snprintf(path + length, PATH_BYTES - length, ";%u%s",
		 number_of(&recording->regions[node->region]), node->is_folded ? "*" : "");
}

static void check_peak(const struct calltree *tree, uint32_t index, const struct entry *entry)
{
	const struct calltree_metric *metric = &tree->metrics[index * tree->metric_count];

	assert_int_equal(tree->metric_ids[0], KYMO_METRIC_PEAK_RSS);
	assert_int_equal(metric->count, entry->peak_count);
	assert_true(metric->sum == entry->peak);
	assert_true(metric->max == entry->peak_most);
}

static void check_nodes(const struct calltree *tree)
{
	size_t found = 0;
	char path[PATH_BYTES];

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		const struct entry *entry;

		if (node->parent == CALLTREE_NONE)
			continue;
		path_of(tree, i, path);
		entry = entry_of(path);
		found++;
		assert_int_equal(node->count, entry->count);
		assert_int_equal(node->closed_count, entry->closed);
		assert_true(node->self_ns == (double)entry->self);
		check_peak(tree, i, entry);
		if (!entry->closed)
			continue;
		assert_true(node->min_ns == (double)entry->min);
		assert_true(node->max_ns == (double)entry->max);
		assert_true(node->sum_squares_ns > entry->squares * (1 - 1e-12) &&
			    node->sum_squares_ns < entry->squares * (1 + 1e-12));
	}
	assert_int_equal(found, model_count);
}

/* What all parts have of a region is what the tree has. */
static void check_shares(const struct calltree *tree)
{
	const struct recording *recording = tree->recording;
	struct share_position position = {0};
	uint64_t *counts = calloc(recording->region_count, sizeof(*counts));
	double *self = calloc(recording->region_count, sizeof(*self));
	struct recording_share share;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		if (node->parent == CALLTREE_NONE)
			continue;
		counts[node->region] += node->count;
		self[node->region] += node->self_ns;
	}
	while (recording_share(recording, &position, &share)) {
		assert_true(share.total_ns >= share.self_ns);
		assert_true(share.work_ns == share.self_ns &&
			    share.work_total_ns == share.total_ns);
		counts[share.region] -= share.count;
		self[share.region] -= (double)share.self_ns;
	}
	for (uint32_t i = 0; i < recording->region_count; i++)
		assert_true(counts[i] == 0 && self[i] == 0);
	free(counts);
	free(self);
}

static void check_parts(const struct recording *recording)
{
	assert_int_equal(recording->part_count, RECORDINGS * THREADS);
	for (uint32_t i = 0; i < recording->part_count; i++) {
		const struct recording_part *part = &recording->parts[i];

		assert_int_equal(part->pid, 100 + i / THREADS);
		assert_int_equal(part->thread, i % THREADS);
		assert_int_equal(part->cpu_ns, i % THREADS);
		assert_int_equal(part->rank, -1);
		assert_true(part->is_complete && part->process_ns >= part->duration_ns);
		assert_string_equal(part->host, "node");
		assert_string_equal(part->program, i / THREADS % 2 ? "one.py" : "two.py");
	}
}

static void check_notes(const struct recording *recording)
{
	size_t kept = 0, warnings = 0;

	assert_string_equal(recording_note(recording, KYMO_NOTE_INFO, "hostname"), "node");
	assert_null(recording_note(recording, KYMO_NOTE_INFO, "script"));
	assert_null(recording_note(recording, KYMO_NOTE_ENVIRONMENT, "VARIABLE"));
	assert_string_equal(recording_program(recording), "one.py, two.py");
	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		kept += note->kind == KYMO_NOTE_VARIES && strcmp(note->key, "VARIABLE") == 0;
		if (note->kind == KYMO_NOTE_WARNING) {
			assert_string_equal(note->value, "it stood still (2 of 6 processes)");
			warnings++;
		}
	}
	assert_int_equal(kept, 8 + 1); /* and that there are more */
	assert_int_equal(warnings, 1);
}

static void test_sums(void **state)
{
	char *inputs[RECORDINGS], *output;
	struct recording *recording;
	struct calltree *tree;
	struct problem problem;

	(void)state;
	has_model = true;
	make_inputs(inputs, 77);
	has_model = false;
	output = merge(inputs, RECORDINGS, 1, 2);
	recording = open_merged(output);
	assert_int_equal(recording->header.lost_events, 0 + 1 + 2 + 3 + 4 + 5);
	assert_int_equal(recording->header.exit_status, -1);
	assert_int_equal(recording->header.start_realtime_ns, 1000000 - 5);
	assert_int_equal(recording->thread_count, THREADS);
	assert_int_equal(recording->threads[2].cpu_ns, RECORDINGS * 2);
	check_parts(recording);
	check_notes(recording);
	assert_int_equal(calltree_new(recording, &tree, &problem), KYMO_OK);
	assert_int_equal(tree->dropped_count, 0);
	check_nodes(tree);
	check_shares(tree);
	free(model);
	calltree_free(tree);
	recording_free(recording);
	free_all(inputs, RECORDINGS);
	free(output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, remove_all);
}
