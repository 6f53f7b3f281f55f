/* To 3.9, and now and then in 3.10, nothing on the C stack tells which evaluation a frame
 * belongs to, and one that has just been entered, or is about to be left, has no frame that is
 * current: all frames would stand in the evaluations of those that they have called. */
#ifndef KYMO_PYMERGE_BETWEEN_H
#define KYMO_PYMERGE_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

struct pyframe;
struct pymemory;
struct pymerge_evaluation;
struct pymerge_stack;
struct pyruntime;

/* What is_between is, for the thread of that state.  python is that of the stack: where its
 * c_addresses cannot be right they are taken out.  Context: any. */
bool pymerge_is_between(const struct pyruntime *runtime, const struct pymemory *memory,
			uint64_t thread, const struct pymerge_evaluation *evaluation,
			const struct pymerge_stack *stack, struct pyframe *python);

#endif
