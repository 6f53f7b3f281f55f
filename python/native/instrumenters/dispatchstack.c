/* The functions that dispatch events, found on the stacks of callbacks: the evaluator calls them.
 *
 * The stacks of two events of one call are equal up to the evaluator's frame, in which the
 * addresses differ; so the evaluator is found even if it has several parts.  Serves
 * dispatchfunctions.h. */
#include "instrumenters/dispatchfunctions.h"

#if DISPATCH_IS_KNOWN

#include <string.h>

#include "instrumenters/dispatchprobe.h"
#include "instrumenters/monitoringtool.h"
#include "object/unwind/unwind.h"

#define FRAMES_MAX  16u
#define CALL_BYTES  5u
#define CALL_OPCODE 0xe8 /* call, by a distance */

struct stack {
	struct unwind_frame frames[FRAMES_MAX]; /* from the callback on */
	size_t count;				/* 0 = there was no event */
};

static struct stack stacks[DISPATCH_FUNCTIONS];

static void keep_stack(enum dispatch_function function, const PyObject *code)
{
	struct stack *stack = &stacks[function];
	struct unwind_registers registers;
	const struct unwind_stack unknown = {0, 0};
	enum unwind_end end;

	if (stack->count > 0 || !dispatchprobe_has_all(code))
		return;
	unwind_from_here(&registers);
	stack->count = unwind_self(&registers, &unknown, stack->frames, FRAMES_MAX, &end);
}

#define WATCH(name, function)                                                                      \
	static PyObject *name(PyObject *self, PyObject *const *arguments, size_t count,            \
			      PyObject *keywords)                                                  \
	{                                                                                          \
		(void)self, (void)count, (void)keywords;                                           \
		keep_stack(function, arguments[0]);                                                \
		Py_RETURN_NONE;                                                                    \
	}
WATCH(watch_plain, DISPATCH_PLAIN)
WATCH(watch_argument, DISPATCH_ARGUMENT)
WATCH(watch_two, DISPATCH_TWO)

static bool is_same(const struct unwind_frame *one, const struct unwind_frame *other)
{
	return one->low == other->low && one->address == other->address;
}

/* The outermost frame in which a stack differs from another one; 0 = there is none. */
static size_t find_evaluator(const struct stack *stack, const struct stack *other)
{
	for (size_t i = 1; i + 1 < stack->count; i++)
		for (size_t j = 1; j + 1 < other->count; j++)
			if (is_same(&stack->frames[i + 1], &other->frames[j + 1]) &&
			    !is_same(&stack->frames[i], &other->frames[j]))
				return i;
	return 0;
}

/* The target of the call instruction that ends at inside; 0 = it is no direct call. */
static uint64_t called_from(uint64_t inside)
{
	const unsigned char *call = (const unsigned char *)(uintptr_t)(inside + 1 - CALL_BYTES);
	int32_t distance;

	if (call[0] != CALL_OPCODE)
		return 0;
	memcpy(&distance, call + 1, sizeof(distance));
	return inside + 1 + (uint64_t)(int64_t)distance;
}

/* The function that the evaluator calls directly, if its frame is the next one. */
static void place_called(const struct stack *stack, size_t evaluator, struct dispatch_place *out)
{
	uint64_t start, end, called = called_from(stack->frames[evaluator].address);

	if (called == 0 || !unwind_function(stack->frames[evaluator - 1].address, &start, &end) ||
	    start != called)
		return;
	*out = (struct dispatch_place){(const void *)(uintptr_t)start, (size_t)(end - start)};
}

static bool are_needed_there(const struct dispatch_guess *guess)
{
	for (int i = 0; i < DISPATCH_NEEDED; i++)
		if (!guess->places[i].start)
			return false;
	return true;
}

const char *dispatchfunctions_by_stack(struct dispatch_probe *probe, struct dispatch_guess *guess)
{
	static const struct monitoring_binding bindings[] = {
		{"PY_START", watch_plain, false},
		{"PY_RETURN", watch_argument, false},
		{"CALL", watch_two, false},
		{NULL, NULL, false},
	};

	memset(stacks, 0, sizeof(stacks));
	memset(guess, 0, sizeof(*guess));
	unwind_learn();
	if (monitoringtool_start(bindings) < 0) {
		PyErr_Clear();
		return "sys.monitoring has no free tool id";
	}
	dispatchprobe_call(probe);
	monitoringtool_stop();
	for (int i = 0; i < DISPATCH_FUNCTIONS; i++) {
		const struct stack *other =
			&stacks[i == DISPATCH_PLAIN ? DISPATCH_ARGUMENT : DISPATCH_PLAIN];
		size_t evaluator = find_evaluator(&stacks[i], other);

		if (evaluator > 0)
			place_called(&stacks[i], evaluator, &guess->places[i]);
	}
	return are_needed_there(guess) ? NULL : "the interpreter's functions are not found";
}

#endif
