/* The whole page: the viewer around the sections, in one text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/page_fixture.h"

static char *page_of(struct synthetic *made, const struct page_options *options)
{
	struct page_fixture fixture;
	struct problem problem;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	synthetic_close(made, US(20));
	page_fixture_open(&fixture, made);
	assert_int_equal(page_write(fixture.loaded, options, out, &problem), KYMO_OK);
	fclose(out);
	assert_int_equal(strlen(text), length);
	page_fixture_close(&fixture);
	return text;
}

static void test_sections_stand_inside_one_document(void **state)
{
	static const char *const names[] = {"run",	"regions", "flat",    "links",	 "tree-all",
					    "activity", "notes",   "sources", "findings"};
	const struct page_options options = {.timeline_bytes = PAGE_TIMELINE_BYTES};
	char *text = page_of(page_fixture_calls(), &options), *end = strstr(text, "</html>");

	(void)state;
	assert_memory_equal(text, "<!", 2);
	assert_non_null(end);
	assert_null(strstr(end + 1, "<script"));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char mark[64], *at;

		snprintf(mark, sizeof(mark), "\" id=\"kymo-%s\"", names[i]);
		at = strstr(text, mark);
		if (!at)
			fail_msg("no section %s", names[i]);
		assert_true(at < end);
		assert_null(strstr(at + 1, mark));
	}
	free(text);
}

static void test_program_is_the_title_and_no_markup(void **state)
{
	const struct page_options options = {.timeline_bytes = PAGE_TIMELINE_BYTES};
	struct synthetic *made = page_fixture_calls();
	char *text;

	(void)state;
	synthetic_note(made, KYMO_NOTE_INFO, "program", "/u/<b>&");
	text = page_of(made, &options);
	assert_non_null(strstr(text, "<title>"));
	assert_non_null(strstr(text, "<title>&lt;b&gt;&amp;"));
	assert_null(strstr(text, "<b>&"));
	free(text);
}

static void test_only_a_served_page_may_ask_its_server(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct page_options options = {.timeline_bytes = PAGE_TIMELINE_BYTES,
						     .is_served = i};
		char *text = page_of(page_fixture_calls(), &options);
		char *policy = strstr(text, "Content-Security-Policy");

		assert_non_null(policy);
		policy[strcspn(policy, ">")] = '\0';
		assert_int_equal(strstr(policy, "connect-src 'self'") != NULL, i);
		free(text);
	}
}

static void test_window_beyond_the_end_is_refused(void **state)
{
	const struct page_options options = {.timeline_bytes = PAGE_TIMELINE_BYTES,
					     .timeline_from_ns = US(1000)};
	struct synthetic *made = page_fixture_calls();
	struct page_fixture fixture;
	struct problem problem;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	assert_non_null(out);
	synthetic_close(made, US(20));
	page_fixture_open(&fixture, made);
	assert_int_equal(page_write(fixture.loaded, &options, out, &problem), KYMO_USAGE);
	page_fixture_close(&fixture);
	fclose(out);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sections_stand_inside_one_document),
		cmocka_unit_test(test_program_is_the_title_and_no_markup),
		cmocka_unit_test(test_only_a_served_page_may_ask_its_server),
		cmocka_unit_test(test_window_beyond_the_end_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
