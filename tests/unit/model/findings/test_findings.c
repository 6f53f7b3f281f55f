/* The order of findings, and their names. */
#include "model/findings/findings.h"

#include "findings_fixture.h"

static void test_order_and_names(void **state)
{
	struct fixture fixture;
	struct synthetic *made = MAKE("main", "a`b\n\xff with a name that is longer than anybody "
					      "would like to read in a sentence");

	(void)state;
	synthetic_note(made, KYMO_NOTE_LOSS, "test", "gone");
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	visit(made, 0, 2, 0, 900);
	synthetic_leave(made, 0, 1, 1000);
	fixture = close_one(made, 1000);
	assert_true(fixture.findings->count >= 2);
	for (size_t i = 1; i < fixture.findings->count; i++)
		assert_true(fixture.findings->items[i - 1].cost_s >=
			    fixture.findings->items[i].cost_s);
	assert_string_equal(text_of(&fixture, "own lines"),
			    "`a'b\n\xef\xbf\xbd with a name that is longer than anybody wo...` "
			    "spends 100 % of its time in its own lines: 900 ns, 90 % of all.");
	release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
