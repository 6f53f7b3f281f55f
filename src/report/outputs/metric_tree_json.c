/* A metric as timemory's JSON in the form of a tree.
 *
 * For Hatchet, whose reader takes processes from the key "mpi" with or without MPI, and fails on
 * several threads under "graph".  Serves metric_json.h. */
#include "report/outputs/metric_json.h"

#include "report/outputs/metric_json_parts.h"

/* The known values of the exclusive time: its sum and mean. */
static struct metric_value exclusive_of(const struct metric_value *value)
{
	struct metric_value own = {.count = value->count, .has_sum = value->has_sum};

	own.sum = own.self = value->self;
	own.mean = value->count ? value->self / (double)value->count : value->self;
	return own;
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
	metric_json_entry(writer, value, value->sum);
	metric_json_stats(writer, value);
	json_end_object(&writer->json);
}

/* The object of one node, with "children" opened. */
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
		metric_json_interval(writer, row);
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
	begin_tree_node(writer, metric_label_hash(rows, row), name, row, row->process, &value);
}

/* Rows are in the order of the tree: a row closes all that are not its ancestors. */
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

	metric_json_begin(&writer);
	json_key(&writer.json, "mpi");
	json_begin_array(&writer.json);
	for (uint32_t rank = 0; rank < metric_count_ranks(view->rows); rank++) {
		size_t end = metric_end_of_process(view->rows, row, rank);

		write_process_tree(&writer, row, end, rank);
		row = end;
	}
	json_end_array(&writer.json);
	metric_json_end(&writer);
}
