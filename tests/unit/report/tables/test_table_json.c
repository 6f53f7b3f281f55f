/* Tables as JSON. */
#include "report/tables/table_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "table_fixture.h"

static void test_json(void **state)
{
	struct capture capture;
	struct json_writer json = {.out = capture_begin(&capture)};

	(void)state;
	table_write_json(&table, &json);
	capture_end(&capture, "[\n"
			      "{\"time\":0.0015,\"calls\":0,\"pid\":12345,\"share\":12.34,"
			      "\"name\":\"größe\"},\n"
			      "{\"time\":0.003,\"calls\":null,\"pid\":12345,\"share\":12.34,"
			      "\"name\":\"say \\\"a,b\\\"\"},\n"
			      "{\"time\":0.0045,\"calls\":24690,\"pid\":12345,\"share\":null,"
			      "\"name\":\"a_long|name_that_may_be_cut\"}]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
