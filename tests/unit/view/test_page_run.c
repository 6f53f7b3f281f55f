/* Section "run": processes, threads and what measuring cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/page_fixture.h"

static void test_processes_and_threads_have_their_times(void **state)
{
	struct synthetic *made = page_fixture_calls();
	char *text;

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, "worker", US(5));
	synthetic_thread_at(made, 1)->system_id = 4321;
	text = page_fixture_section(made, US(2000000), &page_run_section);
	assert_has(text, "\"process_count\":1,\"thread_count\":2,\"calls\":3,");
	assert_has(text, "{\"pid\":77,");
	assert_has(text, "\"start\":0,\"duration\":2,\"is_closed\":true,");
	assert_has(text, "{\"number\":0,");
	assert_has(text,
		   "{\"number\":1,\"id\":4321,\"name\":\"worker\",\"start\":0.000005,\"end\":2,");
	free(text);
}

static void test_secrets_of_the_command_are_masked(void **state)
{
	struct synthetic *made = page_fixture_calls();
	char *text;

	(void)state;
	synthetic_note(made, KYMO_NOTE_INFO, "command", "prog --password=hunter2 x");
	synthetic_note(made, KYMO_NOTE_INFO, "hostname", "node<1>");
	text = page_fixture_section(made, US(20), &page_run_section);
	assert_has(text, "\"command\":\"prog --password=*** x\"");
	assert_lacks(text, "hunter2");
	assert_has(text, "\"host\":\"node\\u003c1>\",\"rank\":null,");
	free(text);
}

static void test_traces_and_samples_are_told(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_TRACE | KYMO_HEADER_ROOT);
	char *text;

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	page_fixture_region(made, "main", 3);
	synthetic_enter(made, 0, MAIN, US(1));
	text = page_fixture_section(made, US(20), &page_run_section);
	assert_has(text, "\"is_sampled\":false,\"has_samples\":false,\"has_trace\":true,");
	free(text);
	text = page_fixture_section(page_fixture_calls(), US(20), &page_run_section);
	assert_has(text, "\"has_trace\":false,");
	assert_lacks(text, "\"shares\"");
	free(text);
}

static void test_served_page_says_so(void **state)
{
	struct synthetic *made = page_fixture_calls();
	struct page_fixture fixture;

	(void)state;
	synthetic_close(made, US(20));
	page_fixture_open(&fixture, made);
	for (int i = 0; i < 2; i++) {
		char *text;

		fixture.page.options.is_served = i;
		text = page_fixture_write(&fixture, &page_run_section);
		assert_has(text, i ? "\"is_served\":true" : "\"is_served\":false");
		free(text);
	}
	page_fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes_and_threads_have_their_times),
		cmocka_unit_test(test_secrets_of_the_command_are_masked),
		cmocka_unit_test(test_traces_and_samples_are_told),
		cmocka_unit_test(test_served_page_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
