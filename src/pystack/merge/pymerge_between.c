/* Up to 3.9, and rarely in 3.10, nothing on the C stack links an evaluation to its frame, and one
 * that has just been entered, or is about to be left, has no current frame: all frames would be
 * matched with the evaluations of their callees.
 *
 * There is one evaluation more then, but also when a greenlet was started from another frame's
 * evaluation.  These cases differ in who refers to the outermost frame: its evaluation does, in a
 * register that it or its callee has saved, or its caller, which releases it afterwards. */
#include "pystack/merge/pymerge_between.h"

#include "pystack/merge/pymerge.h"
#include "pystack/pyread.h"
#include "pystack/walk/pywalk_objects.h"

#define WINDOW_MAX 4096u /* bytes; an evaluation needs some hundred */

/* The evaluation at distance count from the innermost; native_count = there is none. */
static size_t find_nth(const struct pymerge_stack *stack,
		       const struct pymerge_evaluation *evaluation, size_t count)
{
	for (size_t i = 0; i < stack->native_count; i++)
		if (pymerge_is_evaluation(evaluation, &stack->native[i]) && count-- == 0)
			return i;
	return stack->native_count;
}

/* The word is on the stack in [low, high). */
static bool between_holds(const struct pymemory *memory, uint64_t low, uint64_t high, uint64_t word)
{
	uint64_t words[32];
	struct pyreader reader;

	if (low % sizeof(word) != 0 || high <= low || high - low > WINDOW_MAX)
		return false;
	pyreader_begin(&reader, memory);
	for (; low < high; low += sizeof(words)) {
		size_t size = high - low < sizeof(words) ? high - low : sizeof(words);

		if (!pyread_checked(&reader, low, words, size))
			return false;
		for (size_t i = 0; i < size / sizeof(word); i++)
			if (words[i] == word)
				return true;
	}
	return false;
}

/* A greenlet has a cframe of its own, in no evaluation: when one of 3.10 that ends has lost its
 * cframe, there are as many as frames, and each would be matched with the caller's. */
static void forget_greenlets(const struct pymerge_evaluation *evaluation,
			     const struct pymerge_stack *stack, struct pyframe *python)
{
	uint64_t address = python[stack->python_count - 1].c_address;

	for (size_t i = 0; address && i + 1 < stack->native_count; i++)
		if (address >= stack->native[i].low && address < stack->native[i + 1].low &&
		    !pymerge_is_evaluation(evaluation, &stack->native[i])) {
			for (size_t k = 0; k < stack->python_count; k++)
				python[k].c_address = 0;
			return;
		}
}

bool pymerge_is_between(const struct pyruntime *runtime, const struct pymemory *memory,
			uint64_t thread, const struct pymerge_evaluation *evaluation,
			const struct pymerge_stack *stack, struct pyframe *python)
{
	uint64_t outermost;
	size_t at;

	if (runtime->layout.thread.frame == PYLAYOUT_NONE || stack->python_count == 0)
		return false;
	forget_greenlets(evaluation, stack, python);
	if (python[0].c_address)
		return false;
	at = find_nth(stack, evaluation, stack->python_count);
	if (at == 0 || at + 1 >= stack->native_count)
		return false;
	outermost = pystack_outermost_object(runtime, memory, thread);
	return outermost &&
	       between_holds(memory, stack->native[at - 1].low,
			     stack->native[at + 2 < stack->native_count ? at + 2 : at + 1].low,
			     outermost);
}
