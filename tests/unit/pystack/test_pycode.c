/* Code objects that frames name. */
#include "pystack/pystack.h"

#include "pystack/walk/pystack_walk.h"
#include "pystack_fixture.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions_outside_of_the_code),
		cmocka_unit_test(test_code_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
