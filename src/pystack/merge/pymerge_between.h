/* Up to 3.9, and rarely in 3.10, nothing on the C stack links an evaluation to its frame, and one
 * that has just been entered, or is about to be left, has no current frame: all frames would be
 * matched with the evaluations of their callees. */
#ifndef KYMO_PYMERGE_BETWEEN_H
#define KYMO_PYMERGE_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

struct pyframe;
struct pymemory;
struct pymerge_evaluation;
struct pymerge_stack;
struct pyruntime;

/* Computes is_between for the thread of that state.  python is that of the stack: c_addresses that
 * cannot be right are removed.  Context: any. */
bool pymerge_is_between(const struct pyruntime *runtime, const struct pymemory *memory,
			uint64_t thread, const struct pymerge_evaluation *evaluation,
			const struct pymerge_stack *stack, struct pyframe *python);

#endif
