/* Where the evaluation function lies: as unwind tables tell, and the file's symbols. */
#ifndef KYMO_PYMERGE_BOUNDS_H
#define KYMO_PYMERGE_BOUNDS_H

#include <stdbool.h>

struct pymerge_evaluation;
struct pyruntime;

/* The bounds in this process: of the function that covers runtime->evaluate, and of the parts
 * the compiler has put elsewhere, where the file on disk still has the symbols that tell
 * them.  False: not known, *out is empty.  Maps and reads that file, which can take a
 * millisecond.  Context: any. */
bool pymerge_bounds(const struct pyruntime *runtime, struct pymerge_evaluation *out);

#endif
