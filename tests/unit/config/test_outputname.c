/* The path rule of outputs. */
#include "config/outputname.h"

#include "outputname_fixture.h"

static void set(const char *name, const char *value)
{
	assert_int_equal(settings_set(settings, name, value, SETTING_FROM_COMMAND, NULL), KYMO_OK);
}

static void test_directory(void **state)
{
	(void)state;
	assert_text(output_directory(&context), "kymo-foo-output/2022-01-31_12.30");
	set("TIME_OUTPUT", "OFF");
	assert_text(output_directory(&context), "kymo-foo-output");
	set("OUTPUT_PATH", "~/out//");
	assert_text(output_directory(&context), "/home/me/out");
	set("OUTPUT_PATH", "");
	assert_text(output_directory(&context), ".");
	set("OUTPUT_PATH", "/");
	set("TIME_OUTPUT", "ON");
	set("TIME_FORMAT", "%Y/%m");
	assert_text(output_directory(&context), "/2022_01");
	set("TIME_FORMAT", "");
	assert_text(output_directory(&context), "/1643632200");
}

static void test_file(void **state)
{
	(void)state;
	assert_text(output_file(&context, "run", "wall_clock", "txt"), "run/wall_clock.txt");
	assert_text(output_file(&context, "run", "perfetto-trace.proto", NULL),
		    "run/perfetto-trace.proto");
	set("OUTPUT_PREFIX", "%tag%/");
	assert_text(output_file(&context, "run", "wall_clock", "txt"), "run/foo/wall_clock.txt");
	set("OUTPUT_PREFIX", "%tag%-");
	context.pid = 42;
	set("USE_PID", "ON");
	assert_text(output_file(&context, "run", "wall_clock", "txt"), "run/foo-wall_clock-42.txt");
	assert_text(output_file(&context, "run", "trace.proto", ""), "run/foo-trace-42.proto");
	assert_text(output_file(&context, "run", "%tag%.x", ""), "run/foo-foo-42.x");
	assert_text(output_file(&context, "run", "/abs/trace.proto", ""), "/abs/trace.proto");
	use_environment(ranked);
	assert_text(output_file(&context, "run", "wall_clock", "txt"), "run/foo-wall_clock-3.txt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_directory),
		CASE(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
