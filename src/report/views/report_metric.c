/* The table of one metric, as in the output files of a run. */
#include "report/report.h"

#include "command/xalloc.h"
#include "model/profile/metric_view.h"
#include "report/outputs/metric_json.h"
#include "report/outputs/metric_table.h"

static void metric_write(const struct report *report, const struct metric_view *view,
			 const struct settings *settings)
{
	unsigned int limit = (unsigned int)settings_integer(settings, SET_MAX_WIDTH);

	switch (report->options.form) {
	case REPORT_TEXT:
		metric_write_table(view, METRIC_BOXED, limit, report->out);
		break;
	case REPORT_CSV:
		metric_write_table(view, METRIC_CSV, 0, report->out);
		break;
	case REPORT_MARKDOWN:
		metric_write_table(view, METRIC_MARKDOWN, 0, report->out);
		break;
	case REPORT_JSON:
		metric_write_flat_json(view, report->out);
		break;
	}
}

enum kymo_status report_metric(const struct report *report, const char *metric,
			       struct problem *problem)
{
	const struct settings *settings = report->settings;
	struct rows_options options = rows_options_from(settings);
	struct metric_view view;
	struct rows *rows;
	enum kymo_status status;

	options.thread = report->options.thread;
	xneed(rows_new(report->loaded->trees, report->loaded->tree_count, &options, &rows) ==
	      KYMO_OK);
	status = metric_view_init(&view, rows, metric, settings, problem);
	if (status == KYMO_OK)
		metric_write(report, &view, settings);
	rows_free(rows);
	return status;
}
