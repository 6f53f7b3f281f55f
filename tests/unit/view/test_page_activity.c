/* Section "activity": a column of times a thread, and how many threads it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/page_fixture.h"

/* The section for as many threads that are all alike. */
static char *section_of(size_t count)
{
	static const struct loaded_run nothing;
	struct activity_thread *threads = calloc(count + 1, sizeof(*threads));
	struct activities activities = {threads, count};
	struct page_fixture fixture = {.page = {.loaded = &nothing, .activities = &activities}};
	char *text;

	assert_non_null(threads);
	for (size_t i = 0; i < count; i++) {
		threads[i] = (struct activity_thread){
			.process = 1, .thread = (uint32_t)i, .sample_count = 2, .cpu_ns = 10};
		threads[i].ns[0] = 1.5;
		threads[i].ns[1] = -1;
	}
	text = page_fixture_write(&fixture, &page_activity_section);
	free(threads);
	return text;
}

static void test_thread_has_a_column_of_times(void **state)
{
	char *text = section_of(1), expected[64 + 2 * ACTIVITIES] = "\"cpu\":10,\"ns\":[2,0";

	(void)state;
	for (int i = 2; i < ACTIVITIES; i++)
		strcat(expected, ",0");
	strcat(expected, "]}]}</script>");
	assert_has(text, "{\"process\":1,\"thread\":0,\"is_sampled\":false,\"samples\":2,");
	assert_has(text, expected);
	free(text);
}

static void test_activities_are_named_in_their_order(void **state)
{
	char *text = section_of(0), *at = text;

	(void)state;
	for (int i = 0; i < ACTIVITIES; i++) {
		char expected[256];

		snprintf(expected, sizeof(expected),
			 "{\"id\":\"%s\",\"title\":\"%s\",\"is_wait\":%s}",
			 activity_word((enum activity)i), activity_title((enum activity)i),
			 activity_is_wait((enum activity)i) ? "true" : "false");
		at = strstr(at, expected);
		assert_non_null(at);
	}
	assert_has(text, "\"threads\":[]}");
	free(text);
}

static void test_threads_beyond_are_one_entry(void **state)
{
	char *text = section_of(4003);

	(void)state;
	assert_has(text, "\"thread\":3999,");
	assert_lacks(text, "\"thread\":4000,");
	assert_has(text,
		   "{\"threads\":3,\"is_sampled\":false,\"samples\":6,\"cpu\":30,\"ns\":[5,0,");
	free(text);
}

static void test_one_beyond_keeps_its_number(void **state)
{
	char *text = section_of(4001);

	(void)state;
	assert_has(text, "{\"process\":1,\"thread\":4000,");
	assert_lacks(text, "\"threads\":1");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_has_a_column_of_times),
		cmocka_unit_test(test_activities_are_named_in_their_order),
		cmocka_unit_test(test_threads_beyond_are_one_entry),
		cmocka_unit_test(test_one_beyond_keeps_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
