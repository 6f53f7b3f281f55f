/* Annotations through the table of functions: full, ended and forked recordings. */

#include "runtime/user/usernamed.h"
#include "userapi_fixture.h"

/* A buffer that holds one name after the other is not taken for the name it held before. */
static void one_buffer(void)
{
	char name[32];

	api = open_api(mode_now);
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "name %d", i % 3);
		CHECK(api->region_begin(name) == KYMO_SUCCESS);
		CHECK(api->phase_begin(name) == KYMO_SUCCESS);
		CHECK(api->phase_end(name) == KYMO_SUCCESS);
		CHECK(api->region_end(name) == KYMO_SUCCESS);
	}
	kymo_runtime_close(0);
	expect_tree(0, "name 0*100(name 0*100) name 1*100(name 1*100) name 2*100(name 2*100)");
}

/* More open regions than the stack has room for at first, and deeper than paths may be. */
static void deep(void)
{
	const char *const settings[] = {mode_now[0], mode_now[1], "MAX_DEPTH=3", NULL};
	struct kymo_site site = SITE("deep", KYMO_SITE_REGION);

	api = open_api(settings);
	for (int i = 0; i < 5000; i++)
		CHECK(api->site_begin(&site) == KYMO_SUCCESS);
	CHECK(api->progress("point") == KYMO_SUCCESS);
	for (int i = 0; i < 5000; i++)
		CHECK(api->site_end(&site) == KYMO_SUCCESS);
	CHECK(kymo_user_innermost(kymo_thread()) == 0);
	CHECK(kymo_thread()->record->resynced == 0);
	kymo_runtime_close(0);
	if (session.mode & KYMO_MODE_PROFILE)
		expect_tree(0, "deep*1(deep*1(deep*1(deep*4997 point*1)))");
}

static void after_the_end(void)
{
	struct kymo_site site = SITE("site", KYMO_SITE_REGION);

	api = open_api(NULL);
	CHECK(api->site_begin(&site) == KYMO_SUCCESS);
	kymo_runtime_close(0);
	CHECK(api->site_end(&site) == KYMO_OFF && api->site_begin(&site) == KYMO_OFF);
	CHECK(api->region_begin("x") == KYMO_OFF && api->region_end("x") == KYMO_OFF);
	CHECK(api->counter_add("c", NULL, 1) == KYMO_OFF && (api->stop)() == KYMO_OFF);
	CHECK(api->snapshot(NULL) == KYMO_OFF && api->thread_label("t") == KYMO_OFF);
	CHECK(kymo_api_get(KYMO_API_VERSION) == NULL);
	expect_tree(0, "site*1");
	CHECK(warnings("the region 'site' was still open") == 1);
}

/* A full recording: nothing is entered, and nothing that was not entered is ended. */
static void full_recording(void)
{
	static const char *const settings[] = {"RECORD_LIMIT_MB=1", "TRACE=ON", NULL};
	char name[64];
	int result = KYMO_SUCCESS;

	CHECK(dup2(open("/dev/null", O_WRONLY), 2) == 2);
	api = open_api(settings);
	for (unsigned i = 0; i < 100000 && result == KYMO_SUCCESS; i++) {
		snprintf(name, sizeof(name), "%060u", i);
		result = api->region_begin(name);
		if (result == KYMO_SUCCESS)
			CHECK(api->region_end(name) == KYMO_SUCCESS);
	}
	CHECK(result == KYMO_INTERNAL && api->region_end(name) == KYMO_INTERNAL);
	CHECK(api->counter_set("c", NULL, 1) == KYMO_INTERNAL);
	CHECK(kymo_thread()->record->misused_ends == 0);
	kymo_runtime_close(0);
}

static struct kymo_callbacks ours; /* what was there before */
static unsigned called;

static int counting_begin(const char *name)
{
	called++;
	return ours.region_begin(name);
}

static int counting_progress(const char *name)
{
	(void)name;
	called++;
	return 42;
}

static void callbacks(void)
{
	struct kymo_callbacks mine = {.size = sizeof(mine), .region_begin = counting_begin};
	struct kymo_callbacks now = {.size = sizeof(now)};
	struct kymo_site site = SITE("site", KYMO_SITE_REGION);
	struct kymo_site phase = SITE("phase", KYMO_SITE_PHASE);
	struct kymo_site point = SITE("point", KYMO_SITE_PROGRESS);

	api = open_api(NULL);
	ours.size = sizeof(ours);
	CHECK(api->configure(KYMO_CONFIGURE_UNION, &mine, &ours) == KYMO_SUCCESS);
	CHECK(ours.region_begin == userapi_region_begin && ours.region_end);
	CHECK(api->region_begin("r") == KYMO_SUCCESS && api->site_begin(&site) == KYMO_SUCCESS);
	CHECK(api->site_begin(&phase) == KYMO_SUCCESS && called == 2);
	CHECK(api->site_end(&phase) == KYMO_SUCCESS && api->site_end(&site) == KYMO_SUCCESS);
	CHECK(api->region_end("r") == KYMO_SUCCESS);
	mine = ours;
	mine.progress = counting_progress;
	CHECK(api->configure(KYMO_CONFIGURE_INTERSECT, &mine, NULL) == KYMO_SUCCESS);
	CHECK(api->region_begin("gone") == KYMO_NOT_LOADED);
	CHECK(api->site_begin(&site) == KYMO_NOT_LOADED);
	CHECK(api->progress("gone") == KYMO_NOT_LOADED && called == 2);
	CHECK(api->region_end("r") == KYMO_NOT_OPEN);
	CHECK(api->configure(KYMO_CONFIGURE_REPLACE, &mine, &now) == KYMO_SUCCESS);
	CHECK(now.region_begin == NULL && now.progress == NULL && now.size == sizeof(now));
	CHECK(api->progress("mine") == 42 && api->site_mark(&point) == 42 && called == 4);
	CHECK(api->site_begin(&site) == KYMO_SUCCESS && api->site_end(&site) == KYMO_SUCCESS);
	kymo_runtime_close(0);
	expect_tree(0, "r*1(site*1(phase*1)) site*1");
}

static void forked(void)
{
	struct kymo_site site = SITE("site", KYMO_SITE_REGION);
	int status;
	pid_t child;

	api = open_api(NULL);
	CHECK(api->region_begin("around") == KYMO_SUCCESS);
	CHECK(api->site_begin(&site) == KYMO_SUCCESS);
	CHECK(api->counter_add("jobs", "1", 5) == KYMO_SUCCESS);
	child = fork();
	if (child == 0) {
		CHECK(api->counter_add("jobs", "1", 1) == KYMO_SUCCESS);
		CHECK(api->site_end(&site) == KYMO_SUCCESS);
		CHECK(api->site_begin(&site) == KYMO_SUCCESS);
		CHECK(api->site_end(&site) == KYMO_SUCCESS);
		CHECK(api->region_begin("new") == KYMO_SUCCESS);
		CHECK(api->region_end("new") == KYMO_SUCCESS);
		CHECK(api->region_end("around") == KYMO_SUCCESS);
		CHECK(api->region_end("around") == KYMO_NOT_OPEN);
		kymo_runtime_close(0);
		expect_tree(0, "around*0(site*1 new*1)");
		CHECK(warnings("the region 'around' was ended where it was not open") == 1);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(api->site_end(&site) == KYMO_SUCCESS && api->region_end("around") == KYMO_SUCCESS);
	kymo_runtime_close(0);
	expect_tree(0, "around*1(site*1)");
}

IN_ALL_MODES(one_buffer)
IN_ALL_MODES(deep)
CASE(after_the_end)
CASE(full_recording)
CASE(callbacks)
CASE(forked)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_buffer),    cmocka_unit_test(test_deep),
		cmocka_unit_test(test_after_the_end), cmocka_unit_test(test_full_recording),
		cmocka_unit_test(test_callbacks),     cmocka_unit_test(test_forked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
