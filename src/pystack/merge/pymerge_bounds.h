/* The address range of the evaluation function: by unwind tables, and the file's symbols. */
#ifndef KYMO_PYMERGE_BOUNDS_H
#define KYMO_PYMERGE_BOUNDS_H

#include <stdbool.h>

struct pymerge_evaluation;
struct pyruntime;

/* The bounds in this process: of the function that covers runtime->evaluate, and of the parts that
 * the compiler moved elsewhere, if the file on disk still has their symbols.  False: not known,
 * *out is empty.  Maps and reads that file, which can take a millisecond.  Context: any. */
bool pymerge_bounds(const struct pyruntime *runtime, struct pymerge_evaluation *out);

#endif
