/* Jumps that are lifted and put back. */
#include "patch/apply/patchapply.h"

#include "patch/apply/patchapplied.h"
#include "patch/apply/patchapply_lift.h"
#include "patch/apply/patchapply_write.h"
#include "patchapply_fixture.h"

static struct made *make_written(void)
{
	struct made *made = make(0);
	uint64_t count;

	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	assert_int_equal(patchapply_write(&made->applied, NULL, true, &count), 0);
	assert_int_equal(count, FUNCTIONS);
	return made;
}

static void test_lifts_and_puts_back(void **unused)
{
	struct made *made = make_written();
	uint64_t left = 1;

	(void)unused;
	assert_int_equal(patchapply_lift(&made->applied), 0);
	assert_int_equal(call(made, 0), 7); /* nobody has said that it can be lifted */
	patchapply_pin(&made->applied);
	assert_int_equal(patchapply_lift(&made->applied), 0);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		assert_int_equal(call(made, i), 40 + i);
		assert_false(patchapply_is_in_place(made->is_written[i]));
	}
	assert_int_equal(protection_of(made->text), PROT_READ | PROT_EXEC);
	assert_int_equal(patchapply_put_back(&made->applied, &left), 0);
	assert_int_equal(left, 0);
	assert_int_equal(call(made, 0), 7);
	assert_int_equal(call(made, 1), 7);
	assert_int_equal(protection_of(made->text), PROT_READ | PROT_EXEC);
	assert_int_equal(patchapply_unwrite(&made->applied), 0);
	assert_int_equal(call(made, 0), 40);
	drop(made);
}

static void test_what_is_held_is_put_back_later(void **unused)
{
	struct made *made = make_written();
	uint64_t text = (uint64_t)(uintptr_t)made->text, left;
	uint8_t *bits = calloc(1, patchapply_inner_bytes(&made->applied));

	(void)unused;
	patchapply_pin(&made->applied);
	assert_int_equal(patchapply_lift(&made->applied), 0);
	patchapply_inner_mark(&made->applied, bits);
	for (unsigned i = 0; i < ENTRY_SIZE; i++)
		assert_int_equal(patchapply_is_inner(&made->applied, bits, text + i),
				 i >= 1 && i < 5);
	assert_false(patchapply_is_inner(&made->applied, bits, text - 1));
	assert_false(patchapply_is_inner(&made->applied, bits, text + PAGE));
	patchapply_hold(&made->applied, text + 4);
	assert_int_equal(patchapply_put_back(&made->applied, &left), 0);
	assert_int_equal(left, 1);
	assert_int_equal(call(made, 0), 40);
	assert_int_equal(call(made, 1), 7);
	assert_int_equal(patchapply_put_back(&made->applied, &left), 0);
	assert_int_equal(left, 0);
	assert_int_equal(call(made, 0), 7);
	free(bits);
	drop(made);
}

/* A call that ends among the bytes would come back to them: call rax; nop; nop; nop. */
static void test_calls_inside_are_never_lifted(void **unused)
{
	static const unsigned char inside[] = {0xff, 0xd0, 0x90, 0x90, 0x90};
	struct made *made = make_written();

	(void)unused;
	memcpy(made->writes[1].before, inside, sizeof(inside));
	patchapply_pin(&made->applied);
	assert_int_equal(patchapply_lift(&made->applied), 0);
	assert_int_equal(made->is_written[0], PATCHAPPLY_LIFTED);
	assert_int_equal(made->is_written[1], PATCHAPPLY_PINNED);
	assert_int_equal(call(made, 0), 40);
	assert_int_equal(call(made, 1), 7);
	drop(made);
}

/* A debugger's breakpoint, say: neither taken out nor written over. */
static void test_what_others_changed_stays(void **unused)
{
	struct made *made = make_written();
	uint64_t left;

	(void)unused;
	patchapply_pin(&made->applied);
	assert_int_equal(mprotect(made->text, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	made->text[1] ^= 1;
	assert_int_equal(patchapply_lift(&made->applied), 0);
	assert_int_equal(made->text[0], 0xe9);
	assert_int_equal(call(made, 1), 41);
	made->text[ENTRY_SIZE] = 0xcc;
	assert_int_equal(patchapply_put_back(&made->applied, &left), 0);
	assert_int_equal(left, 1);
	assert_int_equal(made->text[ENTRY_SIZE], 0xcc);
	drop(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lifts_and_puts_back),
		cmocka_unit_test(test_what_is_held_is_put_back_later),
		cmocka_unit_test(test_calls_inside_are_never_lifted),
		cmocka_unit_test(test_what_others_changed_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
