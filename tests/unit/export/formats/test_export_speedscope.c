/* The speedscope document, word for word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
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

static void test_filter_drops_both_ends_of_a_slice(void **state)
{
	const struct export_options options = {.thread = KYMO_NO_THREAD, .filter = "^step"};
	uint32_t thread;
	struct synthetic *made = example(KYMO_HEADER_TRACE, &thread);
	char *text;

	(void)state;
	synthetic_enter(made, thread, RUN, 1000);
	synthetic_enter(made, thread, STEP, 1500);
	synthetic_leave(made, thread, STEP, 2000);
	synthetic_leave(made, thread, RUN, 3000);
	synthetic_close(made, 5000);
	text = exported_text("speedscope", made, &options);
	assert_lines(text, "\"events\":[\n"
			   "{\"type\":\"O\",\"frame\":2,\"at\":1500},\n"
			   "{\"type\":\"C\",\"frame\":2,\"at\":2000}],\"endValue\":2000}");
	free(text);
	synthetic_free(made);
}

static void test_speedscope_of_a_trace(void **state)
{
	uint32_t thread;
	struct synthetic *made = example(KYMO_HEADER_TRACE | KYMO_HEADER_PROFILE, &thread);
	char *text;

	(void)state;
	synthetic_enter(made, thread, RUN, 1000);
	synthetic_leave(made, thread, RUN, 3000);
	synthetic_close(made, 5000);
	text = exported_text("speedscope", made, NULL);
	assert_lines(text, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",");
	assert_lines(text, "{\"name\":\"run\",\"file\":\"/home/u/\\\"a\\\".py\",\"line\":3},\n"
			   "{\"name\":\"step\"}]},\n"
			   "\"profiles\":[\n"
			   "{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"startValue\":0,"
			   "\"name\":\"MainThread\",\"events\":[\n"
			   "{\"type\":\"O\",\"frame\":1,\"at\":1000},\n"
			   "{\"type\":\"C\",\"frame\":1,\"at\":3000}],\"endValue\":3000}],\n"
			   "\"name\":\"a.py\",\"activeProfileIndex\":0,"
			   "\"exporter\":\"kymo@" KYMO_VERSION "\"}\n");
	free(text);
	synthetic_free(made);
}

static void test_speedscope_of_a_tree(void **state)
{
	uint32_t thread;
	struct synthetic *made = example(KYMO_HEADER_PROFILE, &thread);
	char *text;

	(void)state;
	synthetic_enter(made, thread, RUN, 1000);
	synthetic_enter(made, thread, STEP, 1500);
	synthetic_leave(made, thread, STEP, 1700);
	synthetic_leave(made, thread, RUN, 3000);
	synthetic_close(made, 5000);
	text = exported_text("speedscope", made, NULL);
	assert_lines(text, "{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"startValue\":0,"
			   "\"name\":\"MainThread\",\"samples\":[[1],\n[1,2]],"
			   "\"weights\":[1800,200],\"endValue\":2000}]");
	free(text);
	synthetic_free(made);
}

/* Frames are numbered over all recordings, profiles named by their process. */
static void test_speedscope_of_two_processes(void **state)
{
	struct synthetic *made[2];
	struct exported exported;
	uint32_t thread;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		made[i] = example(KYMO_HEADER_TRACE, &thread);
		synthetic_header(made[i])->pid = 100 + i;
		synthetic_header(made[i])->start_realtime_ns += 500 * i;
		synthetic_enter(made[i], thread, STEP, 1000);
		synthetic_leave(made[i], thread, STEP, 2000);
		synthetic_close(made[i], 5000);
	}
	exported = exported_new("speedscope", made, 2, NULL);
	assert_int_equal(exported.status, KYMO_OK);
	assert_lines(exported.data, "\"name\":\"a.py [100] MainThread\",\"events\":[\n"
				    "{\"type\":\"O\",\"frame\":2,");
	assert_lines(exported.data, "\"name\":\"a.py [101] MainThread\",\"events\":[\n"
				    "{\"type\":\"O\",\"frame\":5,");
	exported_free(&exported);
	synthetic_free(made[0]);
	synthetic_free(made[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter_drops_both_ends_of_a_slice),
		cmocka_unit_test(test_speedscope_of_a_trace),
		cmocka_unit_test(test_speedscope_of_a_tree),
		cmocka_unit_test(test_speedscope_of_two_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
