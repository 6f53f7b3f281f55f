/* The tables of a Firefox profile.  That they agree with one another for real programs is held
 * by the end-to-end tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "exported.h"
#include "format/format.h"

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

/* run calls fib, which calls itself, and step, from 1 ms on; another thread calls step. */
static struct synthetic *example(void)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t first = synthetic_thread(made, KYMO_NO_THREAD, "main", 1000000), second;
	uint32_t run = exported_python(made, "run", "/u/a.py", 3),
		 fib = exported_python(made, "fib", "/u/a.py", 9);
	uint32_t step = synthetic_region(made, KYMO_REGION_USER, "st\"ep");

	synthetic_header(made)->pid = 77;
	synthetic_thread_at(made, first)->system_id = 77;
	second = synthetic_thread(made, first, NULL, 2000000);
	synthetic_enter(made, first, run, 1000000);
	synthetic_enter(made, first, fib, 2000000);
	synthetic_enter(made, first, fib, 3000000);
	synthetic_leave(made, first, fib, 5000000);
	synthetic_leave(made, first, fib, 6500000);
	synthetic_enter(made, first, step, 7000000);
	synthetic_leave(made, first, step, 7250000);
	synthetic_leave(made, first, run, 9000000);
	synthetic_enter(made, second, step, 2000000);
	synthetic_leave(made, second, step, 3000000);
	synthetic_close(made, 9000000);
	return made;
}

static void test_tables_refer_to_one_another(void **state)
{
	struct synthetic *made = example();
	char *text = exported_text("firefox", made, NULL);

	(void)state;
	assert_has(text, "\n{\"name\":\"main\",\"isMainThread\":true,");
	assert_has(text, "\"registerTime\":1.000000,\"unregisterTime\":9.000000,\"pid\":\"77\","
			 "\"tid\":77,\n");
	assert_has(text, "\"samples\":{\"stack\":[0,1,2,3],"
			 "\"time\":[1.000000,4.250000,6.750000,8.750000],"
			 "\"weight\":[3.250000,2.500000,2.000000,0.250000],"
			 "\"weightType\":\"tracing-ms\",\"length\":4},\n");
	assert_has(text, "\"stackTable\":{\"frame\":[0,1,1,2],\"prefix\":[null,0,1,0],"
			 "\"category\":[1,1,1,3],\"subcategory\":[0,0,0,0],\"length\":4},\n");
	assert_has(text,
		   "\"frameTable\":{\"func\":[0,1,2],\"category\":[1,1,3],\"line\":[3,9,null],");
	assert_has(text, "\"funcTable\":{\"name\":[0,2,3],\"fileName\":[1,1,null],"
			 "\"lineNumber\":[3,9,null],");
	assert_has(text, "\"stringArray\":[\"run\",\"/u/a.py\",\"fib\",\"st\\\"ep\"],");
	assert_has(text, "\n{\"name\":\"thread 1\",\"isMainThread\":false,");
	assert_has(text, "\"samples\":{\"stack\":[0],\"time\":[2.000000],\"weight\":[1.000000],");
	assert_has(text, "\"preprocessedProfileVersion\":47,");
	free(text);
	synthetic_free(made);
}

static void test_time_of_others_belongs_to_their_caller(void **state)
{
	const struct export_options only = {.thread = 0, .filter = "run|step|st.ep"};
	struct synthetic *made = example();
	char *text = exported_text("firefox", made, &only);

	(void)state;
	assert_has(text, "\"weight\":[7.750000,0.250000],");
	assert_has(text, "\"prefix\":[null,0],");
	assert_null(strstr(text, "fib"));
	assert_null(strstr(text, "thread 1"));
	free(text);
	synthetic_free(made);
}

static void test_samples_of_events_at_their_time(void **state)
{
	struct synthetic *made = exported_overflows();
	char *text = exported_text("firefox", made, NULL);

	(void)state;
	assert_has(text, "\"samples\":{\"stack\":[1,0,1],\"time\":[0.112640,0.122880,0.133120],"
			 "\"weight\":[5000,5000,5000],\"weightType\":\"samples\",\"length\":3},");
	assert_has(text, "\"stackTable\":{\"frame\":[0,1],\"prefix\":[null,0],");
	assert_has(text, "\"line\":[3,10],");
	assert_has(text, "\"interval\":0.010240,");
	free(text);
	synthetic_free(made);
}

static void test_an_empty_run_has_no_threads(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);
	char *text;

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_close(made, 10);
	text = exported_text("firefox", made, NULL);
	assert_has(text, "\"threads\":[\n],\n\"meta\":{");
	assert_has(text, "\"interval\":1.000000,");
	free(text);
	synthetic_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_refer_to_one_another),
		cmocka_unit_test(test_time_of_others_belongs_to_their_caller),
		cmocka_unit_test(test_samples_of_events_at_their_time),
		cmocka_unit_test(test_an_empty_run_has_no_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
