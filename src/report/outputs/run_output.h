/* The output files of a run: the tables and JSON of its metrics, metadata.json and
 * functions.json, named and chosen by the settings.
 *
 * A file that cannot be written is said through the problem hook and the rest goes on.
 * Borrows everything it points to.  One thread. */
#ifndef KYMO_RUN_OUTPUT_H
#define KYMO_RUN_OUTPUT_H

#include <stdio.h>

#include "config/outputname.h"
#include "model/profile/region_union.h"
#include "model/profile/run_facts.h"
#include "report/outputs/run_output_types.h"

/* What OUTPUT_LIMIT_MB makes of recordings of that size. */
uint64_t run_output_most_bytes(const struct settings *settings, uint64_t recorded_bytes);

/* Tables and JSON of every metric that was asked for and recorded, per process where
 * USE_PID asks for it; metadata and functions.  Adds to sum: what is in it counts. */
void run_output_write(const struct run_output *output, struct output_sum *sum);

#endif
