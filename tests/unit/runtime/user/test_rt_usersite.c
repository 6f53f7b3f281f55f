/* Sites in a program's source. */
#include "runtime/user/userapi.h"

#include "userapi_fixture.h"

static void sites_and_names(void)
{
	struct kymo_site outer = SITE("outer", KYMO_SITE_REGION);
	struct kymo_site inner = SITE("inner", KYMO_SITE_REGION), other = SITE("inner", 0);
	struct kymo_site phase = SITE("inner", KYMO_SITE_PHASE);
	struct kymo_site point = SITE("work", KYMO_SITE_PROGRESS);

	api = open_api(mode_now);
	for (int i = 0; i < 3; i++) {
		errno = 77;
		CHECK(api->site_begin(&outer) == KYMO_SUCCESS);
		CHECK(api->site_begin(&inner) == KYMO_SUCCESS);
		CHECK(api->site_mark(&point) == KYMO_SUCCESS);
		CHECK(api->site_end(&other) == KYMO_SUCCESS);
		CHECK(api->region_begin("inner") == KYMO_SUCCESS);
		CHECK(api->site_end(&inner) == KYMO_SUCCESS);
		CHECK(api->site_begin(&phase) == KYMO_SUCCESS);
		CHECK(api->phase_end("inner") == KYMO_SUCCESS);
		CHECK(api->region_end("outer") == KYMO_SUCCESS);
		CHECK(errno == 77);
	}
	CHECK(api->progress_begin("job") == KYMO_SUCCESS);
	CHECK(api->progress_end("job") == KYMO_SUCCESS);
	CHECK(inner.region == other.region && inner.region != phase.region);
	CHECK(kymo_thread()->record->resynced == 0);
	kymo_runtime_close(0);
	expect_tree(0, "outer*3(inner*6(work*3) inner*3) job begin*1 job end*1");
	CHECK(warnings("") == 0);
}

IN_ALL_MODES(sites_and_names)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sites_and_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
