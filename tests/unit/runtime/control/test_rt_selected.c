/* Regions that alone are recorded. */
#include "runtime/control/selected.h"

#include "gate_fixture.h"

static void selected(void)
{
	static const char *const settings[] = {"SELECTED_REGIONS='the one' two", "TRACE=ON",
					       "CLOCK=monotonic", NULL};
	uint32_t one, two, other;

	fixture_open(settings);
	thread = kymo_thread();
	one = fixture_region("the one");
	two = fixture_region("two");
	other = fixture_region("other");
	CHECK(!kymo_region_enter(thread, other));
	kymo_user_begin(thread, other);
	kymo_user_begin(thread, one);
	CHECK(kymo_region_enter(thread, other));
	kymo_user_begin(thread, two);
	kymo_user_begin(thread, one);
	CHECK(kymo_user_end(thread, one) == KYMO_USER_ENDED);
	CHECK(kymo_user_end(thread, two) == KYMO_USER_ENDED);
	CHECK(kymo_admits(thread));
	kymo_region_leave(thread, other);
	CHECK(kymo_user_end(thread, one) == KYMO_USER_ENDED);
	CHECK(!kymo_admits(thread));
	CHECK(kymo_user_end(thread, other) == KYMO_USER_ENDED);
	kymo_user_begin(thread, two);
	CHECK(kymo_user_end(thread, two) == KYMO_USER_ENDED);
	CHECK(thread->record->misused_ends == 0 && thread->record->resynced == 0);
	kymo_runtime_close(0);
	expect_tree(0, "the one*1(other*1(two*1(the one*1))) two*1");
}

CASE(selected)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_selected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
