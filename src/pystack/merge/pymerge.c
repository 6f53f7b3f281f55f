/* From the innermost native frame on: frames before an evaluation are copied unchanged, then the
 * evaluation is replaced by its run.
 *
 * An evaluation that has just been entered, or is about to be left, has no run: only the innermost
 * can be one.  The evaluations outside of all runs have none here: they belong to the greenlet or
 * the interpreter that this one was started from, whose frames are in another chain.  That is why
 * runs without an address are matched from the innermost on: missing or surplus ones are at the
 * outer end.  Whether the innermost has one then has to be determined separately. */
#include "pystack/merge/pymerge.h"

struct merge {
	const struct unwind_frame *native;
	const struct pyframe *python;
	size_t native_count, python_count;
	const struct pymerge_evaluation *evaluation;
	struct pymerge_frame *to;
	size_t next_native, next_python, count;
	size_t placed;	   /* runs so far */
	size_t native_end; /* in the merged frames, after the latest native frame */
	bool is_certain;
};

bool pymerge_is_evaluation(const struct pymerge_evaluation *evaluation,
			   const struct unwind_frame *frame)
{
	for (unsigned i = 0; evaluation && i < evaluation->count; i++)
		if (frame->address >= evaluation->start[i] && frame->address < evaluation->end[i])
			return true;
	return false;
}

static bool is_evaluation(const struct merge *merge, size_t index)
{
	return pymerge_is_evaluation(merge->evaluation, &merge->native[index]);
}

static bool pymerge_holds(const struct merge *merge, size_t index, uint64_t address)
{
	if (address < merge->native[index].low)
		return false;
	if (index + 1 < merge->native_count)
		return address < merge->native[index + 1].low;
	return is_evaluation(merge, index); /* the end of its part is not known */
}

/* The native frame from next_native on that is the run's evaluation; native_count = none. */
static size_t find_evaluation(const struct merge *merge, uint64_t c_address)
{
	size_t i = merge->next_native;

	while (i < merge->native_count &&
	       !(c_address ? pymerge_holds(merge, i, c_address) : is_evaluation(merge, i)))
		i++;
	return i;
}

static void take_native(struct merge *merge, size_t end)
{
	for (; merge->next_native < end; merge->next_native++) {
		if (merge->next_python < merge->python_count &&
		    is_evaluation(merge, merge->next_native)) {
			if (merge->placed == 0) {
				merge->placed = 1; /* once: only the innermost one */
				continue;
			}
			merge->is_certain = false;
		}
		merge->to[merge->count++] =
			(struct pymerge_frame){false, (uint32_t)merge->next_native};
		merge->native_end = merge->count;
	}
}

static void take_run(struct merge *merge, size_t end)
{
	for (; merge->next_python < end; merge->next_python++)
		merge->to[merge->count++] =
			(struct pymerge_frame){true, (uint32_t)merge->next_python};
	merge->placed++;
}

/* End of the run that begins at next_python, and the address of its entry. */
static size_t run_end(const struct merge *merge, uint64_t *c_address_out)
{
	size_t i = merge->next_python;

	while (i < merge->python_count && !merge->python[i].is_entry)
		i++;
	*c_address_out = i < merge->python_count ? merge->python[i].c_address : 0;
	return i < merge->python_count ? i + 1 : i;
}

/* A run whose evaluation is not among the native frames: outside of the last of them, or at its
 * address. */
static void take_stray(struct merge *merge, size_t end, uint64_t c_address)
{
	size_t i = merge->next_native;

	while (i < merge->native_count && (c_address == 0 || merge->native[i].low <= c_address))
		i++;
	if (c_address == 0 || i < merge->native_count)
		merge->is_certain = false;
	take_native(merge, i);
	take_run(merge, end);
}

/* The innermost evaluation is dropped, with no run in its place. */
static void skip_evaluation(struct merge *merge)
{
	take_native(merge, find_evaluation(merge, 0));
	if (merge->next_native < merge->native_count)
		merge->next_native++;
	merge->placed = 1;
}

struct pymerge_result pymerge(const struct pymerge_stack *stack,
			      const struct pymerge_evaluation *evaluation,
			      struct pymerge_frame *merged)
{
	struct merge merge = {.native = stack->native,
			      .python = stack->python,
			      .native_count = stack->native_count,
			      .python_count = stack->python_count,
			      .evaluation = evaluation,
			      .to = merged,
			      .is_certain = true};

	if (stack->is_between && merge.python_count > 0 && merge.python[0].c_address == 0)
		skip_evaluation(&merge);
	while (merge.next_python < merge.python_count) {
		uint64_t c_address;
		size_t end = run_end(&merge, &c_address);
		size_t found = find_evaluation(&merge, c_address);

		if (found == merge.native_count) {
			take_stray(&merge, end, c_address);
			continue;
		}
		take_native(&merge, found);
		take_run(&merge, end);
		merge.next_native = found + 1;
		merge.native_end = merge.count;
	}
	take_native(&merge, merge.native_count);
	return (struct pymerge_result){merge.count, merge.native_end, merge.is_certain};
}
