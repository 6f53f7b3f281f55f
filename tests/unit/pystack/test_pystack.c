/* Walks through memory that is as it should be, and as it should not. */
#include "pystack/pystack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "format/format.h"
#include "synthetic_python.h"

#define CAPACITY    32
#define NOT_STARTED KYMO_FRAME_NO_OFFSET

static struct synthetic_python python;
static struct pyframe frames[CAPACITY];
static size_t count;

static const uint16_t versions[] = {0x0308, 0x0309, 0x030a, 0x030b, 0x030c,
				    0x030d, 0x030e, 0x030f, 0x0310};
#define VERSIONS (sizeof(versions) / sizeof(versions[0]))

static enum pystack_status walk(void)
{
	memset(frames, 0xee, sizeof(frames));
	return pystack_walk(&python.runtime, &python.memory, python.thread, frames, CAPACITY,
			    &count);
}

/* The same memory as the process's own, at the addresses it has. */
static enum pystack_status walk_own(void)
{
	void *place = (void *)(uintptr_t)SYNTHETIC_PYTHON_BASE;
	enum pystack_status status;

	place = mmap(place, SYNTHETIC_PYTHON_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_int_equal((uintptr_t)place, SYNTHETIC_PYTHON_BASE);
	memcpy(place, python.bytes, SYNTHETIC_PYTHON_SIZE);
	memset(frames, 0xee, sizeof(frames));
	status = pystack_walk(&python.runtime, NULL, python.thread, frames, CAPACITY, &count);
	munmap(place, SYNTHETIC_PYTHON_SIZE);
	return status;
}

/* The innermost of three frames that were entered by one call from C, or, to 3.10, by one
 * each. */
struct three {
	uint64_t code, outer, middle, inner;
	uint64_t entry; /* cframe or shim, 0 = the version has none */
};

static void make_three(uint16_t version, struct three *three)
{
	const struct pylayout *layout = &python.runtime.layout;
	uint64_t root, current, cframes[4];

	synthetic_python_init(&python, version);
	three->code = synthetic_python_code(&python, 20, 1);
	three->entry = version >= 0x030c ? synthetic_python_shim(&python, 0) : 0;
	three->outer = synthetic_python_frame(&python, three->entry, three->code, 4);
	three->middle = synthetic_python_frame(&python, three->outer, three->code, 8);
	three->inner = synthetic_python_frame(&python, three->middle, three->code, 12);
	synthetic_python_run(&python, three->inner);
	if (layout->thread.cframe == PYLAYOUT_NONE)
		return;
	root = python.thread + 256; /* inside of the thread state */
	if (version == 0x030a) {
		cframes[0] = root;
		for (int i = 1; i < 4; i++)
			cframes[i] = synthetic_python_cframe(&python, cframes[i - 1], 0);
		three->entry = cframes[1];
		synthetic_python_word(&python, python.thread + layout->thread.cframe, cframes[3]);
		return;
	}
	current = synthetic_python_cframe(&python, root, three->inner);
	if (version == 0x030b) {
		three->entry = current;
		synthetic_python_put(&python, three->outer + layout->frame.is_entry, "\1", 1);
	}
	synthetic_python_run(&python, current);
}

static void test_three_frames(void **state)
{
	struct three three;

	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		make_three(versions[i], &three);
		assert_int_equal(walk(), PYSTACK_OK);
		assert_int_equal(count, 3);
		for (unsigned k = 0; k < 3; k++) {
			assert_int_equal(frames[k].code, three.code);
			assert_int_equal(frames[k].offset, 12 - 4 * k);
			assert_int_equal(frames[k].is_entry, versions[i] <= 0x030a || k == 2);
		}
		assert_int_equal(frames[2].c_address, three.entry);
		assert_int_equal(frames[0].c_address != 0, versions[i] == 0x030a);
	}
}

/* Directly, by system call where another thread has the GIL, and where Python ends. */
static void test_own_process(void **state)
{
	struct three three;
	uint64_t gil, room;

	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		const struct pylayout *layout = &python.runtime.layout;
		struct pygil pygil;

		make_three(versions[i], &three);
		/* The frames lie in the room for them of the thread, or, from 3.16 on, anywhere. */
		room = three.outer - 64;
		if (layout->thread.datastack_chunk != PYLAYOUT_NONE)
			synthetic_python_word(&python,
					      python.thread + layout->thread.datastack_chunk, room);
		if (layout->thread.datastack_top != PYLAYOUT_NONE)
			synthetic_python_word(&python, python.thread + layout->thread.datastack_top,
					      three.inner + 128);
		assert_int_equal(walk_own(), PYSTACK_OK);
		assert_int_equal(count, 3);
		assert_int_equal(frames[1].offset, 8);
		assert_true(pygil_read(&python.runtime, &python.memory, python.thread, &pygil));
		assert_int_equal(pygil.holder, python.thread);
		gil = pygil.address;
		synthetic_python_word(&python, gil + layout->gil.last_holder, 0x7000);
		assert_int_equal(walk_own(), PYSTACK_OK);
		assert_int_equal(count, 3);
		assert_int_equal(frames[1].offset, 8);
		synthetic_python_word(&python, python.runtime.runtime + layout->runtime.finalizing,
				      0x7000);
		assert_int_equal(walk_own(), PYSTACK_NONE);
		synthetic_python_word(&python, python.runtime.runtime + layout->runtime.finalizing,
				      python.thread);
		assert_int_equal(walk_own(), PYSTACK_OK);
	}
}

static void test_nothing_runs(void **state)
{
	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		const struct pylayout *layout = &python.runtime.layout;

		synthetic_python_init(&python, versions[i]);
		if (layout->thread.cframe != PYLAYOUT_NONE && versions[i] >= 0x030b)
			synthetic_python_run(&python,
					     synthetic_python_cframe(&python, python.thread, 0));
		assert_int_equal(walk(), PYSTACK_NONE);
		assert_int_equal(count, 0);
	}
	python.thread = 0;
	assert_int_equal(walk(), PYSTACK_NONE);
	python.thread = 12345;
	assert_int_equal(walk(), PYSTACK_TORN);
}

static void test_no_room(void **state)
{
	struct three three;

	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		make_three(versions[i], &three);
		for (size_t room = 0; room < 3; room++) {
			assert_int_equal(pystack_walk(&python.runtime, &python.memory,
						      python.thread, frames, room, &count),
					 PYSTACK_CUT);
			assert_int_equal(count, room);
		}
	}
}

/* Each link and each code pointer, replaced by what it cannot be. */
static void test_hostile_pointers(void **state)
{
	struct three three;

	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		make_three(versions[i], &three);
		const struct pylayout layout = python.runtime.layout;
		const uint64_t wrong[] = {1,
					  4095,
					  three.code + 4,
					  UINT64_MAX - 7,
					  UINT64_C(1) << 63,
					  SYNTHETIC_PYTHON_BASE - 64,
					  SYNTHETIC_PYTHON_BASE + SYNTHETIC_PYTHON_SIZE - 16,
					  three.inner};
		const uint64_t targets[] = {
			three.inner + layout.frame.previous, three.middle + layout.frame.previous,
			three.inner + layout.frame.code, three.outer + layout.frame.code};

		for (size_t t = 0; t < sizeof(targets) / sizeof(targets[0]); t++)
			for (size_t w = 0; w < sizeof(wrong) / sizeof(wrong[0]); w++) {
				make_three(versions[i], &three);
				/* Low bits are tags there. */
				if (t >= 2 && w == 2 && layout.frame.code_is_tagged)
					continue;
				synthetic_python_word(&python, targets[t], wrong[w]);
				assert_int_equal(walk(), PYSTACK_TORN);
				assert_int_equal(count, 0);
			}
	}
}

static void test_cycles(void **state)
{
	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		struct pyframe many[5000];
		struct three three;

		make_three(versions[i], &three);
		synthetic_python_word(&python, three.middle + python.runtime.layout.frame.previous,
				      three.inner);
		assert_int_equal(pystack_walk(&python.runtime, &python.memory, python.thread, many,
					      5000, &count),
				 PYSTACK_TORN);
	}
}

static void test_instructions_outside_of_the_code(void **state)
{
	const uint32_t offsets[] = {40, 41, 5, 1u << 30, (uint32_t)-4};
	struct three three;

	(void)state;
	for (size_t i = 3; i < VERSIONS; i++)
		for (size_t k = 0; k < sizeof(offsets) / sizeof(offsets[0]); k++) {
			make_three(versions[i], &three);
			const struct pylayout *layout = &python.runtime.layout;

			synthetic_python_word(&python, three.middle + layout->frame.instruction,
					      three.code + layout->code.instructions +
						      (uint64_t)(int64_t)(int32_t)offsets[k]);
			assert_int_equal(walk(), PYSTACK_TORN);
		}
}

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

static bool tell_shape(void *context, uint64_t code, struct pycode_shape *out)
{
	++*(int *)((struct synthetic_python *)context)->bytes;
	*out = (struct pycode_shape){.units = 20, .first_traceable = 1};
	return code != 0;
}

static void test_known_shapes(void **state)
{
	struct three three;

	(void)state;
	make_three(0x030d, &three);
	synthetic_python_word(&python, three.code + python.runtime.layout.object.type, 0);
	assert_int_equal(walk(), PYSTACK_TORN);
	python.memory.shape = tell_shape;
	assert_int_equal(walk(), PYSTACK_OK);
	assert_int_equal(count, 3);
	assert_int_equal(*(int *)python.bytes, 3);
}

/* Whatever the bytes are, a walk ends, and stays inside of its room. */
static void test_noise(void **state)
{
	struct pycode_identity identity;
	static struct pycode code;
	uint64_t seed = 88172645463325252u;
	struct three three;
	struct pygil gil;

	(void)state;
	for (size_t i = 0; i < VERSIONS * 300; i++) {
		make_three(versions[i % VERSIONS], &three);
		for (int k = 0; k < 40; k++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			/* Words of it become other addresses inside of it, or anything. */
			uint64_t at =
				(seed >> 8) % (python.next - SYNTHETIC_PYTHON_BASE - 8) & ~7ull;
			uint64_t value = seed & 1 ? SYNTHETIC_PYTHON_BASE + (seed >> 20) % 4096 * 8
						  : seed >> (seed & 63);

			memcpy(python.bytes + at, &value, 8);
		}
		walk();
		assert_true(count <= CAPACITY);
		pycode_identify(&python.runtime, &python.memory, three.code, &identity);
		pycode_read(&python.runtime, &python.memory, three.code, &code);
		pygil_read(&python.runtime, &python.memory, python.thread, &gil);
		pyruntime_is_ready(&python.runtime, &python.memory);
	}
}

/* What an earlier call has left in a cframe: a frame whose code has been freed, together with
 * the page that it was in, which could be read a moment ago. */
static void test_code_that_is_gone(void **state)
{
	const size_t page = 4096;
	void *place = (void *)(uintptr_t)SYNTHETIC_PYTHON_BASE;
	struct three three;
	uint64_t gone;

	(void)state;
	for (size_t i = 3; i < 5; i++) {
		make_three(versions[i], &three);
		const struct pylayout *layout = &python.runtime.layout;

		python.next = (python.next + page - 1) & ~(uint64_t)(page - 1);
		gone = synthetic_python_code(&python, 20, 1);
		synthetic_python_word(&python, three.inner + layout->frame.code, gone);
		synthetic_python_word(&python, three.inner + layout->frame.instruction,
				      gone + layout->code.instructions + 12);
		place = mmap(place, SYNTHETIC_PYTHON_SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		assert_int_equal((uintptr_t)place, SYNTHETIC_PYTHON_BASE);
		memcpy(place, python.bytes, SYNTHETIC_PYTHON_SIZE);
		assert_int_equal(pystack_walk(&python.runtime, NULL, python.thread, frames,
					      CAPACITY, &count),
				 PYSTACK_OK);
		assert_int_equal(frames[0].code, gone);
		munmap((void *)(uintptr_t)gone, page); /* then the cframe before counts */
		assert_int_equal(pystack_walk(&python.runtime, NULL, python.thread, frames,
					      CAPACITY, &count),
				 PYSTACK_NONE);
		munmap(place, SYNTHETIC_PYTHON_SIZE);
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
		cmocka_unit_test(test_three_frames),
		cmocka_unit_test(test_own_process),
		cmocka_unit_test(test_nothing_runs),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_hostile_pointers),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_instructions_outside_of_the_code),
		cmocka_unit_test(test_frames_not_started),
		cmocka_unit_test(test_prepared_frames),
		cmocka_unit_test(test_frames_that_have_ended),
		cmocka_unit_test(test_cframes_that_do_not_fit),
		cmocka_unit_test(test_cframe_that_is_not_written),
		cmocka_unit_test(test_entry_without_frames),
		cmocka_unit_test(test_entry_without_owner),
		cmocka_unit_test(test_known_shapes),
		cmocka_unit_test(test_code_that_is_gone),
		cmocka_unit_test(test_states_that_are_gone),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
