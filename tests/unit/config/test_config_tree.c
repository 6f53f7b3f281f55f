/* Nested keys as assignments. */
#include "config/files/configfile.h"

#include "configfile_fixture.h"

static void test_json_of_timemory_tools(void **state)
{
	(void)state;
	assert_read("{\"rocprofsys\": {\"settings\": {\"cereal_class_version\": 2,"
		    "\"ROCPROFSYS_TRACE\": {\"name\": \"trace\", \"value\": true,"
		    "\"categories\": [\"a\", \"b\"]}}}}",
		    "ROCPROFSYS_TRACE=true@1|");
	assert_read("{\"kymo\": {\"TRACE\": \"ON\"}}", "TRACE=ON@1|");
	assert_read("{\"TRACE\": {\"valeu\": 1}}",
		    "!'valeu' is not part of a setting (in 'TRACE')@1|");
	assert_read("{\"output\": {\"path\": \"x\"}}",
		    "!'path' is not part of a setting (in 'output')@1|");
}

static void test_nesting_is_bounded(void **state)
{
	struct textbuf json = {0}, xml = {0};

	(void)state;
	textbuf_text(&json, "{");
	for (int i = 0; i < 100000; i++) {
		textbuf_text(&json, "\"a\":{");
		textbuf_text(&xml, "<a>");
	}
	assert_read(json.data, "!nested too deeply@1|");
	assert_read(xml.data, "!nested too deeply@1|");
	textbuf_release(&json);
	textbuf_release(&xml);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_of_timemory_tools),
		cmocka_unit_test(test_nesting_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
