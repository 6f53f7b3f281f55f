/* The files of a run's metrics.  Private to report/run_output; a work of command/xalloc.h. */
#ifndef KYMO_OUTPUT_METRICS_H
#define KYMO_OUTPUT_METRICS_H

#include "report/outputs/output_document.h"

/* How many files a metric has. */
size_t output_metric_documents(const struct settings *settings);

/* Those of every metric of the writer's rows that is wanted, and their tables on standard output
 * where that is asked for.  Sets writer->documents. */
void output_metrics_write(struct output_writer *writer, bool is_sampled);

#endif
