/* The Chrome document, word for word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exported.h"

static struct synthetic *example(uint32_t flags, uint32_t *thread_out)
{
	struct synthetic *made = synthetic_new(flags | KYMO_HEADER_ROOT);
	uint32_t run = synthetic_region(made, KYMO_REGION_PYTHON, "run");
	struct kymo_region *row = synthetic_region_at(made, run);

	row->file = synthetic_string(made, "/home/u/\"a\".py");
	row->line = 3;
	row->argument_count = 1;
	row->local_count = 2;
	row->stack_size = 4;
	synthetic_region(made, KYMO_REGION_USER, "step");
	synthetic_note(made, KYMO_NOTE_INFO, "script", "/home/u/a.py");
	*thread_out = synthetic_thread(made, KYMO_NO_THREAD, "MainThread", 0);
	synthetic_thread_at(made, *thread_out)->system_id = 4242;
	synthetic_header(made)->pid = 4242;
	return made;
}

enum { RUN = 1, STEP = 2 };

/* The document has the lines, in this order and next to each other. */
static void assert_lines(const char *document, const char *lines)
{
	if (!strstr(document, lines))
		assert_string_equal(document, lines);
}

static void test_chrome_pairs(void **state)
{
	uint32_t thread;
	struct synthetic *made = example(KYMO_HEADER_TRACE, &thread);
	char *text;

	(void)state;
	synthetic_enter(made, thread, RUN, 1000);
	synthetic_enter(made, thread, STEP, 1500);
	synthetic_leave(made, thread, STEP, 2001);
	synthetic_leave(made, thread, RUN, 2001);
	synthetic_close(made, 5000);
	text = exported_text("chrome", made, NULL);
	assert_string_equal(
		text,
		"{\"traceEvents\":[\n"
		"{\"ph\":\"M\",\"pid\":4242,\"tid\":4242,\"name\":\"process_name\","
		"\"args\":{\"name\":\"a.py\"}},\n"
		"{\"ph\":\"M\",\"pid\":4242,\"tid\":4242,\"name\":\"thread_name\","
		"\"args\":{\"name\":\"MainThread\"}},\n"
		"{\"ph\":\"B\",\"pid\":4242,\"tid\":4242,\"ts\":1.000,\"name\":\"run\","
		"\"cat\":\"python\",\"args\":{\"file\":\"/home/u/\\\"a\\\".py\",\"line\":3}},\n"
		"{\"ph\":\"B\",\"pid\":4242,\"tid\":4242,\"ts\":1.500,\"name\":\"step\","
		"\"cat\":\"user\"},\n"
		"{\"ph\":\"E\",\"pid\":4242,\"tid\":4242,\"ts\":2.001},\n"
		"{\"ph\":\"E\",\"pid\":4242,\"tid\":4242,\"ts\":2.001}\n"
		"],\n"
		"\"displayTimeUnit\":\"ns\",\n"
		"\"otherData\":{\"exporter\":\"kymo " KYMO_VERSION "\","
		"\"origin_realtime_ns\":\"1700000000000000000\"}}\n");
	free(text);
	synthetic_free(made);
}

static void test_chrome_annotations(void **state)
{
	const struct export_options plain = {.thread = KYMO_NO_THREAD};
	uint32_t thread;
	struct synthetic *made = example(KYMO_HEADER_TRACE, &thread);
	char *text;

	(void)state;
	synthetic_event(made, thread, KYMO_EVENT_ANNOTATED, RUN, 10, 26 | UINT64_C(7) << 32);
	synthetic_event(made, thread, KYMO_EVENT_RESUME, STEP, 20, 99);
	synthetic_event(made, thread, KYMO_EVENT_UNWIND, STEP, 30, 0);
	synthetic_extended(made, thread, KYMO_EXTENDED_LOST, 40, 5);
	synthetic_extended(made, thread, KYMO_EXTENDED_INSTANT, 50, STEP);
	text = exported_text("chrome", made, NULL);
	assert_lines(text, "\"line\":3,\"lasti\":26,\"argcount\":1,\"nlocals\":2,"
			   "\"stacksize\":4,\"generator\":7}},\n");
	assert_lines(text, "\"cat\":\"user\",\"args\":{\"generator\":99}},\n");
	assert_lines(text, "\"ts\":0.030,\"args\":{\"left by exception\":1}},\n");
	assert_lines(text, "{\"ph\":\"i\",\"pid\":4242,\"tid\":4242,\"ts\":0.040,\"s\":\"t\","
			   "\"name\":\"lost events\",\"args\":{\"count\":5}},\n");
	assert_lines(text, "\"ts\":0.050,\"s\":\"t\",\"name\":\"step\",\"cat\":\"user\"},\n");
	/* It was open when the recording broke off. */
	assert_lines(text, "\"args\":{\"unfinished\":1}}\n]");
	free(text);
	text = exported_text("chrome", made, &plain);
	assert_null(strstr(text, "lasti"));
	assert_null(strstr(text, "\"file\""));
	assert_null(strstr(text, "unfinished"));
	assert_non_null(strstr(text, "lost events"));
	free(text);
	synthetic_free(made);
}

static void test_chrome_counters(void **state)
{
	uint32_t thread, series;
	struct synthetic *made = example(KYMO_HEADER_TRACE, &thread);
	char *text;

	(void)state;
	series = synthetic_series(made, "CPU Memory Usage", "MB", KYMO_NO_THREAD);
	synthetic_point(made, series, 100, 1.5);
	synthetic_point(made, series, 200, (double)NAN);
	synthetic_close(made, 5000);
	text = exported_text("chrome", made, NULL);
	assert_lines(text, "{\"ph\":\"C\",\"pid\":4242,\"name\":\"CPU Memory Usage\","
			   "\"ts\":0.100,\"args\":{\"value\":1.5}}\n]");
	free(text);
	synthetic_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chrome_pairs),
		cmocka_unit_test(test_chrome_annotations),
		cmocka_unit_test(test_chrome_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
