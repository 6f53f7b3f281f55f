/* Walks through memory that is as it should be, and as it should not. */
#include "pystack/pystack.h"

#include "pystack/pycode.h"
#include "pystack/pyruntime.h"
#include "pystack/walk/pystack_walk.h"
#include "pystack_fixture.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_frames),	 cmocka_unit_test(test_own_process),
		cmocka_unit_test(test_nothing_runs),	 cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_hostile_pointers), cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_known_shapes),	 cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
