/* The names of a run's output files.  One thread. */
#ifndef KYMO_RUN_OUTPUT_NAME_H
#define KYMO_RUN_OUTPUT_NAME_H

#include "report/outputs/run_output_types.h"

struct calltree;

/* Name of an output of the process of tree, see output_file(); the caller frees. */
char *run_output_name(const struct run_output *output, const struct calltree *tree,
		      const char *name, const char *extension);

#endif
