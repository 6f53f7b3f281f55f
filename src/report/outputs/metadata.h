/* metadata.json and functions.json of a run: what was recorded, how, and which files hold it.
 * Errors stay in the stream. */
#ifndef KYMO_METADATA_H
#define KYMO_METADATA_H

#include <stdio.h>

#include "report/outputs/run_output_types.h"

struct function_list;

/* Settings, facts, metrics and the files that were written so far. */
void metadata_write(const struct run_output *output, const struct output_file_list *files,
		    FILE *out);
/* Functions that were looked at to be instrumented, and what came of each. */
void functions_write(const struct function_list *functions, FILE *out);

#endif
