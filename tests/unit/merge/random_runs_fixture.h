/* Random recordings to be merged: they have names of regions in common under different ids, deep
 * paths, metrics, estimates and notes. */
#ifndef KYMO_RANDOM_RUNS_FIXTURE_H
#define KYMO_RANDOM_RUNS_FIXTURE_H

#include "merged_fixture.h"

#include "format/metric.h"
#include "writer/recording_writer_events.h"

#define RECORDINGS 6
#define NODES	   1300
#define REGIONS	   12
#define THREADS	   3
#define DEEP	   60
#define PATH_BYTES 1024

static uint64_t random_state;

static inline uint32_t any(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

struct entry { /* a path, by names; of the nodes of all recordings that have it */
	char path[PATH_BYTES];
	uint64_t count, closed, self, min, max, peak_count;
	double squares, peak, peak_most;
};

static struct entry *model;
static size_t model_count;
static bool has_model; /* adding up takes long */

static inline struct entry *entry_of(const char *path)
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

static inline void model_add(const char *path, const struct recording_writer_node *node,
			     uint64_t self)
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
static inline struct region region_of(uint32_t number, char *name)
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

static inline void make_nodes(struct node *nodes)
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

static inline void write_node(struct recording_writer *maker, struct node *nodes, uint32_t i,
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

static inline void write_nodes(struct recording_writer *maker, uint32_t metric_count)
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
static inline void write_estimates(struct recording_writer *maker)
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

static inline void write_notes(struct recording_writer *maker, uint32_t number)
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
static inline void make_recording(uint32_t number, uint64_t seed)
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

static inline void make_inputs(char **inputs, uint64_t seed)
{
	model_count = 0;
	for (uint32_t i = 0; i < RECORDINGS; i++) {
		make_recording(i, seed);
		inputs[i] = name_in("r", i);
	}
}

#endif
