/* The files that describe a run: its functions, and what metadata.json holds.  Private to
 * report/run_output. */
#ifndef KYMO_OUTPUT_DESCRIPTIONS_H
#define KYMO_OUTPUT_DESCRIPTIONS_H

#include "report/outputs/output_document.h"

/* Before anything else is written: sets what the writer keeps of its budget for them. */
void output_descriptions_reserve(struct output_writer *writer);
void output_descriptions_write(struct output_writer *writer);

#endif
