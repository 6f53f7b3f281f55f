/* Values that cannot be recorded. */
#include "runtime/user/userapi.h"

#include "userapi_fixture.h"

/* Values that cannot be, and after the end. */

static void bad_values(void)
{
	struct kymo_value unnamed = number(NULL, 1), untyped = {"n", 9, {.number = 1}};
	struct kymo_site nothing = SITE(NULL, KYMO_SITE_REGION);

	api = open_api(NULL);
	CHECK(api->region_begin(NULL) == KYMO_BAD_VALUE && api->region_begin("") == KYMO_BAD_VALUE);
	CHECK(api->region_end(NULL) == KYMO_BAD_VALUE && api->phase_begin(NULL) == KYMO_BAD_VALUE);
	CHECK(api->site_begin(&nothing) == KYMO_BAD_VALUE);
	CHECK(api->site_end(&nothing) == KYMO_BAD_VALUE);
	CHECK(api->site_mark(&nothing) == KYMO_BAD_VALUE);
	CHECK(api->instant("", NULL, 0) == KYMO_BAD_VALUE);
	CHECK(api->progress(NULL) == KYMO_BAD_VALUE);
	CHECK(api->message_send(NULL, 1) == KYMO_BAD_VALUE);
	CHECK(api->thread_label(NULL) == KYMO_BAD_VALUE);
	CHECK(api->counter_set("c", NULL, NAN) == KYMO_BAD_VALUE);
	CHECK(api->counter_add("c", NULL, INFINITY) == KYMO_BAD_VALUE);
	CHECK(api->region_begin_with("r", NULL, 1) == KYMO_BAD_VALUE);
	CHECK(api->region_begin_with("r", &unnamed, 1) == KYMO_BAD_VALUE);
	CHECK(api->instant("i", &untyped, 1) == KYMO_BAD_VALUE);
	CHECK(api->snapshot("a/b") == KYMO_BAD_VALUE && api->snapshot("..") == KYMO_BAD_VALUE);
	CHECK(api->configure(9, NULL, NULL) == KYMO_BAD_VALUE);
	kymo_runtime_close(0);
	expect_tree(0, "");
}

CASE(bad_values)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
