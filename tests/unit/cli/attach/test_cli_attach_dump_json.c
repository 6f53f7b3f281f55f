/* Stacks of a process as programs read them. */
#include "cli/attach/attach_dump_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dump_fixture.h"

/* The caller frees. */
static char *json_of(struct looked_at *looked)
{
	char *text = NULL;
	size_t size;

	looked->dump.json = (struct json_writer){.out = open_memstream(&text, &size)};
	assert_non_null(looked->dump.json.out);
	dump_write(&looked->dump);
	fclose(looked->dump.json.out);
	framenames_release(&looked->dump.names);
	return text;
}

static void test_a_thread_that_waits(void **state)
{
	struct looked_at looked;
	char *text;

	(void)state;
	dump_make(&looked);
	looked.threads[1].result = WATCH_PASSED; /* it is not shown */
	text = json_of(&looked);
	assert_string_equal(
		text,
		"{\"pid\":9,\"parent\":8,\"program\":\"app.py\",\"python\":\"3.11\",\"threads\":[\n"
		"{\"id\":10,\"name\":\"main\",\"state\":\"waits\",\"gil\":\"not held\","
		"\"is_complete\":true,"
		"\"waits_for\":{\"lock\":\"threading.Lock\",\"address\":\"0x100\",\"owner\":11,"
		"\"is_deadlock\":true},\"frames\":[\n"
		"{\"kind\":\"kernel\",\"function\":\"the kernel\",\"file\":null,\"line\":0},\n"
		"{\"kind\":\"python\",\"function\":\"C.f\",\"file\":null,\"line\":7},\n"
		"{\"kind\":\"python\",\"function\":\"main\",\"file\":\"/a.py\",\"line\":3}]}]}");
	free(text);
}

static void test_what_is_not_known_is_null(void **state)
{
	struct looked_at looked;
	char *text;

	(void)state;
	dump_make(&looked);
	looked.dump.watch.has_python = false;
	looked.waits[0].owner = 0;
	looked.waits[0].is_in_cycle = false;
	looked.waits[1].kind = LOCK_NONE;
	looked.threads[0].gil = KYMO_GIL_UNKNOWN;
	looked.threads[1].gil = KYMO_GIL_WAITED_FOR;
	text = json_of(&looked);
	assert_non_null(strstr(text, "\"python\":null"));
	assert_non_null(strstr(text, "\"gil\":null"));
	assert_non_null(strstr(text, "\"owner\":null,\"is_deadlock\":false}"));
	assert_non_null(strstr(text, "\"gil\":\"waited for\",\"is_complete\":true,\"frames\":["));
	free(text);
}

static void test_a_thread_that_changed_has_no_frames(void **state)
{
	struct looked_at looked;
	char *text;

	(void)state;
	dump_make(&looked);
	looked.dump.watch.count = 1;
	looked.waits[0].kind = LOCK_NONE;
	looked.threads[0].result = WATCH_LOST;
	text = json_of(&looked);
	assert_non_null(strstr(text, "\"is_complete\":false,\"frames\":[]}]}"));
	free(text);
}

/* Variables are asked for: frames of Python have them, if only none that can be read. */
static void test_variables_are_of_python_alone(void **state)
{
	struct looked_at looked;
	char *text;

	(void)state;
	dump_make(&looked);
	looked.dump.watch.count = 1;
	looked.request.has_locals = true;
	text = json_of(&looked);
	assert_non_null(
		strstr(text, "\"function\":\"main\",\"file\":\"/a.py\",\"line\":3,\"locals\":{}}"));
	assert_non_null(strstr(text, "\"function\":\"the kernel\",\"file\":null,\"line\":0}"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_thread_that_waits),
		cmocka_unit_test(test_what_is_not_known_is_null),
		cmocka_unit_test(test_a_thread_that_changed_has_no_frames),
		cmocka_unit_test(test_variables_are_of_python_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
