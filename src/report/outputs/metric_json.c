/* A metric as timemory's JSON: flat, one list of rows per process. */
#include "report/outputs/metric_json.h"

#include "report/outputs/metric_json_parts.h"

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
	json_pair_count(json, "hash", metric_label_hash(rows, row));
	json_pair_text(json, "prefix", label);
	json_pair_count(json, "depth", row->depth);
	metric_json_entry(writer, &value, value.sum);
	metric_json_stats(writer, &value);
	metric_json_interval(writer, row);
	json_pair_bool(json, "open", row->is_open);
	json_end_object(json);
}

void metric_write_flat_json(const struct metric_view *view, FILE *out)
{
	struct json_view writer = {.json = {.out = out}, .view = view};
	struct json_writer *json = &writer.json;
	size_t row = 0;

	metric_json_begin(&writer);
	json_key(json, "ranks");
	json_begin_array(json);
	for (uint32_t rank = 0; rank < metric_count_ranks(view->rows); rank++) {
		size_t end = metric_end_of_process(view->rows, row, rank);

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
	metric_json_end(&writer);
}
