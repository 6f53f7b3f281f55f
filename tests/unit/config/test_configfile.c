/* What is no configuration file of any form. */
#include "config/files/configfile.h"

#include "configfile_fixture.h"

static void test_nul_is_refused(void **state)
{
	struct journal journal = {0};
	struct config_sink sink = {&journal, on_assign, on_malformed, on_look_up};

	(void)state;
	assert_int_equal(config_parse("A = 1\n\0B", 8, &sink, NULL), KYMO_FORMAT);
	assert_string_equal(journal.text.data, "!a NUL byte: not a text file@2|");
	textbuf_release(&journal.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nul_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
