/* JSON as events: depths, escapes, and how far a text that is none was read. */
#include "import/json_events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

struct drawn {
	char text[512];
	size_t most; /* events; then the receiver stops */
};

static bool draw(void *context, enum json_event event, unsigned int depth, struct span text)
{
	static const char kinds[] = "nft#\"k{}[]";
	struct drawn *drawn = context;
	size_t used = strlen(drawn->text);

	snprintf(drawn->text + used, sizeof(drawn->text) - used, "%c%u%.*s ", kinds[event], depth,
		 (int)text.size, text.at);
	return --drawn->most > 0;
}

static struct json_end read_json(const char *text, size_t size, struct drawn *drawn)
{
	struct import_source source = import_source_bytes("x", text, size);
	struct json_end end;

	assert_int_equal(json_events(&source, draw, drawn, &end), KYMO_OK);
	return end;
}

static void test_events_and_depths(void **state)
{
	static const char text[] = "{\"a\": [1, -2.5e3, true, {}], \"b\\n\\u00e9\": null}";
	struct drawn drawn = {.most = 100};
	struct json_end end = read_json(text, sizeof(text) - 1, &drawn);

	(void)state;
	assert_string_equal(drawn.text, "{0 k1a [1 #21 #2-2.5e3 t2 {2 }2 ]1 k1b\n\xc3\xa9 n1 }0 ");
	assert_string_equal(end.why, "");
	assert_int_equal(end.offset, sizeof(text) - 1);
	assert_false(end.is_cut || end.is_stopped);
}

/* Names come from programs: any bytes. */
static void test_texts_need_not_be_utf8(void **state)
{
	struct drawn drawn = {.most = 100};
	struct json_end end = read_json("[\"\xff\"]", 5, &drawn);

	(void)state;
	assert_string_equal(drawn.text, "[0 \"1\xff ]0 ");
	assert_string_equal(end.why, "");
}

static void test_the_receiver_may_stop(void **state)
{
	struct drawn drawn = {.most = 2};
	struct json_end end = read_json("[1, 2, 3]", 9, &drawn);

	(void)state;
	assert_true(end.is_stopped);
	assert_string_equal(end.why, "");
	assert_string_equal(drawn.text, "[0 #11 ");
}

static void test_every_cut_is_known(void **state)
{
	static const char text[] = "{\"a\":[1,{\"b\":null}]}";

	(void)state;
	for (size_t size = 0; size < sizeof(text) - 1; size++) {
		struct drawn drawn = {.most = 100};
		struct json_end end = read_json(text, size, &drawn);

		assert_true(end.is_cut);
		assert_string_equal(end.why, "the JSON text ends too early");
		assert_int_equal(end.offset, size);
	}
}

static void test_what_is_no_json(void **state)
{
	static const char *const texts[] = {"{]",    "[1 2]", "nul",	  "[01]",
					    "{1:2}", "[1]]",  "\"a\nb\"x"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct drawn drawn = {.most = 100};
		struct json_end end = read_json(texts[i], strlen(texts[i]), &drawn);
		size_t length = strlen(end.why);

		if (length == 0)
			fail_msg("%s", texts[i]);
		assert_true(end.why[length - 1] != '.' && end.why[length - 1] != '\n');
	}
}

static void test_nesting_is_bounded(void **state)
{
	static char text[JSON_DEPTH_MAX + 2];
	struct drawn drawn = {.most = 100000};
	struct json_end end;

	(void)state;
	memset(text, '[', sizeof(text));
	end = read_json(text, JSON_DEPTH_MAX, &drawn);
	assert_true(end.is_cut);
	assert_int_equal(end.depth, JSON_DEPTH_MAX);
	end = read_json(text, sizeof(text), &drawn);
	assert_false(end.is_cut || end.is_stopped);
	assert_non_null(strstr(end.why, "deeper than 1000 levels"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_and_depths),
		cmocka_unit_test(test_texts_need_not_be_utf8),
		cmocka_unit_test(test_the_receiver_may_stop),
		cmocka_unit_test(test_every_cut_is_known),
		cmocka_unit_test(test_what_is_no_json),
		cmocka_unit_test(test_nesting_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
