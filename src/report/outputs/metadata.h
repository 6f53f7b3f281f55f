/* metadata.json and functions.json of a run: what was recorded, how, and the list of files. Errors
 * stay in the stream. */
#ifndef KYMO_METADATA_H
#define KYMO_METADATA_H

#include <stdio.h>

#include "report/outputs/run_output_types.h"

struct function_list;

/* Settings, facts, metrics and the files written so far. */
void metadata_write(const struct run_output *output, const struct output_file_list *files,
		    FILE *out);
/* Functions considered for instrumentation, and the result for each. */
void functions_write(const struct function_list *functions, FILE *out);

#endif
