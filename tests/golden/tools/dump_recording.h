/* The parts of a recording as JSON; each writes its keys into the object that is open. */
#ifndef KYMO_DUMP_RECORDING_H
#define KYMO_DUMP_RECORDING_H

#include "model/tree/calltree.h"
#include "text/json_writer.h"

void dump_integer(struct json_writer *writer, int64_t number);
/* Whether the counts of functions are in the call trees. */
bool dump_counts_tell(const struct recording *recording);
/* Code objects, stacks and samples. */
void dump_samples(struct json_writer *writer, const struct recording *recording);
/* Of a recording that has instrumented functions. */
void dump_functions(struct json_writer *writer, const struct calltree *tree);
/* Of a merged recording. */
void dump_parts(struct json_writer *writer, const struct recording *recording);

#endif
