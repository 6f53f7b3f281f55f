/* A metric as timemory's JSON: flat, one list of rows a process, and as a tree.
 *
 * Hatchet reads the tree.  Its reader takes processes from the key "mpi" whether or not
 * there was MPI, and fails on several threads under "graph". */
#include "report/outputs/metric_json.h"

#include <string.h>
#include <unistd.h>

#include "base/hashset.h"
#include "model/profile/metric_view.h"
#include "text/json_writer.h"

struct json_view {
	struct json_writer json;
	const struct metric_view *view;
};

static uint64_t label_hash(const struct rows *rows, const struct row *row)
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

static void begin_document(struct json_view *writer)
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

static void end_document(struct json_view *writer)
{
	for (int i = 0; i < 3; i++)
		json_end_object(&writer->json);
	putc('\n', writer->json.out);
}

static void json_write_entry(struct json_view *writer, const struct metric_value *value,
			     double amount)
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

/* laps that are an estimate */
static void write_interval(struct json_view *writer, const struct row *row)
{
	if (!row->is_count_estimated)
		return;
	json_pair_count(&writer->json, "laps_low", row->count_low);
	json_pair_count(&writer->json, "laps_high", row->count_high);
}

static void write_stats(struct json_view *writer, const struct metric_value *value)
{
	struct json_writer *json = &writer->json;

	json_key(json, "stats");
	json_begin_object(json);
	json_pair_number(json, "sum", value->sum);
	json_pair_count(json, "count", value->count);
	json_pair_number(json, "min", value->has_visits ? value->min : value->mean);
	json_pair_number(json, "max", value->has_visits ? value->max : value->mean);
	json_pair_number(json, "sqr", value->sum_squares);
	json_pair_number(json, "mean", value->mean);
	json_pair_number(json, "stddev", value->deviation);
	json_end_object(json);
}

/* What is known of the time outside the callees: its sum and mean. */
static struct metric_value exclusive_of(const struct metric_value *value)
{
	struct metric_value own = {.count = value->count, .has_sum = value->has_sum};

	own.sum = own.self = value->self;
	own.mean = value->count ? value->self / (double)value->count : value->self;
	return own;
}

static void write_flat_row(struct json_view *writer, size_t index)
{
	const struct rows *rows = writer->view->rows;
	const struct row *row = &rows->rows[index];
	struct json_writer *json = &writer->json;
	char label[ROW_INDENT_MAX + ROW_NAME_MAX];
	struct metric_value value;

	metric_view_value(writer->view, index, &value);
	row_label(rows, index, ROW_INDENT_MAX, label, sizeof(label));
	json_line(json);
	json_begin_object(json);
	json_pair_count(json, "hash", label_hash(rows, row));
	json_pair_text(json, "prefix", label);
	json_pair_count(json, "depth", row->depth);
	json_write_entry(writer, &value, value.sum);
	write_stats(writer, &value);
	write_interval(writer, row);
	json_pair_bool(json, "open", row->is_open);
	json_end_object(json);
}

/* Rows of one process, which lie together; merged, all are the first one's. */
static size_t end_of_process(const struct rows *rows, size_t begin, uint32_t process)
{
	if (rows->options.merges_processes)
		return rows->count;
	while (begin < rows->count && rows->rows[begin].process == process)
		begin++;
	return begin;
}

static uint32_t json_count_ranks(const struct rows *rows)
{
	return rows->options.merges_processes ? 1 : (uint32_t)rows->tree_count;
}

void metric_write_flat_json(const struct metric_view *view, FILE *out)
{
	struct json_view writer = {.json = {.out = out}, .view = view};
	struct json_writer *json = &writer.json;
	size_t row = 0;

	begin_document(&writer);
	json_key(json, "ranks");
	json_begin_array(json);
	for (uint32_t rank = 0; rank < json_count_ranks(view->rows); rank++) {
		size_t end = end_of_process(view->rows, row, rank);

		json_begin_object(json);
		json_pair_count(json, "rank", rank);
		json_pair_count(json, "pid", view->rows->trees[rank]->recording->header.pid);
		json_pair_count(json, "graph_size", end - row);
		json_key(json, "graph");
		json_begin_array(json);
		for (; row < end && !ferror(out); row++)
			write_flat_row(&writer, row);
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
	end_document(&writer);
}

static void write_number_list(struct json_writer *json, const char *key, uint64_t number)
{
	json_key(json, key);
	json_begin_array(json);
	json_count(json, number);
	json_end_array(json);
}

static void json_write_values(struct json_view *writer, const char *key,
			      const struct metric_value *value)
{
	json_key(&writer->json, key);
	json_begin_object(&writer->json);
	json_write_entry(writer, value, value->sum);
	write_stats(writer, value);
	json_end_object(&writer->json);
}

/* The object of one node, with "children" begun. */
static void begin_tree_node(struct json_view *writer, uint64_t hash, const char *name,
			    const struct row *row, uint32_t process,
			    const struct metric_value *value)
{
	struct json_writer *json = &writer->json;
	const struct rows *rows = writer->view->rows;
	struct metric_value own = exclusive_of(value);

	json_line(json);
	json_begin_object(json);
	json_key(json, "node");
	json_begin_object(json);
	json_pair_count(json, "hash", hash);
	json_pair_text(json, "prefix", name);
	write_number_list(json, "tid", row ? row->thread : 0);
	write_number_list(json, "pid", rows->trees[process]->recording->header.pid);
	json_pair_count(json, "depth", row ? row->depth + 1 : 0);
	json_pair_bool(json, "is_dummy", !row);
	if (row)
		write_interval(writer, row);
	json_write_values(writer, "inclusive", value);
	json_write_values(writer, "exclusive", &own);
	json_end_object(json);
	json_key(json, "children");
	json_begin_array(json);
}

static void end_tree_node(struct json_view *writer)
{
	json_end_array(&writer->json);
	json_end_object(&writer->json);
}

static void write_tree_row(struct json_view *writer, size_t index)
{
	const struct rows *rows = writer->view->rows;
	const struct row *row = &rows->rows[index];
	char name[ROW_NAME_MAX];
	struct metric_value value;

	metric_view_value(writer->view, index, &value);
	region_text(rows->regions->regions[row->region], name, sizeof(name));
	begin_tree_node(writer, label_hash(rows, row), name, row, row->process, &value);
}

/* Rows are in the order of the tree: a row closes all that are not above it. */
static void write_process_tree(struct json_view *writer, size_t begin, size_t end, uint32_t rank)
{
	const struct rows *rows = writer->view->rows;
	struct metric_value nothing = {0};
	uint32_t open = 0;

	json_begin_array(&writer->json);
	begin_tree_node(writer, 0, "unknown-hash=0", NULL, rank, &nothing);
	for (size_t row = begin; row < end && !ferror(writer->json.out); row++) {
		for (; open > rows->rows[row].depth; open--)
			end_tree_node(writer);
		write_tree_row(writer, row);
		open++;
	}
	for (; open > 0; open--)
		end_tree_node(writer);
	end_tree_node(writer);
	json_end_array(&writer->json);
}

void metric_write_tree_json(const struct metric_view *view, FILE *out)
{
	struct json_view writer = {.json = {.out = out}, .view = view};
	size_t row = 0;

	begin_document(&writer);
	json_key(&writer.json, "mpi");
	json_begin_array(&writer.json);
	for (uint32_t rank = 0; rank < json_count_ranks(view->rows); rank++) {
		size_t end = end_of_process(view->rows, row, rank);

		write_process_tree(&writer, row, end, rank);
		row = end;
	}
	json_end_array(&writer.json);
	end_document(&writer);
}
