/* One stack of native and Python frames: each run of Python frames stands where its
 * evaluation stands among the native ones.
 *
 * An evaluation is a native frame whose part of the stack holds an entry's c_address, or,
 * where that is not known, whose address lies in the evaluation function.  Where runs and
 * evaluations do not fit, all frames are kept and the result is marked.  Context: any. */
#ifndef KYMO_PYMERGE_H
#define KYMO_PYMERGE_H

#include "platform/unwind.h"
#include "pystack/pystack.h"

struct pymerge_evaluation { /* bounds of the evaluation function; its parts */
	uint64_t start[4], end[4];
	unsigned int count;
};

/* The bounds in this process: of the function that covers runtime->evaluate, and of the parts
 * the compiler has put elsewhere, where the file on disk still has the symbols that tell
 * them.  False: not known, *out is empty.  Maps and reads that file, which can take a
 * millisecond.  Context: any. */
bool pymerge_bounds(const struct pyruntime *runtime, struct pymerge_evaluation *out);

struct pymerge_frame {
	bool is_python;
	uint32_t index; /* in the native or in the Python frames */
};

/* merged has room for native_count + python_count.  The evaluations themselves are left
 * out.  *is_certain_out: every run found its evaluation.  Returns the number of frames,
 * innermost first. */
size_t pymerge(const struct unwind_frame *native, size_t native_count, const struct pyframe *python,
	       size_t python_count, const struct pymerge_evaluation *evaluation,
	       struct pymerge_frame *merged, bool *is_certain_out);

#endif
