/* The files that describe a run: functions.json and metadata.json.  Private to
 * report/run_output. */
#ifndef KYMO_OUTPUT_DESCRIPTIONS_H
#define KYMO_OUTPUT_DESCRIPTIONS_H

#include "report/outputs/output_document.h"

/* Call it before anything is written: reserves a part of the writer's budget for them. */
void output_descriptions_reserve(struct output_writer *writer);
void output_descriptions_write(struct output_writer *writer);

#endif
