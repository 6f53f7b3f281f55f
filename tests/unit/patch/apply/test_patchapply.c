/* Putting a plan into memory, and taking it back. */
#include "patch/apply/patchapply.h"

#include "patch/apply/patchapply_write.h"
#include "patchapply_fixture.h"

static void test_jumps_are_written_and_taken_back(void **unused)
{
	struct made *made = make(0);
	uint64_t count;

	(void)unused;
	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	assert_int_equal(made->applied.vector->first_id, 16);
	assert_int_equal(made->applied.gate->is_off, 0);
	assert_int_equal(protection_of(made->applied.vector), PROT_READ);
	assert_int_equal(protection_of((void *)(uintptr_t)made->applied.code),
			 PROT_READ | PROT_EXEC);
	assert_int_equal(patchapply_write(&made->applied, NULL, true, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(call(made, 0), 7);
	assert_int_equal(call(made, 1), 7);
	assert_int_equal(protection_of(made->text), PROT_READ | PROT_EXEC);
	assert_int_equal(patchapply_unwrite(&made->applied), 0);
	assert_int_equal(call(made, 0), 40);
	assert_int_equal(call(made, 1), 41);
	assert_false(made->is_written[0] || made->is_written[1]);
	drop(made);
}

static void test_the_choice_decides(void **unused)
{
	static const uint8_t choice[FUNCTIONS] = {CHOICE_LEFT, CHOICE_TAKEN};
	struct made *made = make(0);
	uint64_t count;

	(void)unused;
	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	assert_int_equal(patchapply_write(&made->applied, choice, true, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(call(made, 0), 40);
	assert_int_equal(call(made, 1), 7);
	drop(made);
}

/* The plan's own place is taken: the code lies elsewhere within reach and works there. */
static void test_code_is_moved_where_its_place_is_taken(void **unused)
{
	struct made *made = make(0);
	uint64_t wanted = CODE + made->applied.bias, count;
	void *taken = mmap((void *)(uintptr_t)wanted, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	int64_t distance;

	(void)unused;
	assert_true(taken != MAP_FAILED);
	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	if ((uint64_t)(uintptr_t)taken == wanted)
		assert_true(made->applied.moved != 0);
	distance = (int64_t)(made->applied.code - (uint64_t)(uintptr_t)made->text);
	assert_true(distance == (int32_t)distance);
	assert_int_equal(patchapply_write(&made->applied, NULL, true, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(call(made, 0), 7);
	munmap(taken, PAGE);
	drop(made);
}

static void test_places_that_cannot_be_are_refused(void **unused)
{
	struct made *made = make(0);

	(void)unused;
	made->header.vector_address = CODE; /* in the code */
	assert_int_not_equal(patchapply_map(&made->applied, -1, &vector), 0);
	made->header.vector_address = CODE + PAGE;
	made->header.switch_address = CODE + (UINT64_C(1) << 40);
	assert_int_not_equal(patchapply_map(&made->applied, -1, &vector), 0);
	drop(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jumps_are_written_and_taken_back),
		cmocka_unit_test(test_the_choice_decides),
		cmocka_unit_test(test_code_is_moved_where_its_place_is_taken),
		cmocka_unit_test(test_places_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
