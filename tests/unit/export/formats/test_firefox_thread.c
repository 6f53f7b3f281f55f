/* Tables of a thread: what is the same is one row, and rows refer to each other. */
#include "export/formats/firefox_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "export/sink_fixture.h"

enum { MAIN, WORK, NATIVE, REGIONS };

static struct region regions[REGIONS] = {
	[MAIN] = {.kind = KYMO_REGION_PYTHON, .name = "main", .file = "/u/a.py", .line = 3},
	[WORK] = {.kind = KYMO_REGION_PYTHON, .name = "work", .file = "/u/a.py", .line = 9},
	[NATIVE] = {.kind = KYMO_REGION_NATIVE, .name = "say \"hi\""},
};
static const struct recording recording = {.regions = regions, .region_count = REGIONS};

static struct firefox_thread thread_new(void)
{
	struct firefox_thread thread;

	firefox_thread_init(&thread, &recording);
	return thread;
}

static char *written(struct firefox_thread *thread)
{
	struct sunk sunk;

	sunk_begin(&sunk);
	firefox_thread_write(thread, sunk.sink);
	sunk_end(&sunk);
	firefox_thread_release(thread);
	return (char *)sunk.data;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in: %s", part, text);
}

static void test_same_stack_is_one_row(void **state)
{
	struct firefox_thread thread = thread_new();
	uint32_t outer = firefox_thread_stack(&thread, FIREFOX_NONE, MAIN),
		 inner = firefox_thread_stack(&thread, outer, WORK);

	(void)state;
	assert_int_equal(firefox_thread_stack(&thread, FIREFOX_NONE, MAIN), outer);
	assert_int_equal(firefox_thread_stack(&thread, outer, WORK), inner);
	/* The same frame, called from elsewhere. */
	assert_int_not_equal(firefox_thread_stack(&thread, FIREFOX_NONE, WORK), inner);
	assert_int_equal(thread.frame_count, 2);
	assert_int_equal(thread.stack_count, 3);
	firefox_thread_release(&thread);
}

static void test_rows_refer_to_each_other(void **state)
{
	struct firefox_thread thread = thread_new();
	uint32_t outer = firefox_thread_stack(&thread, FIREFOX_NONE, MAIN);
	char *text;

	(void)state;
	firefox_thread_stack(&thread, firefox_thread_stack(&thread, outer, WORK), NATIVE);
	text = written(&thread);
	assert_has(text, "\"stackTable\":{\"frame\":[0,1,2],\"prefix\":[null,0,1],"
			 "\"category\":[1,1,2],\"subcategory\":[0,0,0],\"length\":3}");
	assert_has(text,
		   "\"frameTable\":{\"func\":[0,1,2],\"category\":[1,1,2],\"line\":[3,9,null],");
	assert_has(text, "\"funcTable\":{\"name\":[0,2,3],\"fileName\":[1,1,null],"
			 "\"lineNumber\":[3,9,null],");
	assert_has(text, "\"stringArray\":[\"main\",\"/u/a.py\",\"work\",\"say \\\"hi\\\"\"],");
	free(text);
}

static void test_weights_are_milliseconds_or_events(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct firefox_thread thread = thread_new();
		uint32_t stack = firefox_thread_stack(&thread, FIREFOX_NONE, MAIN);
		char *text;

		thread.has_events = i;
		firefox_thread_sample(&thread, stack, 1.5, 2);
		firefox_thread_sample(&thread, FIREFOX_NONE, 2.5, 1000);
		text = written(&thread);
		assert_has(text, "\"samples\":{\"stack\":[0,null],\"time\":[1.500000,2.500000],");
		assert_has(text, i ? "\"weight\":[2,1000],\"weightType\":\"samples\",\"length\":2}"
				   : "\"weight\":[2.000000,1000.000000],"
				     "\"weightType\":\"tracing-ms\",\"length\":2}");
		free(text);
	}
}

static void test_thread_without_samples_has_all_tables(void **state)
{
	struct firefox_thread thread = thread_new();
	char *text = written(&thread);

	(void)state;
	assert_has(text, "\"samples\":{\"stack\":[],");
	assert_has(text, "\"stackTable\":{\"frame\":[],");
	assert_has(text, "\"stringArray\":[],\"pausedRanges\":[]");
	assert_has(text, "\"markers\":{");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_stack_is_one_row),
		cmocka_unit_test(test_rows_refer_to_each_other),
		cmocka_unit_test(test_weights_are_milliseconds_or_events),
		cmocka_unit_test(test_thread_without_samples_has_all_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
