/* Merging random recordings: the same bytes whatever the order and the grouping, and the sums of
 * a model that adds up paths by their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/metric.h"
#include "merge/merge.h"
#include "model/recording/recording_open.h"
#include "model/recording/recording_parts.h"
#include "model/tree/flat.h"
#include "writer/recording_writer.h"
#include "writer/recording_writer_events.h"

#define RECORDINGS 6
#define NODES	   1300
#define REGIONS	   12
#define THREADS	   3
#define DEEP	   60
#define PATH_BYTES 1024

static char folder[] = "/tmp/kymo-merge-XXXXXX";
static uint64_t random_state;

static uint32_t any(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

static char *name_in(const char *name, unsigned int number)
{
	char *path;

	if (asprintf(&path, "%s/%s%u", folder, name, number) < 0)
		abort();
	return path;
}

struct entry { /* a path, by names; of the nodes of all recordings that have it */
	char path[PATH_BYTES];
	uint64_t count, closed, self, min, max, peak_count;
	double squares, peak, peak_most;
};

static struct entry *model;
static size_t model_count;
static bool has_model; /* adding up takes long */

static struct entry *entry_of(const char *path)
{
	for (size_t i = 0; i < model_count; i++)
		if (strcmp(model[i].path, path) == 0)
			return &model[i];
	model = realloc(model, (model_count + 1) * sizeof(*model));
	memset(&model[model_count], 0, sizeof(*model));
	strcpy(model[model_count].path, path);
	model[model_count].min = UINT64_MAX;
	return &model[model_count++];
}

static void model_add(const char *path, const struct recording_writer_node *node, uint64_t self)
{
	struct entry *entry;

	if (!has_model)
		return;
	entry = entry_of(path);
	entry->count += node->count;
	entry->self += self;
	if (node->closed_count) {
		entry->closed += node->closed_count;
		entry->min = node->min_ns < entry->min ? node->min_ns : entry->min;
		entry->max = node->max_ns > entry->max ? node->max_ns : entry->max;
		entry->squares += node->sum_squares_ns;
	}
	if (node->metrics) {
		entry->peak_count += node->metrics[0].count;
		entry->peak += node->metrics[0].sum;
		if (node->metrics[0].max > entry->peak_most)
			entry->peak_most = node->metrics[0].max;
	}
}

struct node {
	uint32_t parent, thread, region, depth; /* parent: number of the node, from 1; 0 = root */
	uint64_t self, sum, handle;
	bool is_folded;
	char path[PATH_BYTES];
};

/* The same names for different ids; some regions differ in what is not the name. */
static struct region region_of(uint32_t number, char *name)
{
	snprintf(name, 16, "f%u", number / 2);
	return (struct region){
		.kind = number % 3 ? KYMO_REGION_PYTHON : KYMO_REGION_PYTHON_C,
		.name = name,
		.file = number % 5 ? "/src/a.py" : NULL,
		.arguments = number % 4 ? NULL : "",
		.line = number % 2,
	};
}

static void make_nodes(struct node *nodes)
{
	for (uint32_t i = 0; i < NODES; i++) {
		struct node *node = &nodes[i], *parent;
		char step[32];

		node->parent = any(4) ? any(i + 1) : i; /* deep ones, too */
		parent = node->parent ? &nodes[node->parent - 1] : NULL;
		if (parent && (parent->depth == DEEP || parent->is_folded))
			parent = NULL;
		node->parent = parent ? node->parent : 0;
		node->thread = parent ? parent->thread : any(THREADS);
		node->depth = parent ? parent->depth + 1 : 1;
		node->region = any(REGIONS);
		node->is_folded = any(20) == 0;
		node->self = any(10) ? any(1000) : (uint64_t)any(UINT32_MAX) << 12;
		node->sum = node->self;
		snprintf(step, sizeof(step), ";%u%s", node->region, node->is_folded ? "*" : "");
		strcpy(node->path, parent ? parent->path : "t0");
		if (!parent)
			node->path[1] = (char)('0' + node->thread);
		strcat(node->path, step);
	}
	for (uint32_t i = NODES; i-- > 0;)
		if (nodes[i].parent)
			nodes[nodes[i].parent - 1].sum += nodes[i].sum;
}

static void write_node(struct recording_writer *maker, struct node *nodes, uint32_t i,
		       const uint32_t *regions, uint32_t metric_count)
{
	struct calltree_metric metrics[2];
	struct node *node = &nodes[i];
	struct recording_writer_node from = {
		.thread = node->thread,
		.region = regions[node->region],
		.parent = node->parent ? nodes[node->parent - 1].handle : 0,
		.count = 1 + any(50),
		.sum_ns = node->is_folded ? node->self : node->sum,
		.min_ns = any(1000),
		.is_folded = node->is_folded,
		.metrics = metric_count ? metrics : NULL,
	};

	from.closed_count = any(5) ? from.count : 0;
	from.max_ns = from.min_ns + any(100000);
	from.sum_squares_ns = (double)from.max_ns * (double)from.max_ns * 4096;
	for (uint32_t k = 0; k < metric_count; k++)
		metrics[k] = (struct calltree_metric){.count = 1 + any(3),
						      .sum = any(1u << 30),
						      .min = any(100),
						      .max = 100 + any(100),
						      .sum_squares = any(1u << 30)};
	node->handle = recording_writer_node(maker, &from);
	model_add(node->path, &from, node->self);
}

static void write_nodes(struct recording_writer *maker, uint32_t metric_count)
{
	struct node *nodes = calloc(NODES, sizeof(*nodes));
	uint32_t regions[REGIONS];
	char name[16];

	/* Ids differ from recording to recording. */
	for (uint32_t i = 0; i < REGIONS; i++) {
		uint32_t number = (i * 5 + 3) % REGIONS;
		struct region region = region_of(number, name);

		regions[number] = recording_writer_region(maker, &region);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		snprintf(name, sizeof(name), "t%u", i);
		recording_writer_thread(maker, name, i, 0, 1u << 30, i);
	}
	make_nodes(nodes);
	for (uint32_t i = 0; i < NODES; i++)
		write_node(maker, nodes, i, regions, metric_count);
	free(nodes);
}

/* Errors of what is estimated, of regions and of some of their callers. */
static void write_estimates(struct recording_writer *maker)
{
	for (uint32_t i = 0; i < 40; i++) {
		struct kymo_estimate estimate = {
			.thread = any(THREADS),
			.region = 1 + any(REGIONS),
			.caller = any(3) ? any(REGIONS) : KYMO_TOTAL_OF_REGION,
			.flags = any(4) ? KYMO_ESTIMATE_OF_TIME : 0,
		};

		for (int k = 0; k < KYMO_ERRORS; k++)
			estimate.errors[k] = (struct kymo_error){
				.off = any(100), .squares = any(1u << 30), .squares_high = any(2)};
		recording_writer_estimate(maker, &estimate);
	}
}

static void write_notes(struct recording_writer *maker, uint32_t number)
{
	char text[32];

	recording_writer_note(maker, KYMO_NOTE_INFO, "script", number % 2 ? "one.py" : "two.py");
	recording_writer_note(maker, KYMO_NOTE_INFO, "hostname", "node");
	for (uint32_t i = 0; i < 30; i++) { /* more than are kept */
		snprintf(text, sizeof(text), "value %u", any(40));
		recording_writer_note(maker, KYMO_NOTE_ENVIRONMENT, "VARIABLE", text);
	}
	if (number % 3 == 0)
		recording_writer_note(maker, KYMO_NOTE_WARNING, "clock", "it stood still");
}

/* Half of them have metrics, in different orders, and one that has its own name. */
static void make_recording(uint32_t number, uint64_t seed)
{
	uint32_t named = metric_define("merge_counter", "", "counted");
	const uint32_t metrics[2] = {KYMO_METRIC_PEAK_RSS, named};
	struct recording_writer_header made = {
		.program = "made",
		.pid = 100 + number,
		.start_realtime_ns = 1000000 - number,
		.duration_ns = 1000 * number,
		.run_id = {1 + number / 2},
		.metric_count = number % 3,
		.metrics = metrics,
		.cost_enter_exit_ps = 1000 + number,
		.lost_events = number,
		.exit_status = number == 5,
	};
	char *path = name_in("r", number);
	struct recording_writer *maker;
	struct problem problem;

	random_state = seed * 100 + number;
	mkdir(path, 0777);
	free(path);
	path = name_in("r", number);
	path = realloc(path, strlen(path) + 16);
	strcat(path, "/x.kymo");
	if (recording_writer_new(path, &made, &maker, &problem) < 0)
		fail_msg("%s", problem.text);
	write_nodes(maker, made.metric_count);
	if (number % 2)
		write_estimates(maker);
	write_notes(maker, number);
	if (recording_writer_commit(maker, &problem) < 0)
		fail_msg("%s", problem.text);
	free(path);
}

static unsigned int output_count;

/* The output's directory; the caller frees. */
static char *merge(char **inputs, size_t count, uint64_t memory, unsigned int jobs)
{
	char *output = name_in("merged", output_count++);
	const struct merge_options options = {
		.output = output, .memory_bytes = memory, .jobs = jobs, .job = ""};
	struct merge_result result;
	struct problem problem;

	if (merge_recordings(inputs, count, &options, &result, &problem) < 0)
		fail_msg("%s", problem.text);
	for (size_t i = 0; i < result.problem_count; i++)
		fail_msg("%s", result.problems[i]);
	merge_result_release(&result);
	return output;
}

static char *content_of(const char *output, size_t *size_out)
{
	char *path, *content;
	FILE *file;

	if (asprintf(&path, "%s/" MERGE_FILE_NAME, output) < 0)
		abort();
	file = fopen(path, "r");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*size_out = (size_t)ftell(file);
	content = malloc(*size_out);
	rewind(file);
	assert_int_equal(fread(content, 1, *size_out, file), *size_out);
	fclose(file);
	free(path);
	return content;
}

static void assert_same(const char *a, const char *b)
{
	size_t size_a, size_b;
	char *content_a = content_of(a, &size_a), *content_b = content_of(b, &size_b);

	assert_int_equal(size_a, size_b);
	assert_memory_equal(content_a, content_b, size_a);
	free(content_a);
	free(content_b);
}

static void make_inputs(char **inputs, uint64_t seed)
{
	model_count = 0;
	for (uint32_t i = 0; i < RECORDINGS; i++) {
		make_recording(i, seed);
		inputs[i] = name_in("r", i);
	}
}

static void free_all(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
}

static void shuffle(char **names, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = any((uint32_t)i);
		char *name = names[i - 1];

		names[i - 1] = names[other];
		names[other] = name;
	}
}

/* Merge some into one, again and again, until one is left. */
static char *merge_grouped(char **inputs)
{
	char *names[RECORDINGS];
	size_t count = RECORDINGS;

	for (size_t i = 0; i < RECORDINGS; i++)
		names[i] = strdup(inputs[i]);
	while (count > 1) {
		size_t group = 2 + any(2);
		char *output;

		shuffle(names, count);
		group = group > count ? count : group;
		output = merge(&names[count - group], group, any(2) ? 1 : 1 << 20, 1);
		free_all(&names[count - group], group);
		count -= group;
		names[count++] = output;
	}
	return names[0];
}

static void test_any_order_and_grouping(void **state)
{
	char *inputs[RECORDINGS];

	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		char *whole, *other;

		make_inputs(inputs, seed);
		whole = merge(inputs, RECORDINGS, 1 << 20, 1);
		for (unsigned int i = 0; i < 4; i++) {
			shuffle(inputs, RECORDINGS);
			other = merge(inputs, RECORDINGS, i % 2 ? 1 : 1 << 20, 1 + i);
			assert_same(whole, other);
			free(other);
			other = merge_grouped(inputs);
			assert_same(whole, other);
			free(other);
		}
		free(whole);
		free_all(inputs, RECORDINGS);
	}
}

static struct recording *open_merged(const char *output)
{
	struct recording *recording;
	struct problem problem;
	char *path;

	if (asprintf(&path, "%s/" MERGE_FILE_NAME, output) < 0)
		abort();
	if (recording_open(path, &recording, &problem) < 0)
		fail_msg("%s", problem.text);
	for (size_t i = 0; i < recording->problem_count; i++)
		fail_msg("%s", recording->problems[i]);
	free(path);
	return recording;
}

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
	calltree_free(tree);
	recording_free(recording);
	free_all(inputs, RECORDINGS);
	free(output);
}

static void make_large(uint32_t number, uint64_t self, double squares)
{
	struct recording_writer_header made = {
		.pid = 1000 + number, .run_id = {9}, .duration_ns = 1};
	const struct region region = {.kind = KYMO_REGION_USER, .name = "large"};
	struct recording_writer_node node = {.count = 1,
					     .closed_count = 1,
					     .sum_ns = self,
					     .max_ns = self,
					     .sum_squares_ns = squares};
	char *path = name_in("large", number);
	struct recording_writer *maker;
	struct problem problem;

	mkdir(path, 0777);
	path = realloc(path, strlen(path) + 16);
	strcat(path, "/x.kymo");
	assert_int_equal(recording_writer_new(path, &made, &maker, &problem), KYMO_OK);
	recording_writer_thread(maker, "main", 0, 0, 1, 0);
	node.region = recording_writer_region(maker, &region);
	recording_writer_node(maker, &node);
	assert_int_equal(recording_writer_commit(maker, &problem), KYMO_OK);
	free(path);
}

/* 2^60 and 1: in doubles, adding the small ones one by one would come to nothing. */
static void test_small_beside_large(void **state)
{
	char *inputs[3], *pair[2], *whole, *nested;

	(void)state;
	make_large(0, UINT64_C(1) << 60, 0x1p100);
	make_large(1, 1, 1);
	make_large(2, 1, 1);
	for (unsigned int i = 0; i < 3; i++)
		inputs[i] = name_in("large", i);
	whole = merge(inputs, 3, 1 << 20, 1);
	pair[0] = merge(inputs, 2, 1 << 20, 1);
	pair[1] = inputs[2];
	nested = merge(pair, 2, 1 << 20, 1);
	assert_same(whole, nested);
	free(pair[0]);
	pair[0] = merge(inputs + 1, 2, 1 << 20, 1);
	pair[1] = inputs[0];
	free(nested);
	nested = merge(pair, 2, 1 << 20, 1);
	assert_same(whole, nested);
	free(pair[0]);
	free(nested);
	free(whole);
	free_all(inputs, 3);
}

static void test_twice(void **state)
{
	char *inputs[RECORDINGS + 2], *whole, *other, *part;

	(void)state;
	make_inputs(inputs, 5);
	whole = merge(inputs, RECORDINGS, 1 << 20, 1);
	part = merge(inputs + 2, 3, 1 << 20, 1);
	inputs[RECORDINGS] = inputs[0];
	inputs[RECORDINGS + 1] = part;
	other = merge(inputs, RECORDINGS + 2, 1 << 20, 1);
	assert_same(whole, other);
	free(other);
	free(part);
	free(whole);
	free_all(inputs, RECORDINGS);
}

static void test_partly_the_same(void **state)
{
	char *inputs[RECORDINGS], *pair[2], *output = name_in("partly", 0);
	const struct merge_options options = {
		.output = output, .memory_bytes = 1 << 20, .jobs = 1, .job = ""};
	struct merge_result result;
	struct problem problem;

	(void)state;
	make_inputs(inputs, 5);
	pair[0] = merge(inputs, 4, 1 << 20, 1);
	pair[1] = merge(inputs + 3, 3, 1 << 20, 1);
	assert_int_equal(merge_recordings(pair, 2, &options, &result, &problem), KYMO_OK);
	assert_int_equal(result.problem_count, 1);
	assert_non_null(strstr(result.problems[0], "1 process in common"));
	assert_int_equal(result.process_count, 4);
	merge_result_release(&result);
	free_all(pair, 2);
	free_all(inputs, RECORDINGS);
	free(output);
}

struct counted { /* leaf is called by often and by rare, one of four calls below the other */
	uint64_t off, error, calls_error;
};

static void make_counted(uint32_t number, const struct counted *counted)
{
	const struct recording_writer_header made = {
		.program = "counted", .pid = number, .run_id = {(uint8_t)(number + 1)}};
	char *path = name_in("r", number);
	uint32_t leaf, often, rare;
	struct recording_writer *maker;
	struct recording_writer_node node = {.count = 1, .closed_count = 1, .sum_ns = 1000};
	struct kymo_estimate estimate = {.flags = KYMO_ESTIMATE_OF_TIME,
					 .caller = KYMO_TOTAL_OF_REGION};

	mkdir(path, 0777);
	path = realloc(path, strlen(path) + 16);
	strcat(path, "/x.kymo");
	assert_int_equal(recording_writer_new(path, &made, &maker, NULL), KYMO_OK);
	recording_writer_thread(maker, "main", 1, 0, 1000000, 0);
	leaf = recording_writer_region(maker, &(struct region){.name = "leaf"});
	often = recording_writer_region(maker, &(struct region){.name = "often"});
	rare = recording_writer_region(maker, &(struct region){.name = "rare"});
	node.region = often;
	node.parent = recording_writer_node(maker, &node);
	node.region = leaf;
	node.count = 1000;
	node.sum_ns = 900;
	recording_writer_node(maker, &node);
	node = (struct recording_writer_node){.count = 1, .region = rare, .sum_ns = 500};
	node.parent = recording_writer_node(maker, &node);
	node.region = leaf;
	node.count = 10;
	recording_writer_node(maker, &node);
	estimate.region = leaf;
	for (int i = 0; i < KYMO_ERRORS; i++)
		estimate.errors[i] = (struct kymo_error){
			.off = counted->off, .squares = counted->error * counted->error};
	recording_writer_estimate(maker, &estimate);
	estimate.caller = often;
	estimate.flags = 0;
	estimate.errors[KYMO_CALLS_BELOW] = estimate.errors[KYMO_CALLS_ABOVE] =
		(struct kymo_error){.squares = counted->calls_error * counted->calls_error};
	recording_writer_estimate(maker, &estimate);
	assert_int_equal(recording_writer_commit(maker, NULL), KYMO_OK);
	free(path);
}

static const struct flat_edge *edge_from(const struct calltree *tree, const struct flat *flat,
					 const char *caller)
{
	for (uint32_t i = 0; i < flat->edge_count; i++)
		if (flat->edges[i].caller &&
		    strcmp(tree->recording->regions[flat->edges[i].caller].name, caller) == 0)
			return &flat->edges[i];
	fail_msg("nobody is called by %s", caller);
	return NULL;
}

static const struct flat_row *row_of(const struct calltree *tree, const struct flat *flat,
				     const char *name)
{
	for (uint32_t i = 0; i < flat->row_count; i++)
		if (strcmp(tree->recording->regions[flat->rows[i].region].name, name) == 0)
			return &flat->rows[i];
	fail_msg("there is no %s", name);
	return NULL;
}

/* What is off in the same way everywhere adds up, other errors as their squares do. */
static void test_errors_add_up(void **state)
{
	const struct counted counted[] = {{10, 30, 3}, {20, 40, 4}};
	char *inputs[2], *output;
	struct recording *recording;
	struct calltree *tree;
	struct flat *flat;
	const struct flat_row *leaf;
	const struct flat_edge *often, *rare;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		make_counted(20 + i, &counted[i]);
		inputs[i] = name_in("r", 20 + i);
	}
	output = merge(inputs, 2, UINT64_MAX, 1);
	recording = open_merged(output);
	assert_int_equal(calltree_new(recording, &tree, NULL), KYMO_OK);
	assert_int_equal(tree->estimated_functions, 1);
	assert_true(tree->has_estimated_counts);
	assert_int_equal(flat_new(tree, NULL, &flat), KYMO_OK);
	leaf = row_of(tree, flat, "leaf");
	assert_true(leaf->estimate.is_known);
	assert_int_equal(leaf->count, 2020);
	assert_true(leaf->estimate.total_ns == leaf->total_ns);
	assert_true(leaf->estimate.total_below_ns == 10 + 20 + 50);
	assert_true(leaf->estimate.self_above_ns == 10 + 20 + 50);
	assert_false(row_of(tree, flat, "often")->estimate.is_known);
	often = edge_from(tree, flat, "often");
	assert_true(often->is_count_estimated);
	assert_int_equal(often->count, 2000);
	assert_int_equal(often->count_low, 1995);
	assert_int_equal(often->count_high, 2005);
	rare = edge_from(tree, flat, "rare");
	assert_false(rare->is_count_estimated);
	assert_int_equal(rare->count, 20);
	flat_free(flat);
	calltree_free(tree);
	recording_free(recording);
	free(output);
	free_all(inputs, 2);
}

static int remove_all(void **state)
{
	char command[64];

	(void)state;
	free(model);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order_and_grouping), cmocka_unit_test(test_sums),
		cmocka_unit_test(test_small_beside_large),     cmocka_unit_test(test_twice),
		cmocka_unit_test(test_partly_the_same),	       cmocka_unit_test(test_errors_add_up),
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, remove_all);
}
