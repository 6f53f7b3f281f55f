/* The files of a run's metrics.  Private to report/run_output; a work of command/xalloc.h. */
#ifndef KYMO_OUTPUT_METRICS_H
#define KYMO_OUTPUT_METRICS_H

#include "report/outputs/output_document.h"

/* Number of files per metric. */
size_t output_metric_documents(const struct settings *settings);

/* Write those of every selected metric of the writer's rows, and their tables to standard output if
 * selected.  Sets writer->documents. */
void output_metrics_write(struct output_writer *writer, bool is_sampled);

#endif
