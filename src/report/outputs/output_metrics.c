/* The files of each metric: which files, and for which metrics. */
#include "report/outputs/output_metrics.h"

#include <stdio.h>

#include "base/text/listitem.h"
#include "config/settings.h"
#include "report/outputs/metric_json.h"
#include "report/outputs/metric_table.h"

static void write_boxed(const struct output_writer *writer, const void *subject, FILE *out)
{
	long long limit = settings_integer(writer->output->settings, SET_MAX_WIDTH);

	metric_write_table(subject, METRIC_BOXED, (unsigned int)limit, out);
}

static void write_flat_json(const struct output_writer *writer, const void *subject, FILE *out)
{
	(void)writer;
	metric_write_flat_json(subject, out);
}

static void write_tree_json(const struct output_writer *writer, const void *subject, FILE *out)
{
	(void)writer;
	metric_write_tree_json(subject, out);
}

static const struct {
	enum setting_id wanted;
	struct document document;
} metric_documents[] = {
	{SET_TEXT_OUTPUT, {"txt", write_boxed}},
	{SET_JSON_OUTPUT, {"json", write_flat_json}},
	{SET_TREE_OUTPUT, {"tree.json", write_tree_json}},
};
#define METRIC_DOCUMENTS (sizeof(metric_documents) / sizeof(*metric_documents))

size_t output_metric_documents(const struct settings *settings)
{
	size_t count = 0;

	for (size_t i = 0; i < METRIC_DOCUMENTS; i++)
		count += settings_bool(settings, metric_documents[i].wanted);
	return count;
}

static void write_metric_files(struct output_writer *writer, const struct metric_view *view)
{
	const struct settings *settings = writer->output->settings;

	for (size_t i = 0; i < METRIC_DOCUMENTS; i++)
		if (settings_bool(settings, SET_FILE_OUTPUT) &&
		    settings_bool(settings, metric_documents[i].wanted))
			output_document_paths(writer, &metric_documents[i].document, view);
	if (settings_bool(settings, SET_COUT_OUTPUT))
		write_boxed(writer, view, stdout);
}

#define SAMPLING_METRICS "sampling_wall_clock,sampling_cpu_clock,sampling_percent"

typedef void metric_fn(struct output_writer *writer, const struct metric_view *view);

static bool output_is_selected(const struct output_writer *writer, const struct metric_view *view)
{
	bool is_of_calls = view->source == METRIC_FROM_ROW || view->source == METRIC_FROM_COUNT;

	return writer->metrics == OUTPUT_ALL_METRICS ||
	       is_of_calls == (writer->metrics == OUTPUT_OF_CALLS);
}

/* Every metric of TIMEMORY_COMPONENTS that was recorded, or all that samples have; the runtime has
 * reported which of them it could not record. */
static void each_listed(struct output_writer *writer, bool is_sampled, metric_fn *act)
{
	const struct settings *settings = writer->output->settings;
	const char *rest =
		is_sampled ? SAMPLING_METRICS : settings_text(settings, SET_TIMEMORY_COMPONENTS);
	const char *item;
	size_t length;

	while (listitem_next(&rest, &item, &length)) {
		struct metric_view view;
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)length, item);
		if (metric_view_init(&view, writer->rows, name, settings, NULL) == KYMO_OK &&
		    output_is_selected(writer, &view))
			act(writer, &view);
	}
}

/* Counters have no names in that setting: all recorded ones are written. */
static void each_counter(struct output_writer *writer, metric_fn *act)
{
	for (unsigned int i = 0; i < writer->rows->metric_count; i++) {
		const struct metric_info *info =
			metric_info((enum kymo_metric)writer->rows->metric_ids[i]);
		struct metric_view view;

		if (info && writer->rows->metric_ids[i] >= KYMO_METRIC_NAMED &&
		    metric_view_init(&view, writer->rows, info->name, writer->output->settings,
				     NULL) == KYMO_OK &&
		    output_is_selected(writer, &view))
			act(writer, &view);
	}
}

static void count_documents(struct output_writer *writer, const struct metric_view *view)
{
	(void)view;
	writer->documents += output_metric_documents(writer->output->settings);
}

void output_metrics_write(struct output_writer *writer, bool is_sampled)
{
	writer->documents = 0;
	each_listed(writer, is_sampled, count_documents);
	each_counter(writer, count_documents);
	each_listed(writer, is_sampled, write_metric_files);
	each_counter(writer, write_metric_files);
}
