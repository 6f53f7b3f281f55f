/* Frames of the interpreter, begun, prepared and ended. */
#include "pystack/pystack.h"

#include "pystack/pyruntime.h"
#include "pystack/walk/pystack_walk.h"
#include "pystack_fixture.h"

static void test_frames_not_started(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		synthetic_python_init(&python, versions[i]);
		uint64_t code = synthetic_python_code(&python, 20, 0);

		synthetic_python_run(&python,
				     synthetic_python_frame(&python, 0, code, NOT_STARTED));
		assert_int_equal(walk(), PYSTACK_OK);
		assert_int_equal(count, 1);
		assert_int_equal(frames[0].offset, NOT_STARTED);
	}
}

/* From 3.11 on a frame that is being prepared is left out, unless its run is empty then. */
static void test_prepared_frames(void **state)
{
	struct three three;

	(void)state;
	for (size_t i = 3; i < VERSIONS; i++) {
		uint32_t first = 8;

		make_three(versions[i], &three);
		const struct pylayout *layout = &python.runtime.layout;

		synthetic_python_put(&python, three.code + layout->code.first_traceable, &first, 4);
		/* Now only the inner one, at 12, would have begun at 16. */
		assert_int_equal(walk(), PYSTACK_OK);
		assert_int_equal(count, 1);
		assert_int_equal(frames[0].offset, NOT_STARTED);
		assert_true(frames[0].is_entry);
		first = 5;
		synthetic_python_put(&python, three.code + layout->code.first_traceable, &first, 4);
		assert_int_equal(walk(), PYSTACK_OK);
		assert_int_equal(count, 1);
		assert_int_equal(frames[0].offset, 12);
		assert_true(frames[0].is_entry);
		/* Frames of generators have begun when they are resumed. */
		synthetic_python_put(&python, three.middle + layout->frame.owner,
				     &layout->frame.owner_generator, 1);
		assert_int_equal(walk(), PYSTACK_OK);
		assert_int_equal(count, 2);
	}
}

/* What was left between two reads has no caller, and must not pass for the outermost. */
static void test_frames_that_have_ended(void **state)
{
	struct three three;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		make_three(versions[i], &three);
		const struct pylayout *layout = &python.runtime.layout;

		if (versions[i] == 0x030b)
			synthetic_python_put(&python, three.outer + layout->frame.owner,
					     &layout->frame.owner_generator, 1);
		else
			synthetic_python_put(&python, three.outer + layout->frame.running,
					     versions[i] == 0x030a ? "\377" : "\0", 1);
		assert_int_equal(walk(), PYSTACK_TORN);
	}
}

/* 3.10: an evaluation has its cframe before its frame, and loses it before. */
static void test_cframes_that_do_not_fit(void **state)
{
	const struct pylayout *layout = &python.runtime.layout;
	struct three three;
	uint64_t cframe;

	(void)state;
	make_three(0x030a, &three);
	synthetic_python_run(&python, three.middle); /* inner has not begun, or a greenlet has */
	assert_int_equal(walk(), PYSTACK_OK);
	assert_int_equal(count, 2);
	assert_int_equal(frames[0].c_address, 0);
	assert_int_equal(frames[1].c_address, 0);

	make_three(0x030a, &three); /* inner is about to end */
	cframe = synthetic_python_look(&python, python.thread + layout->thread.cframe);
	cframe = synthetic_python_look(&python, cframe + layout->cframe.previous);
	synthetic_python_word(&python, python.thread + layout->thread.cframe, cframe);
	assert_int_equal(walk(), PYSTACK_OK);
	assert_int_equal(count, 3);
	assert_int_equal(frames[0].c_address, 0);
	assert_int_equal(frames[1].c_address, cframe);
	assert_int_equal(frames[2].c_address, three.entry);

	make_three(0x030a, &three); /* two too few: nothing is known */
	synthetic_python_word(&python, python.thread + layout->thread.cframe, three.entry);
	assert_int_equal(walk(), PYSTACK_OK);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(frames[i].c_address, 0);
}

/* 3.11 and 3.12: a new cframe is current before it is written. */
static void test_cframe_that_is_not_written(void **state)
{
	(void)state;
	for (uint16_t version = 0x030b; version <= 0x030c; version++) {
		struct three three;
		uint64_t cframe, stale, code;

		make_three(version, &three);
		const struct pylayout *layout = &python.runtime.layout;

		cframe = synthetic_python_look(&python, python.thread + layout->thread.cframe);
		/* What was there before: an entry that another frame had called. */
		code = synthetic_python_code(&python, 20, 0);
		stale = version == 0x030c ? synthetic_python_shim(&python, three.middle)
					  : three.middle;
		stale = synthetic_python_frame(&python, stale, code, 2);
		if (version == 0x030b)
			synthetic_python_put(&python, stale + layout->frame.is_entry, "\1", 1);
		synthetic_python_run(&python, synthetic_python_cframe(&python, cframe, stale));
		assert_int_equal(walk_own(), PYSTACK_OK);
		assert_int_equal(count, 3);
		assert_int_equal(frames[0].code, three.code);
		/* Garbage that is no frame at all. */
		synthetic_python_run(&python, synthetic_python_cframe(&python, cframe, 0x1234568));
		assert_int_equal(walk_own(), PYSTACK_OK);
		assert_int_equal(count, 3);
		assert_int_equal(walk(), PYSTACK_TORN); /* another process has gone on */
		/* And one that is written. */
		stale = version == 0x030c ? synthetic_python_shim(&python, three.inner)
					  : three.inner;
		stale = synthetic_python_frame(&python, stale, code, 2);
		if (version == 0x030b)
			synthetic_python_put(&python, stale + layout->frame.is_entry, "\1", 1);
		synthetic_python_run(&python, synthetic_python_cframe(&python, cframe, stale));
		assert_int_equal(walk(), PYSTACK_OK);
		assert_int_equal(count, 4);
		assert_true(frames[0].is_entry && frames[3].is_entry);
	}
}

/* From 3.12 on: on its way out an evaluation has its own frame alone. */
static void test_entry_without_frames(void **state)
{
	struct three three;

	(void)state;
	for (size_t i = 5; i < VERSIONS; i++) {
		make_three(versions[i], &three);
		synthetic_python_run(&python, synthetic_python_shim(&python, three.inner));
		assert_int_equal(walk(), PYSTACK_OK);
		assert_int_equal(count, 3);
		assert_true(frames[2].is_entry);
	}
}

/* From 3.13 on an entry has None for code, and may have been made current before its owner was
 * written. */
static void test_entry_without_owner(void **state)
{
	const struct pylayout *layout = &python.runtime.layout;
	struct three three;
	uint64_t none;

	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		if (versions[i] < 0x030d)
			continue;
		make_three(versions[i], &three);
		none = synthetic_python_room(&python, 16);
		python.runtime.none = none;
		none |= layout->frame.code_is_tagged;
		synthetic_python_word(&python, three.entry + layout->frame.code, none);
		synthetic_python_put(&python, three.entry + layout->frame.owner, "\0", 1);
		assert_int_equal(walk(), PYSTACK_OK);
		assert_int_equal(count, 3);
		assert_true(frames[2].is_entry);
		assert_int_equal(frames[2].c_address, three.entry);
	}
}

static void *first_state(void)
{
	return (void *)(uintptr_t)python.thread;
}

/* States of other threads are freed by these, together with pages that were there a moment
 * ago. */
static void test_states_that_are_gone(void **state)
{
	const size_t page = 4096;
	void *place = (void *)(uintptr_t)SYNTHETIC_PYTHON_BASE;
	struct three three;
	uint64_t gone;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		make_three(versions[i], &three);
		const struct pylayout *layout = &python.runtime.layout;
		const uint64_t interpreter = synthetic_python_look(
			&python, python.runtime.runtime + layout->runtime.interpreters_head);

		python.next = (python.next + page - 1) & ~(uint64_t)(page - 1);
		gone = synthetic_python_room(&python, layout->thread.size);
		synthetic_python_word(&python, gone + layout->thread.interp, interpreter);
		synthetic_python_word(&python, interpreter + layout->interpreter.threads_head,
				      gone);
		if (layout->runtime.tstate_current != PYLAYOUT_NONE)
			synthetic_python_word(
				&python, python.runtime.runtime + layout->runtime.tstate_current,
				gone);
		python.runtime.this_thread = (uintptr_t)first_state;
		python.runtime.code_type = 0; /* it has no type here */
		place = mmap(place, SYNTHETIC_PYTHON_SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		assert_int_equal((uintptr_t)place, SYNTHETIC_PYTHON_BASE);
		memcpy(place, python.bytes, SYNTHETIC_PYTHON_SIZE);
		for (int round = 0; round < 2; round++) {
			assert_int_equal(pyruntime_this_thread(&python.runtime), python.thread);
			assert_int_equal(pyruntime_is_ready(&python.runtime, NULL), round == 0);
			munmap((void *)(uintptr_t)gone, page);
		}
		munmap(place, SYNTHETIC_PYTHON_SIZE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames_not_started),
		cmocka_unit_test(test_prepared_frames),
		cmocka_unit_test(test_frames_that_have_ended),
		cmocka_unit_test(test_cframes_that_do_not_fit),
		cmocka_unit_test(test_cframe_that_is_not_written),
		cmocka_unit_test(test_entry_without_frames),
		cmocka_unit_test(test_entry_without_owner),
		cmocka_unit_test(test_states_that_are_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
