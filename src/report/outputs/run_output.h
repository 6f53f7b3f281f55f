/* The output files of a run: the tables and JSON of its metrics, metadata.json and functions.json,
 * named and chosen by the settings.
 *
 * A file that cannot be written is reported through the problem hook and the rest continues.
 * Borrows everything it points to.  One thread. */
#ifndef KYMO_RUN_OUTPUT_H
#define KYMO_RUN_OUTPUT_H

#include <stdio.h>

#include "config/outputname.h"
#include "model/profile/region_union.h"
#include "model/profile/run_facts.h"
#include "report/outputs/run_output_types.h"

/* The limit by OUTPUT_LIMIT_MB for recordings of that size. */
uint64_t run_output_most_bytes(const struct settings *settings, uint64_t recorded_bytes);

/* Tables and JSON of every metric that was selected and recorded, per process with USE_PID;
 * metadata and functions.  Adds to sum, including what it already contains. */
void run_output_write(const struct run_output *output, struct output_sum *sum);

#endif
