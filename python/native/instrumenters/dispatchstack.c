/* The functions that dispatch, by the stack of a callback: its outermost caller is the evaluator,
 * which the interpreter exports.  Serves dispatchfunctions.h. */
#include "instrumenters/dispatchfunctions.h"

#if DISPATCH_IS_KNOWN

#include <string.h>

#include "instrumenters/dispatchprobe.h"
#include "instrumenters/monitoringtool.h"
#include "object/unwind/unwind.h"

#define FRAMES_MAX  12u
#define CALL_BYTES  5u
#define CALL_OPCODE 0xe8 /* call, by a distance */

struct watched {
	uint64_t addresses[FRAMES_MAX]; /* from the callback on; callers: inside of the call */
	size_t count;			/* 0 = there was no event */
};

static struct watched watched[DISPATCH_FUNCTIONS];

/* The stack of the first event of the calls that are made. */
static void dispatchstack_keep(enum dispatch_function function, const PyObject *code)
{
	struct watched *stack = &watched[function];
	struct unwind_frame frames[FRAMES_MAX];
	struct unwind_registers registers;
	const struct unwind_stack unknown = {0, 0};
	enum unwind_end end;

	if (stack->count > 0 || !dispatchprobe_has_code(code))
		return;
	unwind_from_here(&registers);
	stack->count = unwind_self(&registers, &unknown, frames, FRAMES_MAX, &end);
	for (size_t i = 0; i < stack->count; i++)
		stack->addresses[i] = frames[i].address;
}

static PyObject *watch_plain(PyObject *self, PyObject *const *arguments, size_t count,
			     PyObject *keywords)
{
	(void)self, (void)count, (void)keywords;
	dispatchstack_keep(DISPATCH_PLAIN, arguments[0]);
	Py_RETURN_NONE;
}

static PyObject *watch_argument(PyObject *self, PyObject *const *arguments, size_t count,
				PyObject *keywords)
{
	(void)self, (void)count, (void)keywords;
	dispatchstack_keep(DISPATCH_ARGUMENT, arguments[0]);
	Py_RETURN_NONE;
}

static PyObject *watch_two(PyObject *self, PyObject *const *arguments, size_t count,
			   PyObject *keywords)
{
	(void)self, (void)count, (void)keywords;
	dispatchstack_keep(DISPATCH_TWO, arguments[0]);
	Py_RETURN_NONE;
}

/* The function that a call ends at an address in; 0 = it is no call by a distance. */
static uint64_t called_from(uint64_t inside)
{
	const unsigned char *call = (const unsigned char *)(uintptr_t)(inside + 1 - CALL_BYTES);
	uint64_t called, start, end;
	int32_t distance;

	if (call[0] != CALL_OPCODE)
		return 0;
	memcpy(&distance, call + 1, sizeof(distance));
	called = inside + 1 + (uint64_t)(int64_t)distance;
	return unwind_function(called, &start, &end) && start == called ? called : 0;
}

/* The functions in front of the evaluator that are called by a distance, the outermost first:
 * returns how many.  Such a call is of a function's entry, and its callee does what it likes with
 * registers. */
static unsigned list_called(const struct watched *stack, struct dispatch_place *places)
{
	const uint64_t evaluator = (uint64_t)(uintptr_t)_PyEval_EvalFrameDefault;
	unsigned count = 0;

	for (size_t i = 1; i < stack->count; i++) {
		uint64_t start, end, called = called_from(stack->addresses[i]);

		if (called == evaluator)
			break;
		if (called == 0 || !unwind_function(stack->addresses[i - 1], &start, &end) ||
		    start != called)
			continue;
		if (count == DISPATCH_GUESSES)
			break;
		places[count++] = (struct dispatch_place){(const void *)(uintptr_t)start,
							  (size_t)(end - start)};
	}
	for (unsigned i = 0; i < count / 2; i++) {
		struct dispatch_place first = places[i];

		places[i] = places[count - 1 - i];
		places[count - 1 - i] = first;
	}
	return count;
}

const char *dispatchfunctions_by_stack(struct dispatch_probe *probe,
				       struct dispatch_guess guesses[DISPATCH_GUESSES])
{
	static const struct monitoring_binding bindings[] = {
		{"PY_START", watch_plain, false},
		{"PY_RETURN", watch_argument, false},
		{"CALL", watch_two, false},
		{NULL, NULL, false},
	};
	struct dispatch_place places[DISPATCH_GUESSES];
	unsigned count;

	memset(watched, 0, sizeof(watched));
	memset(guesses, 0, DISPATCH_GUESSES * sizeof(*guesses));
	unwind_learn();
	if (monitoringtool_start(bindings) < 0) {
		PyErr_Clear();
		return "sys.monitoring has no free tool id";
	}
	dispatchprobe_call(probe);
	monitoringtool_stop();
	for (int function = 0; function < DISPATCH_FUNCTIONS; function++) {
		count = list_called(&watched[function], places);
		if (count == 0 && function < DISPATCH_NEEDED)
			return "the interpreter's functions are not found";
		for (unsigned i = 0; i < count; i++)
			guesses[i].places[function] = places[i];
	}
	return NULL;
}

#endif
