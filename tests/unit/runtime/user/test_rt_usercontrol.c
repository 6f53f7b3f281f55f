/* Processes and threads that are stopped by the program. */
#include "runtime/user/userapi.h"

#include "userapi_fixture.h"

static void stopped_process(void)
{
	struct kymo_site site = SITE("site", KYMO_SITE_REGION);

	api = open_api(mode_now);
	CHECK(api->start() == KYMO_NOT_OPEN);
	CHECK(api->site_begin(&site) == KYMO_SUCCESS && api->site_begin(&site) == KYMO_SUCCESS);
	CHECK((api->stop)() == KYMO_SUCCESS && (api->stop)() == KYMO_SUCCESS);
	CHECK(api->site_begin(&site) == KYMO_OFF);
	CHECK(api->progress("point") == KYMO_OFF && api->instant("now", NULL, 0) == KYMO_OFF);
	CHECK(api->counter_set("c", NULL, 1) == KYMO_OFF);
	CHECK(api->site_end(&site) == KYMO_SUCCESS);
	CHECK(api->start() == KYMO_SUCCESS);
	CHECK(api->region_begin("still off") == KYMO_OFF);
	CHECK(api->region_end("still off") == KYMO_SUCCESS);
	CHECK(api->start() == KYMO_SUCCESS && api->start() == KYMO_NOT_OPEN);
	CHECK(api->region_begin("on") == KYMO_SUCCESS && api->region_end("on") == KYMO_SUCCESS);
	CHECK(api->site_end(&site) == KYMO_SUCCESS && api->site_end(&site) == KYMO_SUCCESS);
	CHECK(api->site_end(&site) == KYMO_NOT_OPEN);
	CHECK(kymo_thread()->record->resynced == 0);
	CHECK(kymo_thread()->record->misused_ends == 1);
	kymo_runtime_close(0);
	expect_tree(0, "site*1(site*1) on*1");
}

/* A thread that is stopped enters nothing, but what it entered before ends when it ends. */
static void stopped_thread(void)
{
	api = open_api(mode_now);
	CHECK(api->thread_start() == KYMO_NOT_OPEN);
	CHECK(api->region_begin("before") == KYMO_SUCCESS);
	CHECK(api->thread_stop() == KYMO_SUCCESS && api->thread_stop() == KYMO_SUCCESS);
	CHECK(api->region_begin("inside") == KYMO_OFF);
	CHECK(api->region_end("inside") == KYMO_SUCCESS);
	CHECK(api->thread_start() == KYMO_SUCCESS);
	CHECK(api->region_end("before") == KYMO_SUCCESS);
	CHECK(api->thread_start() == KYMO_SUCCESS && api->thread_start() == KYMO_NOT_OPEN);
	CHECK(api->region_begin("after") == KYMO_SUCCESS);
	CHECK(api->region_end("after") == KYMO_SUCCESS);
	CHECK(kymo_thread()->record->resynced == 0);
	kymo_runtime_close(0);
	expect_tree(0, "before*1 after*1");
}

IN_ALL_MODES(stopped_process)
IN_ALL_MODES(stopped_thread)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stopped_process),
		cmocka_unit_test(test_stopped_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
