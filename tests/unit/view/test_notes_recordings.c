/* What the notes say of recordings: state, kinds, clock, modules, metrics, series. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/notes_recordings.h"
#include "view/page_fixture.h"

typedef void (*notes_fn)(const struct page *page, struct json_writer *json);

/* What one of them writes of a recording that is as it is. */
static char *written(struct synthetic *made, notes_fn write)
{
	char *text = NULL;
	size_t length;
	struct json_writer json = {.out = open_memstream(&text, &length), .is_shown = true};
	struct page_fixture fixture;

	assert_non_null(json.out);
	page_fixture_open(&fixture, made);
	json_begin_object(&json);
	write(&fixture.page, &json);
	json_end_object(&json);
	fclose(json.out);
	page_fixture_close(&fixture);
	return text;
}

static void test_closed_recording_tells_its_kinds_and_clock(void **state)
{
	struct synthetic *made = page_fixture_calls();
	char *text;

	(void)state;
	synthetic_header(made)->cost_enter_exit_ps = 1500;
	synthetic_header(made)->startup_ns = 77;
	synthetic_note(made, KYMO_NOTE_INFO, "kymo_version", "9.8");
	synthetic_close(made, US(20));
	text = written(made, page_notes_recordings);
	assert_has(text, "\"pid\":77,");
	assert_has(text, "\"kymo\":\"9.8\",\"state\":\"closed\",");
	assert_has(text, "\"kinds\":[\"call paths\"],\"clock\":\"CLOCK_MONOTONIC\",\"tick_ns\":1,");
	assert_has(text, "\"call_ns\":1.5,");
	assert_has(text, "\"startup_ns\":77,\"threads\":1,");
	assert_has(text, "\"samples\":0,\"lost_samples\":0,\"problems\":0}");
	free(text);
}

static void test_recording_that_was_not_closed_says_why(void **state)
{
	struct synthetic *made = page_fixture_calls();
	char *text = written(made, page_notes_recordings);

	(void)state;
	assert_has(text, "\"state\":\"not closed\",");
	free(text);
	made = page_fixture_calls();
	synthetic_header(made)->state = KYMO_STATE_ABANDONED;
	text = written(made, page_notes_recordings);
	assert_has(text, "\"state\":\"given up or replaced by exec\",");
	free(text);
}

static void test_modules_are_listed_once(void **state)
{
	struct synthetic *made = page_fixture_calls();
	char *text;

	(void)state;
	synthetic_module(made, "/u/prog", "0123", 0x1000, 0x2000, 0);
	synthetic_module(made, "/u/prog", "0123", 0x5000, 0x6000, 0);
	synthetic_module(made, "/u/prog", "4567", 0x7000, 0x8000, 0); /* another build */
	synthetic_module(made, "/u/plain", NULL, 0x9000, 0xa000, 0);
	synthetic_note(made, KYMO_NOTE_MODULE, "/u/prog", "0123");
	synthetic_note(made, KYMO_NOTE_MODULE, "/u/noted", "89");
	synthetic_close(made, US(20));
	text = written(made, page_notes_modules);
	assert_string_equal(text,
			    "{\"modules\":[\n[\"/u/prog\",\"0123\"],\n[\"/u/prog\",\"4567\"],\n"
			    "[\"/u/plain\",null],\n[\"/u/noted\",\"89\"]]}");
	free(text);
}

static void test_metrics_and_series_have_units(void **state)
{
	static const enum kymo_metric metrics[] = {KYMO_METRIC_PEAK_RSS};
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	char *text;

	(void)state;
	synthetic_header(made)->pid = 77;
	synthetic_metrics(made, metrics, 1);
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	synthetic_series(made, "power", "W", KYMO_NO_THREAD);
	synthetic_close(made, US(20));
	text = written(made, page_notes_metrics);
	assert_has(text, "{\"metrics\":[{\"name\":\"peak_rss\",\"unit\":\"");
	assert_has(text, "\"series\":[{\"name\":\"power\",\"unit\":\"W\",\"pid\":77}]}");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_recording_tells_its_kinds_and_clock),
		cmocka_unit_test(test_recording_that_was_not_closed_says_why),
		cmocka_unit_test(test_modules_are_listed_once),
		cmocka_unit_test(test_metrics_and_series_have_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
