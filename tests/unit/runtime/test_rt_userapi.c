/* Annotations as a program makes them, through the table of functions: what comes of them in
 * the tree, whatever is collected and whatever the clock is. */
#include "runtime/user/userapi.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>

#include "runtime/user/userstack.h"
#include "user_fixture.h"

#define SITE(name, kind)                                                                           \
	(struct kymo_site)                                                                         \
	{                                                                                          \
		name, NULL, "file.c", 7, kind, 0, 0                                                \
	}

static const struct kymo_api *api;

static struct kymo_value number(const char *name, int64_t value)
{
	return (struct kymo_value){name, KYMO_TYPE_SIGNED, {.number = value}};
}

static struct kymo_value text(const char *name, const char *value)
{
	return (struct kymo_value){name, KYMO_TYPE_TEXT, {.text = value}};
}

static void set_parameter(const char *name, int64_t value)
{
	struct kymo_value parameter = number(name, value);

	CHECK(api->parameter(&parameter) == KYMO_SUCCESS);
}

/* Each mode of collection has functions of its own; the tree is to be the same. */
static const char *const modes[][4] = {
	{"PROFILE=ON", "TRACE=OFF", NULL},
	{"PROFILE=OFF", "TRACE=ON", NULL},
	{"PROFILE=ON", "TRACE=ON", NULL},
	{"PROFILE=ON", "TRACE=ON", "CLOCK=monotonic", NULL},
	{"PROFILE=ON", "TRACE=OFF", "TIMEMORY_COMPONENTS=wall_clock,peak_rss", NULL},
};

static const char *const *mode_now;

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

/* Children that take turns miss the cache of the one entered last. */
static void taking_turns(void)
{
	struct kymo_site first = SITE("first", KYMO_SITE_REGION);
	struct kymo_site second = SITE("second", KYMO_SITE_REGION);

	api = open_api(mode_now);
	for (int i = 0; i < 100; i++) {
		struct kymo_site *site = i % 2 ? &first : &second;

		CHECK(api->site_begin(site) == KYMO_SUCCESS);
		CHECK(api->site_end(site) == KYMO_SUCCESS);
	}
	kymo_runtime_close(0);
	expect_tree(0, "second*50 first*50");
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

static void in_all_modes(void (*body)(void))
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		mode_now = modes[i];
		fixture_run(body);
	}
}

/* A parameter divides the region around it and ends with it. */
static void parameters(void)
{
	struct kymo_value name = text("solver", "cg"), real = {"x", KYMO_TYPE_FLOAT, {.real = 1}};

	api = open_api(mode_now);
	CHECK(api->region_begin("run") == KYMO_SUCCESS);
	for (int i = 0; i < 4; i++) {
		set_parameter("n", i % 2);
		CHECK(api->parameter(&name) == KYMO_SUCCESS);
		CHECK(api->region_begin("step") == KYMO_SUCCESS);
		set_parameter("deep", -INT64_MAX - 1);
		CHECK(api->region_end("step") == KYMO_SUCCESS);
	}
	CHECK(api->region_end("run") == KYMO_SUCCESS);
	CHECK(api->region_begin("after") == KYMO_SUCCESS);
	CHECK(api->region_end("after") == KYMO_SUCCESS);
	CHECK(api->parameter(&real) == KYMO_BAD_VALUE && api->parameter(NULL) == KYMO_BAD_VALUE);
	CHECK(kymo_thread()->record->misused_ends == 0);
	kymo_runtime_close(0);
	expect_tree(0, "run*1(n=0*2(solver=cg*2(step*2(deep=-9223372036854775808*2)))"
		       " n=1*2(solver=cg*2(step*2(deep=-9223372036854775808*2)))) after*1");
	CHECK(warnings("") == 0);
}

/* The region around it need not be a user's: a function that was entered otherwise. */
static void parameter_in_a_function(void)
{
	uint32_t function;

	api = open_api(mode_now);
	function = fixture_region("function");
	for (int i = 0; i < 2; i++) {
		kymo_region_enter(kymo_thread(), function);
		set_parameter("n", i);
		CHECK(api->region_begin("step") == KYMO_SUCCESS);
		CHECK(api->region_end("step") == KYMO_SUCCESS);
		kymo_region_leave(kymo_thread(), function);
	}
	CHECK(kymo_thread()->record->resynced == 0);
	kymo_runtime_close(0);
	expect_tree(0, "function*2(n=0*1(step*1) n=1*1(step*1))");
}

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

#define IN_ALL_MODES(name)                                                                         \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		in_all_modes(name);                                                                \
	}
IN_ALL_MODES(sites_and_names)
IN_ALL_MODES(one_buffer)
IN_ALL_MODES(taking_turns)
IN_ALL_MODES(deep)
IN_ALL_MODES(parameters)
IN_ALL_MODES(stopped_process)
IN_ALL_MODES(stopped_thread)
CASE(bad_values)
CASE(after_the_end)
CASE(full_recording)
CASE(callbacks)
CASE(forked)

static void test_parameter_in_a_function(void **state)
{
	(void)state;
	mode_now = modes[2];
	fixture_run(parameter_in_a_function);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sites_and_names),
		cmocka_unit_test(test_one_buffer),
		cmocka_unit_test(test_taking_turns),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_parameter_in_a_function),
		cmocka_unit_test(test_stopped_process),
		cmocka_unit_test(test_stopped_thread),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_after_the_end),
		cmocka_unit_test(test_full_recording),
		cmocka_unit_test(test_callbacks),
		cmocka_unit_test(test_forked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
