/* Regions, phases and parameters by name. */
#include "runtime/user/userapi.h"

#include "userapi_fixture.h"

static struct kymo_value text(const char *name, const char *value)
{
	return (struct kymo_value){name, KYMO_TYPE_TEXT, {.text = value}};
}

static void set_parameter(const char *name, int64_t value)
{
	struct kymo_value parameter = number(name, value);

	CHECK(api->parameter(&parameter) == KYMO_SUCCESS);
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

IN_ALL_MODES(taking_turns)
IN_ALL_MODES(parameters)

static void test_parameter_in_a_function(void **state)
{
	(void)state;
	mode_now = modes[2];
	fixture_run(parameter_in_a_function);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taking_turns),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_parameter_in_a_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
