/* The common parts of both forms of a metric's JSON.  Private to metric_json.h.  One thread. */
#ifndef KYMO_METRIC_JSON_PARTS_H
#define KYMO_METRIC_JSON_PARTS_H

#include "model/profile/metric_view.h"
#include "text/json_writer.h"

struct json_view {
	struct json_writer json;
	const struct metric_view *view;
};

/* The outer object, with the description of the metric: its lists come in between. */
void metric_json_begin(struct json_view *writer);
void metric_json_end(struct json_view *writer);

/* Keys of the row's object: its value, printed as amount; its statistics; and the bounds of the
 * number of laps, if that is an estimate. */
void metric_json_entry(struct json_view *writer, const struct metric_value *value, double amount);
void metric_json_stats(struct json_view *writer, const struct metric_value *value);
void metric_json_interval(struct json_view *writer, const struct row *row);
uint64_t metric_label_hash(const struct rows *rows, const struct row *row);

/* Rows of one process are adjacent: the end of those from begin on.  If merged, all belong to the
 * first one. */
size_t metric_end_of_process(const struct rows *rows, size_t begin, uint32_t process);
uint32_t metric_count_ranks(const struct rows *rows);

#endif
