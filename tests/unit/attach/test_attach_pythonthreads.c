/* Which thread of the kernel each thread state is, where states do not say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attach/python/pythonthreads.h"

#define THREADS	    300u
#define RUNTIME	    UINT64_C(0x10000)
#define INTERPRETER UINT64_C(0x20000)
#define STATES	    UINT64_C(0x100000)
#define HANDLES	    UINT64_C(0x1000000)
#define STEP	    0x1000u
#define ID_OFFSET   0x2c4 /* in what a handle points to; not where glibc has it */
#define FIRST_ID    1000

static struct pythontarget python;
static size_t reads;
static uint64_t back; /* the state that the last one points to, 0 = none */

static uint64_t word_of_state(uint64_t index, uint64_t offset)
{
	const struct pylayout *layout = &python.runtime.layout;

	if (offset == layout->thread.interp)
		return INTERPRETER;
	if (offset == layout->thread.thread_id)
		return HANDLES + index * STEP;
	if (offset == layout->thread.next && index + 1 < THREADS)
		return STATES + (index + 1) * STEP;
	return offset == layout->thread.next ? back : 0;
}

/* A process with many threads and nothing else. */
static bool read_process(void *context, uint64_t address, void *to, size_t size)
{
	const struct pylayout *layout = &python.runtime.layout;
	uint64_t word = 0;

	(void)context;
	reads++;
	if (address == RUNTIME + layout->runtime.interpreters_head)
		word = INTERPRETER;
	else if (address == INTERPRETER + layout->interpreter.threads_head)
		word = STATES;
	else if (address >= HANDLES && address % STEP == ID_OFFSET)
		word = FIRST_ID + (address - HANDLES) / STEP;
	else if (address >= STATES && address < HANDLES)
		word = word_of_state((address - STATES) / STEP, address % STEP);
	memcpy(to, &word, size);
	return true;
}

static void test_many_threads_are_read_once(void **state)
{
	const struct pymemory memory = {.read = read_process};
	struct pythonthreads threads = {0};
	struct targettasks tasks = {.folder = -1, .count = THREADS};

	(void)state;
	python.runtime.runtime = RUNTIME;
	python.runtime.layout = *pylayout_find(0x030a);
	tasks.tasks = calloc(THREADS, sizeof(*tasks.tasks));
	for (int i = 0; i < (int)THREADS; i++)
		tasks.tasks[i].id = tasks.tasks[i].own_id = FIRST_ID + i;
	assert_true(pythonthreads_list(&threads, &python, &memory, &tasks));
	assert_int_equal(threads.id_offset, ID_OFFSET);
	assert_int_equal(threads.count, THREADS);
	for (int i = 0; i < (int)THREADS; i++)
		assert_int_equal(threads.threads[i].id, FIRST_ID + i);
	assert_in_range(reads, THREADS, 8 * THREADS);
	pythonthreads_release(&threads);
	free(tasks.tasks);
}

/* The list comes back to itself, wherever: it is refused before it was followed for long. */
static void test_lists_without_an_end(void **state)
{
	const struct pymemory memory = {.read = read_process};
	struct targettasks tasks = {.folder = -1};

	(void)state;
	python.runtime.runtime = RUNTIME;
	python.runtime.layout = *pylayout_find(0x030a);
	for (uint64_t to = 0; to < THREADS; to += 23) {
		struct pythonthreads threads = {0};

		back = STATES + to * STEP;
		reads = 0;
		assert_false(pythonthreads_list(&threads, &python, &memory, &tasks));
		assert_in_range(reads, THREADS, 30 * THREADS);
		pythonthreads_release(&threads);
	}
	back = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_threads_are_read_once),
		cmocka_unit_test(test_lists_without_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
