/* What is made ready before anybody needs it. */
#include "patch/apply/patchapply.h"

#include "patch/apply/patchapply_ready.h"
#include "patch/apply/patchapply_write.h"
#include "patchapply_fixture.h"

static void test_ready_changes_nothing(void **unused)
{
	struct made *made = make(0);
	uint8_t choice[FUNCTIONS] = {CHOICE_TAKEN, CHOICE_LEFT};
	unsigned char before[PAGE];
	uint64_t count;

	(void)unused;
	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	memcpy(before, made->text, PAGE);
	patchapply_ready(&made->applied, true);
	assert_true(made->applied.has_text);
	assert_memory_equal(made->text, before, PAGE);
	assert_false(made->is_written[0] || made->is_written[1]);
	assert_int_equal(protection_of(made->text), PROT_READ | PROT_EXEC);
	assert_int_equal(patchapply_write(&made->applied, choice, true, &count), 0);
	assert_int_equal(count, 1);
	assert_false(made->applied.has_text);
	assert_int_equal(call(made, 0), 7);
	assert_int_equal(call(made, 1), 41);
	patchapply_ready(&made->applied, false);
	assert_int_equal(call(made, 0), 7);
	assert_int_equal(patchapply_unwrite(&made->applied), 0);
	assert_memory_equal(made->text, before, PAGE);
	drop(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ready_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
