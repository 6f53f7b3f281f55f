/* Configuration as JSON. */
#include "config/files/configfile.h"

#include "configfile_fixture.h"

static void test_json_values(void **state)
{
	(void)state;
	assert_read("{}", "");
	assert_read(" {\n\"A\": true, \"B\":\"x y\",\n\"C\":-1.5e3}\n",
		    "A=true@2|B=x y@2|C=-1.5e3@3|");
	assert_read("{\"A\":null,\"B\":[],\"C\":[\"x\",2,false]}", "B=@1|C=x 2 false@1|");
	assert_read("{\"A\":\"\\u00e4\\ud834\\udd1e\\n\\\"\\\\\\/\"}", "A=ä𝄞\n\"\\/@1|");
}

static void test_json_errors(void **state)
{
	(void)state;
	assert_read("{", "!expected a name in double quotes@1|");
	assert_read("{\"A\":1,\n}", "A=1@1|!expected a name in double quotes@2|");
	assert_read("{\"A\" 1}", "!expected ':' after a name@1|");
	assert_read("{\"A\":1 \"B\":2}", "A=1@1|!expected ',' or '}'@1|");
	assert_read("{\"A\":[1}", "!expected ',' or ']' in a list@1|");
	assert_read("{\"A\":\"x\n\"}", "!a string is not closed@1|");
	assert_read("{\"A\":\"x", "!a string is not closed@1|");
	assert_read("{\"A\":\"\\", "!a string is not closed@1|");
	assert_read("{\"A\":\"\\x\"}", "!unknown escape in a string@1|");
	assert_read("{\"A\":\"\\u0000\"}", "!wrong \\u in a string@1|");
	assert_read("{\"A\":\"\\ud834x\"}", "!half of a \\u pair in a string@1|");
	assert_read("{\"A\":\"\\udd1e\"}", "!half of a \\u pair in a string@1|");
	assert_read("{\"A\":\"\t\"}", "!a control character in a string; write it escaped@1|");
	assert_read("{\"A\":1}\n\nx", "A=1@1|!text after the closing '}'@3|");
	for (const char *const *wrong = (const char *const[]){"01", "1.", "-", "ON", "1e", NULL};
	     *wrong != NULL; wrong++) {
		char text[32];

		snprintf(text, sizeof(text), "{\"A\":%s}", *wrong);
		assert_read(text, "!expected a value: a string in double quotes, a number, true or "
				  "false@1|");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_values),
		cmocka_unit_test(test_json_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
