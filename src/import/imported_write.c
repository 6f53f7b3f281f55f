/* Writes recordings of imported data. */
#include "import/imported_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/array.h"
#include "format/metric.h"
#include "import/imported_notes.h"
#include "import/imported_slices.h"
#include "import/imported_sums.h"
#include "writer/recording_writer.h"
#include "writer/recording_writer_events.h"

struct import_writer {
	struct imported *imported;
	const struct imported_target *target;
	struct imported_sums sums;
	uint32_t *regions; /* ids in the current recording, 0 = none yet */
	uint32_t *thread_numbers;
	uint32_t *series_numbers;
	uint32_t metric_ids[IMPORT_METRICS_MAX];
	uint64_t start_realtime_ns;
	char **paths;
	size_t path_count;
};

static const char *text_or_null(struct span text)
{
	return text.size ? text.at : NULL;
}

/* The name of a Python function is the last part of a qualified one: "__init__" of
 * "First.__init__". */
static void part_name(struct region *region)
{
	size_t length = strcspn(region->name, "(");
	const char *last = memrchr(region->name, '.', length);

	if (region->kind != KYMO_REGION_PYTHON || region->name[0] == '[' || !last ||
	    last == region->name || last + 1 == region->name + length)
		return;
	region->qualname = region->name;
	region->name = last + 1;
}

static uint32_t write_region_get(struct import_writer *writer, struct recording_writer *maker,
				 uint32_t number)
{
	const struct imported_function *function = &writer->imported->regions[number];
	struct region region = {
		.kind = function->kind,
		.flags = function->flags,
		.line = function->line,
		.name = function->name.at,
		.module = text_or_null(function->module),
		.file = text_or_null(function->file),
	};

	part_name(&region);
	if (!writer->regions[number])
		writer->regions[number] = recording_writer_region(maker, &region);
	return writer->regions[number];
}

static uint64_t from_origin(const struct import_writer *writer, int64_t ns)
{
	return ns > writer->sums.origin_ns ? (uint64_t)ns - (uint64_t)writer->sums.origin_ns : 0;
}

static void write_put_threads(struct import_writer *writer, struct recording_writer *maker,
			      uint32_t process)
{
	const struct imported *imported = writer->imported;

	for (size_t i = 1; i <= imported->thread_count; i++) {
		const struct imported_thread *thread = &imported->threads[i];
		bool has_times = thread->first_ns <= thread->last_ns;
		uint64_t total = writer->sums.nodes[thread->root].total_ns;

		if (thread->process != process)
			continue;
		writer->thread_numbers[i] = recording_writer_thread(
			maker, thread->name, thread->system_id,
			has_times ? from_origin(writer, thread->first_ns) : 0,
			has_times ? from_origin(writer, thread->last_ns) : total, 0);
	}
}

static void put_metrics(const struct import_writer *writer, size_t node,
			struct calltree_metric *out)
{
	const struct imported *imported = writer->imported;
	bool is_sampled = imported->threads[imported->nodes[node].thread].is_sampled;
	size_t count = imported->metric_count;

	for (size_t k = 0; k < count; k++) {
		const struct imported_amount *amount = &writer->sums.metrics[node * count + k];
		uint64_t visits = writer->sums.nodes[node].count;

		/* A call has all metrics, a sample that of its event; a part of a call counts as
		 * one. */
		if (is_sampled)
			visits = amount->count;
		else if (visits == 0 && amount->self > 0)
			visits = 1;
		out[k] = (struct calltree_metric){.count = visits, .sum = amount->self};
		if (visits == 1) {
			out[k].min = out[k].max = amount->self;
			out[k].sum_squares = amount->self * amount->self;
		}
	}
}

static void write_put_node(struct import_writer *writer, struct recording_writer *maker,
			   size_t index)
{
	const struct imported_node *node = &writer->imported->nodes[index];
	const struct imported_sum *sums = &writer->sums.nodes[index];
	struct calltree_metric metrics[IMPORT_METRICS_MAX];
	struct recording_writer_node made = {
		.thread = writer->thread_numbers[node->thread],
		.count = sums->count,
		.sum_ns = sums->total_ns,
		.min_ns = UINT64_MAX,
		.metrics = writer->imported->metric_count ? metrics : NULL,
	};

	if (node->region)
		made.region = write_region_get(writer, maker, node->region);
	if (node->parent && writer->imported->nodes[node->parent].region)
		made.parent = writer->sums.nodes[node->parent].handle;
	if (node->visits) {
		made.closed_count = node->visits;
		made.min_ns = node->min_ns;
		made.max_ns = node->max_ns;
		made.sum_squares_ns = node->sum_squares_ns;
	}
	put_metrics(writer, index, metrics);
	writer->sums.nodes[index].handle = recording_writer_node(maker, &made);
}

static uint64_t write_whole_ns(double ns)
{
	return ns > 0 ? (uint64_t)(ns + 0.5) : 0;
}

static void put_totals(struct import_writer *writer, struct recording_writer *maker,
		       uint32_t process)
{
	const struct imported *imported = writer->imported;

	for (size_t i = 0; i < imported->total_count; i++) {
		const struct imported_total *total = &imported->totals[i];
		struct recording_writer_total made = {
			.thread = writer->thread_numbers[total->thread],
			.caller = KYMO_TOTAL_OF_REGION,
			.count = total->count,
			.primitive_count = total->primitive_count,
			.self_ns = write_whole_ns(total->self_ns),
			.total_ns = write_whole_ns(total->total_ns),
		};

		if (imported->threads[total->thread].process != process)
			continue;
		made.region = write_region_get(writer, maker, total->region);
		if (total->caller)
			made.caller = write_region_get(writer, maker, total->caller);
		recording_writer_total(maker, &made);
	}
}

static void write_put_nodes(struct import_writer *writer, struct recording_writer *maker,
			    uint32_t process)
{
	const struct imported_sums *sums = &writer->sums;

	for (size_t i = sums->first[process]; i < sums->first[process + 1]; i++) {
		/* A thread's root is made with the thread. */
		if (writer->imported->nodes[sums->by_process[i]].region)
			write_put_node(writer, maker, sums->by_process[i]);
	}
}

static void write_put_events(struct import_writer *writer, struct recording_writer *maker,
			     uint32_t number, const struct imported_thread *thread)
{
	uint32_t made = writer->thread_numbers[number];

	for (size_t i = 0; i < thread->event_count; i++) {
		const struct imported_event *event = &thread->events[i];
		uint64_t ns = from_origin(writer, event->ns);

		if (event->is_instant)
			recording_writer_instant(maker, made, ns,
						 write_region_get(writer, maker, event->region));
		else if (event->region)
			recording_writer_enter(maker, made, ns,
					       write_region_get(writer, maker, event->region));
		else
			recording_writer_leave(maker, made, ns);
	}
}

struct slice_target {
	struct import_writer *writer;
	struct recording_writer *maker;
	uint32_t thread;
};

static void write_put_slice(void *context, int64_t ns, uint32_t node)
{
	struct slice_target *target = context;
	uint64_t at = from_origin(target->writer, ns);

	if (node)
		recording_writer_enter(
			target->maker, target->thread, at,
			write_region_get(target->writer, target->maker,
					 target->writer->imported->nodes[node].region));
	else
		recording_writer_leave(target->maker, target->thread, at);
}

static enum kymo_status put_timelines(struct import_writer *writer, struct recording_writer *maker,
				      uint32_t process)
{
	struct imported *imported = writer->imported;

	for (uint32_t i = 1; i <= imported->thread_count; i++) {
		struct slice_target target = {writer, maker, writer->thread_numbers[i]};

		if (imported->threads[i].process != process)
			continue;
		write_put_events(writer, maker, i, &imported->threads[i]);
		if (imported_slices(imported, i, write_put_slice, &target) < 0)
			return KYMO_MEMORY;
	}
	return KYMO_OK;
}

static void put_series(struct import_writer *writer, struct recording_writer *maker,
		       uint32_t process)
{
	const struct imported *imported = writer->imported;
	bool has_series = false;

	for (size_t i = 0; i < imported->series_count; i++) {
		const struct imported_series *series = &imported->series[i];

		has_series |= series->process == process;
		if (series->process == process)
			writer->series_numbers[i] = recording_writer_series(
				maker, series->name ? series->name : "?", series->unit,
				series->thread ? writer->thread_numbers[series->thread]
					       : KYMO_NO_THREAD);
	}
	for (size_t i = 0; has_series && i < imported->point_count; i++) {
		const struct imported_point *point = &imported->points[i];

		if (imported->series[point->series].process == process)
			recording_writer_point(maker, writer->series_numbers[point->series],
					       from_origin(writer, point->ns), point->value);
	}
}

static bool is_sampled(const struct imported *imported, uint32_t process)
{
	bool has_threads = false;

	for (size_t i = 1; i <= imported->thread_count; i++) {
		if (imported->threads[i].process != process)
			continue;
		if (!imported->threads[i].is_sampled)
			return false;
		has_threads = true;
	}
	return has_threads;
}

/* The effective sample size of the times. */
static void put_effective_count(const struct imported_process *process,
				struct recording_writer *maker)
{
	char text[32];

	if (process->squares <= 0)
		return;
	snprintf(text, sizeof(text), "%.17g",
		 process->weight * (process->weight / process->squares));
	recording_writer_note(maker, KYMO_NOTE_INFO, CALLTREE_EFFECTIVE_NOTE, text);
}

static void write_put_notes(const struct import_writer *writer, struct recording_writer *maker,
			    uint32_t process, bool is_first)
{
	const struct imported *imported = writer->imported;

	if (is_sampled(imported, process))
		put_effective_count(&imported->processes[process], maker);
	recording_writer_note(maker, KYMO_NOTE_INFO, "imported from", writer->target->source);
	recording_writer_note(maker, KYMO_NOTE_INFO, "importer", imported->importer);
	for (size_t i = 0; i < imported->note_count; i++) {
		const struct imported_note *note = &imported->notes[i];

		/* Problems of the file are written once, not once per process. */
		if (is_first || note->kind == KYMO_NOTE_INFO)
			recording_writer_note(maker, note->kind, note->key,
					      note->value ? note->value : "");
	}
	if (is_first)
		imported_put_counts(imported, maker);
}

/* "app-123.kymo"; names of programs are not trusted. */
static char *write_path_of(const struct import_writer *writer, uint32_t process,
			   const char *program)
{
	uint64_t pid = writer->imported->processes[process].pid;
	char name[128];
	size_t size = 0;
	char *path;

	for (; *program && size < sizeof(name) - 1; program++) {
		if (*program == '/') {
			size = 0;
			continue;
		}
		name[size++] = strchr("\\:*?\"<>|", *program) || (unsigned char)*program <= ' '
				       ? '_'
				       : *program;
	}
	name[size] = '\0';
	if (size == 0 || name[0] == '.')
		snprintf(name, sizeof(name), "imported");
	if (asprintf(&path, "%s/%s-%s%llu.kymo", writer->target->directory, name,
		     pid > 0 && pid <= UINT32_MAX ? "" : "n",
		     (unsigned long long)(pid > 0 && pid <= UINT32_MAX
						  ? pid
						  : writer->target->first_number + process)) < 0)
		return NULL;
	return path;
}

static enum kymo_status imported_write_recording(struct import_writer *writer, uint32_t process,
						 const char *path, const char *program,
						 struct problem *problem)
{
	const struct imported *imported = writer->imported;
	uint64_t pid = imported->processes[process].pid;
	bool is_first = writer->path_count == 0;
	struct recording_writer_header made = {
		.program = program,
		.pid = pid <= UINT32_MAX ? (uint32_t)pid : 0,
		.start_realtime_ns = writer->start_realtime_ns,
		.duration_ns = writer->sums.duration_ns,
		.exit_status = -1,
		.flags = KYMO_HEADER_MADE |
			 (is_sampled(imported, process) ? KYMO_HEADER_SAMPLED : 0) |
			 (is_first && writer->target->first_number == 0 ? KYMO_HEADER_ROOT : 0),
		.metric_count = imported->metric_count,
		.metrics = writer->metric_ids,
	};
	struct recording_writer *maker;
	enum kymo_status status;

	memcpy(made.run_id, writer->target->run_id, sizeof(made.run_id));
	memset(writer->regions, 0, imported->region_count * sizeof(*writer->regions));
	status = recording_writer_new(path, &made, &maker, problem);
	if (status < 0)
		return status;
	write_put_notes(writer, maker, process, is_first);
	write_put_threads(writer, maker, process);
	write_put_nodes(writer, maker, process);
	put_totals(writer, maker, process);
	status = put_timelines(writer, maker, process);
	if (status < 0) {
		recording_writer_discard(maker);
		return problem_set(problem, status, "out of memory");
	}
	put_series(writer, maker, process);
	return recording_writer_commit(maker, problem);
}

static enum kymo_status imported_write_process(struct import_writer *writer, uint32_t process,
					       struct problem *problem)
{
	const char *program = writer->imported->processes[process].name;
	enum kymo_status status;
	char *path;

	program = program ? program : writer->target->program;
	path = write_path_of(writer, process, program);
	if (!path)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	status = imported_write_recording(writer, process, path, program, problem);
	if (status == KYMO_OK && !lines_add(&writer->paths, &writer->path_count, "%s", path))
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	free(path);
	return status;
}

/* Processes that were named, but have no data. */
static bool *find_used(const struct imported *imported)
{
	bool *is_used = calloc(imported->process_count + 1, sizeof(*is_used));

	for (size_t i = 1; is_used && i <= imported->thread_count; i++) {
		const struct imported_thread *thread = &imported->threads[i];

		is_used[thread->process] |= thread->event_count > 0;
	}
	for (size_t i = 1; is_used && i < imported->node_count; i++) {
		if (imported->nodes[i].region)
			is_used[imported->threads[imported->nodes[i].thread].process] = true;
	}
	for (size_t i = 0; is_used && i < imported->series_count; i++)
		is_used[imported->series[i].process] = true;
	return is_used;
}

/* The number per process is limited; further ones are left out. */
static void define_metrics(struct import_writer *writer)
{
	struct imported *imported = writer->imported;
	char description[512];

	for (uint32_t i = 0; i < imported->metric_count; i++) {
		const struct imported_metric *metric = &imported->metrics[i];

		snprintf(description, sizeof(description), "%.300s, as in the imported file",
			 metric->name);
		writer->metric_ids[i] = metric_define(metric->name, metric->unit, description);
		if (writer->metric_ids[i] == KYMO_METRIC_COUNT) {
			for (uint32_t k = i; k < imported->metric_count; k++)
				free(imported->metrics[k].amounts);
			imported->metric_count = i;
		}
	}
}

static void find_start(struct import_writer *writer)
{
	const struct imported *imported = writer->imported;
	const struct imported_sums *sums = &writer->sums;

	writer->start_realtime_ns = writer->target->modified_ns;
	if (imported->has_realtime)
		writer->start_realtime_ns = imported->realtime_ns + (uint64_t)sums->origin_ns;
	else if (writer->start_realtime_ns > sums->duration_ns)
		writer->start_realtime_ns -= sums->duration_ns;
}

static bool writer_init(struct import_writer *writer)
{
	struct imported *imported = writer->imported;

	define_metrics(writer);
	writer->regions = calloc(imported->region_count, sizeof(*writer->regions));
	writer->thread_numbers =
		calloc(imported->thread_count + 1, sizeof(*writer->thread_numbers));
	writer->series_numbers =
		calloc(imported->series_count + 1, sizeof(*writer->series_numbers));
	if (imported_sums_init(&writer->sums, imported) < 0 || !writer->regions ||
	    !writer->thread_numbers || !writer->series_numbers)
		return false;
	find_start(writer);
	return true;
}

static void writer_release(struct import_writer *writer)
{
	imported_sums_release(&writer->sums);
	free(writer->regions);
	free(writer->thread_numbers);
	free(writer->series_numbers);
}

static enum kymo_status imported_write_all(struct import_writer *writer, struct problem *problem)
{
	bool *is_used = find_used(writer->imported);
	enum kymo_status status = KYMO_OK;

	if (!is_used || !writer_init(writer)) {
		free(is_used);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	for (uint32_t i = 1; i <= writer->imported->process_count && status == KYMO_OK; i++) {
		if (is_used[i])
			status = imported_write_process(writer, i, problem);
	}
	free(is_used);
	if (status == KYMO_OK && writer->path_count == 0)
		status = problem_set(problem, KYMO_FORMAT, "'%s' holds no measurements",
				     writer->target->source);
	return status;
}

void imported_run_id(uint8_t run_id[16])
{
	if (getrandom(run_id, 16, 0) < 16)
		memcpy(run_id, "kymo import run", 16);
}

/* Calls left open in the file end at the last known time of their thread. */
static void write_close_open(struct imported *imported)
{
	for (uint32_t i = 1; i <= imported->thread_count; i++) {
		while (imported_leave(imported, i, imported->threads[i].last_ns))
			imported_count(imported, COUNT_UNENDED);
	}
}

enum kymo_status imported_write(struct imported *imported, const struct imported_target *target,
				char ***paths_out, size_t *path_count_out, struct problem *problem)
{
	struct import_writer writer = {.imported = imported, .target = target};
	enum kymo_status status;

	write_close_open(imported);
	if (imported->is_out_of_memory)
		return problem_set(problem, KYMO_MEMORY, "no memory for what '%s' holds",
				   target->source);
	status = imported_write_all(&writer, problem);
	writer_release(&writer);
	if (status < 0) {
		for (size_t i = 0; i < writer.path_count; i++)
			unlink(writer.paths[i]);
		lines_free(writer.paths, writer.path_count);
		return status;
	}
	*paths_out = writer.paths;
	*path_count_out = writer.path_count;
	return KYMO_OK;
}
