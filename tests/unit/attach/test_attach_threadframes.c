/* Frames of a thread that was just observed, walked once more. */
#include "attach/python/threadframes.h"

#include <sys/mman.h>
#include <unistd.h>

#include "frames_fixture.h"
#include "synthetic_python.h"

/* Outermost first, as observed, with frames between that are not Python's. */
static uint64_t observed[] = {
	0,
	0,
	0,
	0,
};

static struct watch_thread thread = {.result = WATCH_STACK, .frames = observed, .frame_count = 4};

static int set_up(void **state)
{
	(void)state;
	observed[0] = python_frame(0, 2);
	observed[1] = kymo_frame(KYMO_FRAME_NATIVE, 0x1234);
	observed[2] = python_frame(3, 4);
	observed[3] = kymo_frame(KYMO_FRAME_KERNEL, (uint64_t)SYS_read << 48);
	return 0;
}

static void test_words_from_the_innermost_on(void **state)
{
	(void)state;
	assert_int_equal(threadframes_word(&thread, 0), python_frame(3, 4));
	assert_int_equal(threadframes_word(&thread, 1), python_frame(0, 2));
	assert_int_equal(threadframes_word(&thread, 2), 0);
}

static void test_none(void **state)
{
	struct watch_thread other = thread;
	struct threadframes frames = {.count = 7};

	(void)state;
	watch.options.depth = 16;
	assert_false(threadframes_read(&frames, &watch, &other)); /* it has no state */
	assert_int_equal(frames.count, 0);
	assert_null(frames.frames);
	other.state = 8; /* where nothing can be read */
	remote_init(&watch.remote, getpid());
	watch.python.runtime.layout = *pylayout_newest();
	assert_false(threadframes_read(&frames, &watch, &other));
	assert_null(frames.frames);
	other.result = WATCH_LOST;
	assert_false(threadframes_read(&frames, &watch, &other));
	remote_release(&watch.remote);
}

/* A thread state of 3.8 in this process: two frames, of code that the watch has seen. */
static void make_stack(struct synthetic_python *python)
{
	void *place = (void *)(uintptr_t)SYNTHETIC_PYTHON_BASE;
	uint64_t outer, inner;

	synthetic_python_init(python, 0x0308);
	functions[0].address = synthetic_python_code(python, 20, 1);
	functions[3].address = synthetic_python_code(python, 20, 1);
	outer = synthetic_python_frame(python, 0, functions[0].address, 2);
	inner = synthetic_python_frame(python, outer, functions[3].address, 4);
	synthetic_python_run(python, inner);
	place = mmap(place, SYNTHETIC_PYTHON_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_int_equal((uintptr_t)place, SYNTHETIC_PYTHON_BASE);
	memcpy(place, python->bytes, SYNTHETIC_PYTHON_SIZE);
	watch.python.runtime = python->runtime;
	thread.state = python->thread;
}

static void test_as_far_as_they_are_the_same(void **state)
{
	static struct synthetic_python python;
	struct threadframes frames;

	(void)state;
	make_stack(&python);
	remote_init(&watch.remote, getpid());
	watch.options.depth = 16;
	assert_true(threadframes_read(&frames, &watch, &thread));
	assert_int_equal(frames.count, 2);
	assert_int_equal(frames.frames[0].code, functions[3].address);
	assert_int_equal(frames.frames[1].code, functions[0].address);
	assert_true(frames.addresses[0] > frames.addresses[1]);
	threadframes_release(&frames);
	assert_int_equal(frames.count, 0);

	functions[0].address = 8; /* the caller was another function */
	assert_true(threadframes_read(&frames, &watch, &thread));
	assert_int_equal(frames.count, 1);
	threadframes_release(&frames);
	observed[2] = python_frame(1, 4);
	assert_false(threadframes_read(&frames, &watch, &thread));
	assert_null(frames.frames);
	remote_release(&watch.remote);
	munmap((void *)(uintptr_t)SYNTHETIC_PYTHON_BASE, SYNTHETIC_PYTHON_SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_words_from_the_innermost_on, set_up),
		cmocka_unit_test_setup(test_none, set_up),
		cmocka_unit_test_setup(test_as_far_as_they_are_the_same, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
