/* One stack of native and Python frames: each run of Python frames replaces its evaluation among
 * the native ones.
 *
 * An evaluation is a native frame whose part of the stack contains an entry's c_address, or, if
 * that is not known, whose address is in the evaluation function.  If runs and evaluations do not
 * match, all frames are kept and the result is marked.  Context: any. */
#ifndef KYMO_PYMERGE_H
#define KYMO_PYMERGE_H

#include "object/unwind/unwind.h"
#include "pystack/pystack.h"

struct pymerge_evaluation { /* bounds of the evaluation function; its parts */
	uint64_t start[4], end[4];
	unsigned int count;
};

struct pymerge_frame {
	bool is_python;
	uint32_t index; /* index into the native or the Python frames */
};

/* True when the frame executes in the evaluation function itself. */
bool pymerge_is_evaluation(const struct pymerge_evaluation *evaluation,
			   const struct unwind_frame *frame);

struct pymerge_stack {
	const struct unwind_frame *native;
	const struct pyframe *python;
	size_t native_count, python_count;
	/* The innermost evaluation is about to begin or to end: it certainly has no run.  Set if
	 * entries have no c_address. */
	bool is_between;
};

struct pymerge_result {
	size_t count;	     /* of frames */
	size_t native_count; /* of them, up to and including the outermost native one */
	bool is_certain; /* every run found its evaluation, or is outside of the native frames */
};

/* merged has space for native_count + python_count, and gets the frames, innermost first.  The
 * evaluations themselves are dropped. */
struct pymerge_result pymerge(const struct pymerge_stack *stack,
			      const struct pymerge_evaluation *evaluation,
			      struct pymerge_frame *merged);

#endif
