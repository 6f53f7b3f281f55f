/* JSON token by token. */
#include "text/json_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
	struct json_writer json;
	char *text;
	size_t size;
};

static void begin(struct fixture *fixture)
{
	*fixture = (struct fixture){0};
	fixture->json.out = open_memstream(&fixture->text, &fixture->size);
	assert_non_null(fixture->json.out);
}

static void end(struct fixture *fixture, const char *expected)
{
	fclose(fixture->json.out);
	assert_string_equal(fixture->text, expected);
	free(fixture->text);
}

static void test_commas(void **state)
{
	struct fixture fixture;
	struct json_writer *json = &fixture.json;

	(void)state;
	begin(&fixture);
	json_begin_object(json);
	json_key(json, "empty");
	json_begin_array(json);
	json_end_array(json);
	json_key(json, "list");
	json_begin_array(json);
	json_count(json, 1);
	json_bool(json, false);
	json_begin_object(json);
	json_end_object(json);
	json_text(json, NULL);
	json_end_array(json);
	json_pair_text(json, "text", "t");
	json_end_object(json);
	end(&fixture, "{\"empty\":[],\"list\":[1,false,{},null],\"text\":\"t\"}");
}

static void test_texts_are_escaped(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	json_text(&fixture.json, "a\"\\\n\x01\xff");
	end(&fixture, "\"a\\\"\\\\\\n\\u0001\xef\xbf\xbd\"");
}

static void test_long_texts(void **state)
{
	struct fixture fixture;
	char text[3001], expected[6003];

	(void)state;
	memset(text, '"', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	expected[0] = '"';
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		memcpy(expected + 1 + 2 * i, "\\\"", 2);
	memcpy(expected + sizeof(expected) - 2, "\"", 2);
	begin(&fixture);
	json_text(&fixture.json, text);
	end(&fixture, expected);
}

static void test_numbers(void **state)
{
	struct fixture fixture;
	struct json_writer *json = &fixture.json;

	(void)state;
	begin(&fixture);
	json_begin_array(json);
	json_count(json, UINT64_MAX);
	json_number(json, 0);
	json_number(json, -3);
	json_number(json, 0.1);
	json_number(json, 2.5e-6);
	json_number(json, 8.75);
	json_number(json, 1234.1);
	json_number(json, nextafter(5, 0));
	json_number(json, nextafter(1000, 2000));
	json_number(json, 1e-12);
	json_number(json, 123456.75);
	json_number(json, 1e300);
	json_number(json, (double)NAN);
	json_number(json, (double)-INFINITY);
	json_end_array(json);
	end(&fixture,
	    "[18446744073709551615,0,-3,0.1,0.0000025,8.75,1234.1,5,1000,1e-12,123456.75,1e+300,"
	    "null,null]");
}

static void test_lines(void **state)
{
	struct fixture fixture;
	struct json_writer *json = &fixture.json;

	(void)state;
	begin(&fixture);
	json_begin_array(json);
	for (unsigned int i = 0; i < 2; i++) {
		json_line(json);
		json_count(json, i);
	}
	json_end_array(json);
	end(&fixture, "[\n0,\n1]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commas),	   cmocka_unit_test(test_texts_are_escaped),
		cmocka_unit_test(test_long_texts), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
