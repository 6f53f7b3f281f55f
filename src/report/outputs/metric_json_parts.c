/* Common parts of both forms of a metric's JSON. */
#include "report/outputs/metric_json_parts.h"

#include <string.h>
#include <unistd.h>

#include "base/hashset.h"

uint64_t metric_label_hash(const struct rows *rows, const struct row *row)
{
	char name[ROW_NAME_MAX];

	region_text(rows->regions->regions[row->region], name, sizeof(name));
	return hash_bytes(HASH_SEED, name, strlen(name));
}

static void write_id(struct json_view *writer)
{
	const char *name = writer->view->info->name;
	struct json_writer *json = &writer->json;

	json_key(json, "properties");
	json_begin_object(json);
	json_pair_text(json, "value", name);
	json_pair_text(json, "enum", name);
	json_pair_text(json, "id", name);
	json_key(json, "ids");
	json_begin_array(json);
	json_text(json, name);
	json_end_array(json);
	json_end_object(json);
}

static uint64_t json_count_threads(const struct rows *rows)
{
	uint64_t most = 0;

	for (size_t i = 0; i < rows->tree_count; i++) {
		if (most < rows->trees[i]->recording->thread_count)
			most = rows->trees[i]->recording->thread_count;
	}
	return most;
}

static void write_description(struct json_view *writer)
{
	const struct metric_view *view = writer->view;
	struct json_writer *json = &writer->json;

	write_id(writer);
	json_pair_text(json, "type", view->info->name);
	json_pair_text(json, "description", view->info->description);
	if (view->is_sampled)
		json_pair_text(json, "timing", "sampled");
	json_pair_number(json, "unit_value", 1 / view->scale);
	json_pair_text(json, "unit_repr", view->unit);
	json_pair_bool(json, "thread_scope_only", view->info->is_per_thread);
	json_pair_count(json, "thread_count", json_count_threads(view->rows));
	json_pair_count(json, "mpi_size", 1);
	json_pair_count(json, "upcxx_size", 1);
	json_pair_count(json, "process_count", view->rows->tree_count);
	json_pair_count(json, "num_ranks", view->rows->tree_count);
	json_pair_count(json, "concurrency", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
}

static void json_write_left_out(struct json_view *writer)
{
	const struct rows *rows = writer->view->rows;
	struct json_writer *json = &writer->json;

	json_key(json, "left_out");
	json_begin_object(json);
	json_pair_count(json, "paths", rows->left_out);
	json_pair_number(json, "percent", rows->left_out_percent);
	json_pair_text(json, "written_by", METRIC_WHOLE);
	json_end_object(json);
}

void metric_json_begin(struct json_view *writer)
{
	json_begin_object(&writer->json);
	json_key(&writer->json, "timemory");
	json_begin_object(&writer->json);
	json_key(&writer->json, writer->view->info->name);
	json_begin_object(&writer->json);
	write_description(writer);
	if (writer->view->rows->left_out)
		json_write_left_out(writer);
}

void metric_json_end(struct json_view *writer)
{
	for (int i = 0; i < 3; i++)
		json_end_object(&writer->json);
	putc('\n', writer->json.out);
}

void metric_json_entry(struct json_view *writer, const struct metric_value *value, double amount)
{
	struct json_writer *json = &writer->json;
	double stored = amount / writer->view->scale;

	json_key(json, "entry");
	json_begin_object(json);
	json_pair_count(json, "laps", value->count);
	json_pair_number(json, "value", stored);
	json_pair_number(json, "accum", stored);
	json_pair_number(json, "repr_data", amount);
	json_pair_number(json, "repr_display", amount);
	json_end_object(json);
}

void metric_json_interval(struct json_view *writer, const struct row *row)
{
	if (!row->is_count_estimated)
		return;
	json_pair_count(&writer->json, "laps_low", row->count_low);
	json_pair_count(&writer->json, "laps_high", row->count_high);
}

void metric_json_stats(struct json_view *writer, const struct metric_value *value)
{
	struct json_writer *json = &writer->json;

	json_key(json, "stats");
	json_begin_object(json);
	json_pair_number(json, "sum", value->sum);
	json_pair_count(json, "count", value->count);
	if (!writer->view->is_sampled) {
		json_pair_number(json, "min", value->has_visits ? value->min : value->mean);
		json_pair_number(json, "max", value->has_visits ? value->max : value->mean);
		json_pair_number(json, "sqr", value->sum_squares);
	}
	json_pair_number(json, "mean", value->mean);
	if (!writer->view->is_sampled)
		json_pair_number(json, "stddev", value->deviation);
	json_end_object(json);
}

size_t metric_end_of_process(const struct rows *rows, size_t begin, uint32_t process)
{
	if (rows->options.merges_processes)
		return rows->count;
	while (begin < rows->count && rows->rows[begin].process == process)
		begin++;
	return begin;
}

uint32_t metric_count_ranks(const struct rows *rows)
{
	return rows->options.merges_processes ? 1 : (uint32_t)rows->tree_count;
}
