/* Walks along the stack of a thread that runs on: what is seen in passing, and what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "synthetic_python.h"
#include "pystack/walk/pystack_walk.h"

#define CAPACITY 8

static struct synthetic_python python;
static unsigned char afterwards[SYNTHETIC_PYTHON_SIZE]; /* the memory a moment later */
static struct pyframe frames[CAPACITY];
static size_t count;
static struct {
	struct pycall calls[4];
	uint32_t distances[4];
	size_t count;
	uint32_t distance; /* that is told for every caller */
	bool knows;	   /* every call */
} memory;

static const uint16_t versions[] = {0x030b, 0x030c, 0x030d, 0x030e, 0x030f, 0x0310};
#define VERSIONS (sizeof(versions) / sizeof(*versions))

static const unsigned char *later(void *context, uint64_t address, size_t size)
{
	(void)context;
	if (address < SYNTHETIC_PYTHON_BASE ||
	    address + size > SYNTHETIC_PYTHON_BASE + SYNTHETIC_PYTHON_SIZE)
		return NULL;
	return afterwards + (address - SYNTHETIC_PYTHON_BASE);
}

static void learn(void *context, const struct pycall *call, uint32_t distance)
{
	(void)context;
	assert_in_range(memory.count, 0, 3);
	memory.distances[memory.count] = distance;
	memory.calls[memory.count++] = *call;
}

static bool knows(void *context, const struct pycall *call)
{
	(void)context;
	(void)call;
	return memory.knows;
}

static uint32_t distance_of(void *context, uint64_t caller)
{
	(void)context;
	(void)caller;
	return memory.distance;
}

static const struct pyrunning running = {later, learn, knows, distance_of};

struct stack { /* of three frames, each of a code of its own */
	uint64_t codes[3], outer, middle, inner;
	uint64_t pointer; /* address of the pointer to the innermost one */
	uint64_t end; /* address of where the room for frames ends; from 3.16 on, the pointer's */
};

/* A frame's values are put away while it calls. */
static void set_calling(uint64_t frame, bool is_calling)
{
	const struct pylayout *layout = &python.runtime.layout;
	uint64_t pointer = is_calling ? frame + layout->frame.size : 0;
	int32_t height = is_calling ? 2 : -1;

	if (layout->frame.return_offset != PYLAYOUT_NONE && is_calling)
		synthetic_python_put(&python, frame + layout->frame.return_offset, "\4", 1);
	if (layout->frame.stack_is_pointer)
		synthetic_python_put(&python, frame + layout->frame.stack, &pointer, 8);
	else
		synthetic_python_put(&python, frame + layout->frame.stack, &height, 4);
}

static void make_stack(uint16_t version, struct stack *stack)
{
	const struct pylayout *layout = &python.runtime.layout;
	uint64_t entry, cframe;

	memset(&memory, 0, sizeof(memory));
	synthetic_python_init(&python, version);
	python.memory.running = &running;
	for (int i = 0; i < 3; i++)
		stack->codes[i] = synthetic_python_code(&python, 20, 1);
	entry = version >= 0x030c ? synthetic_python_shim(&python, 0) : 0;
	stack->outer = synthetic_python_frame(&python, entry, stack->codes[0], 4);
	stack->middle = synthetic_python_frame(&python, stack->outer, stack->codes[1], 8);
	stack->inner = synthetic_python_frame(&python, stack->middle, stack->codes[2], 12);
	set_calling(stack->outer, true);
	set_calling(stack->middle, true);
	set_calling(stack->inner, false);
	stack->pointer = python.thread + layout->thread.current_frame;
	stack->end = stack->pointer;
	if (layout->thread.datastack_top != PYLAYOUT_NONE)
		stack->end = python.thread + layout->thread.datastack_top;
	if (version == 0x030b)
		synthetic_python_put(&python, stack->outer + layout->frame.is_entry, "\1", 1);
	if (layout->thread.cframe == PYLAYOUT_NONE) {
		synthetic_python_run(&python, stack->inner);
		if (stack->end != stack->pointer)
			synthetic_python_word(&python, stack->end, stack->inner + 128);
		return;
	}
	cframe = synthetic_python_cframe(&python, python.thread + 256, stack->inner);
	stack->pointer = cframe + layout->cframe.current_frame;
	synthetic_python_word(&python, stack->end, stack->inner + 128);
	synthetic_python_run(&python, cframe);
}

/* What comes behind this has happened when everything was read once. */
static void read_once(void)
{
	memcpy(afterwards, python.bytes, sizeof(afterwards));
}

static void put_later(uint64_t address, uint64_t word)
{
	memcpy(afterwards + (address - SYNTHETIC_PYTHON_BASE), &word, sizeof(word));
}

static void check_frames(const struct stack *stack, size_t expected)
{
	memory.count = 0;
	assert_int_equal(pystack_walk(&python.runtime, &python.memory, python.thread, frames,
				      CAPACITY, &count),
			 PYSTACK_OK);
	assert_int_equal(count, expected);
	for (size_t i = 0; i < expected; i++)
		assert_int_equal(frames[i].code, stack->codes[expected - 1 - i]);
}

static void test_steady_stack_is_learned_from(void **state)
{
	struct stack stack;

	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		make_stack(versions[i], &stack);
		read_once();
		check_frames(&stack, 3);
		assert_int_equal(memory.count, 2);
		assert_int_equal(memory.calls[0].caller, stack.codes[1]);
		assert_int_equal(memory.calls[0].callee, stack.codes[2]);
		assert_int_equal(memory.calls[0].offset, 8);
		assert_int_equal(memory.distances[0], stack.inner - stack.middle);
		assert_int_equal(memory.calls[1].caller, stack.codes[0]);
	}
}

/* The frame behind one that executes was left: it stands there from before, even where the
 * pointer had it and the call is known. */
static void test_frames_that_were_left(void **state)
{
	struct stack stack;

	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		make_stack(versions[i], &stack);
		memory.knows = true;
		set_calling(stack.middle, false);
		read_once();
		check_frames(&stack, 2);
		set_calling(stack.middle, true);
		set_calling(stack.outer, false);
		read_once();
		check_frames(&stack, 1);
	}
}

static uint32_t field(size_t k)
{
	const struct pylayout *layout = &python.runtime.layout;
	const uint32_t fields[] = {layout->frame.instruction, layout->frame.stack,
				   layout->frame.code};

	return fields[k];
}

/* A frame that never called has put its values away to end. */
static void test_frames_that_never_called(void **state)
{
	struct stack stack;

	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		const struct pylayout *layout = &python.runtime.layout;

		make_stack(versions[i], &stack);
		if (layout->frame.return_offset == PYLAYOUT_NONE)
			continue;
		memory.knows = true;
		synthetic_python_put(&python, stack.middle + layout->frame.return_offset, "\0", 1);
		read_once();
		check_frames(&stack, 2);
	}
}

/* The caller went on between the two readings: what it called counts only if it is known to. */
static void test_callers_that_went_on(void **state)
{
	struct stack stack;

	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		for (size_t k = 0; k < 3; k++) {
			make_stack(versions[i], &stack);
			read_once();
			put_later(stack.middle + field(k), stack.codes[0] + 64);
			check_frames(&stack, 2);
			memory.knows = true;
			check_frames(&stack, 3);
		}
	}
}

/* The two readings agree, but the frames had gone meanwhile: what is left of them agrees always. */
static void test_frames_that_had_gone_meanwhile(void **state)
{
	struct stack stack;

	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		make_stack(versions[i], &stack);
		read_once();
		put_later(stack.end, stack.middle);
		check_frames(&stack, stack.end == stack.pointer ? 2 : 1);
		memory.knows = true;
		check_frames(&stack, 3);
	}
}

static void test_calls_made_since_the_pointer_was_read(void **state)
{
	struct stack stack;

	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		make_stack(versions[i], &stack);
		synthetic_python_word(&python, stack.pointer, stack.middle);
		read_once();
		check_frames(&stack, 2); /* where frames of callees lie is not known */
		memory.distance = (uint32_t)(stack.inner - stack.middle);
		check_frames(&stack, 2); /* nor that it is such a call */
		memory.knows = true;
		check_frames(&stack, 3);
		set_calling(stack.middle, false);
		read_once();
		check_frames(&stack, 2);
		/* The pointer itself was there when it was read again. */
		make_stack(versions[i], &stack);
		read_once();
		synthetic_python_word(&python, stack.pointer, stack.middle);
		memory.knows = true;
		check_frames(&stack, 3);
	}
}

/* To 3.12: an evaluation that has just been entered has written nothing.  Where that stays so, the
 * thread waits for a processor; else the answer would be one of before. */
static void test_evaluations_just_entered(void **state)
{
	const uint16_t some[] = {0x030b, 0x030c};
	struct stack stack;
	uint64_t outer, cframe;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct pylayout *layout = &python.runtime.layout;

		make_stack(some[i], &stack);
		outer = stack.pointer - layout->cframe.current_frame;
		cframe = synthetic_python_cframe(&python, outer, 0x1234568);
		synthetic_python_run(&python, cframe);
		read_once();
		check_frames(&stack, 3);
		put_later(cframe + layout->cframe.current_frame, stack.inner);
		assert_int_equal(pystack_walk(&python.runtime, &python.memory, python.thread,
					      frames, CAPACITY, &count),
				 PYSTACK_TORN);
	}
}

/* Without a second reading nothing is left out: the thread stands still. */
static void test_thread_that_stands_still(void **state)
{
	struct stack stack;

	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		make_stack(versions[i], &stack);
		set_calling(stack.middle, false);
		python.memory.running = NULL;
		check_frames(&stack, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady_stack_is_learned_from),
		cmocka_unit_test(test_frames_that_were_left),
		cmocka_unit_test(test_frames_that_never_called),
		cmocka_unit_test(test_callers_that_went_on),
		cmocka_unit_test(test_frames_that_had_gone_meanwhile),
		cmocka_unit_test(test_calls_made_since_the_pointer_was_read),
		cmocka_unit_test(test_evaluations_just_entered),
		cmocka_unit_test(test_thread_that_stands_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
