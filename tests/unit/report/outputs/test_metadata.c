/* metadata.json and functions.json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/outputs/function_list.h"
#include "report/outputs/metadata.h"
#include "report/outputs/run_output.h"
#include "report/report_fixture.h"

struct written {
	struct report_fixture fixture;
	struct run_output output;
};

static void begin(struct written *written, struct synthetic *made)
{
	report_fixture_begin_one(&written->fixture, made);
	written->output = (struct run_output){
		.loaded = written->fixture.loaded,
		.facts = written->fixture.facts,
		.settings = written->fixture.report.settings,
	};
}

static const char *write_metadata(struct written *written, const struct output_file_list *files)
{
	size_t size;
	FILE *out;

	free(written->fixture.text);
	out = open_memstream(&written->fixture.text, &size);
	metadata_write(&written->output, files, out);
	fclose(out);
	return written->fixture.text;
}

static void assert_holds(const struct written *written, const char *part)
{
	if (!strstr(written->fixture.text, part))
		fail_msg("no %s in %s", part, written->fixture.text);
}

static void test_notes_and_the_process(void **state)
{
	struct synthetic *made = report_fixture_run(1);
	struct written written;

	(void)state;
	synthetic_note(made, KYMO_NOTE_INFO, "program", "app");
	synthetic_note(made, KYMO_NOTE_INFO, "argument", "./app");
	synthetic_note(made, KYMO_NOTE_INFO, "argument", "-v");
	synthetic_note(made, KYMO_NOTE_ENVIRONMENT, "HOME", "/home/u");
	synthetic_note(made, KYMO_NOTE_MODULE, "/lib/libm.so.6", "");
	begin(&written, made);
	write_metadata(&written, &(struct output_file_list){0});
	assert_holds(&written, "\"info\":{\"program\":\"app\",\"arguments\":[\"./app\",\"-v\"]}");
	assert_holds(&written, "{\"key\":\"HOME\",\"value\":\"/home/u\"}");
	assert_holds(&written, "\"memory_maps_files\":[\"/lib/libm.so.6\"]");
	assert_holds(&written, "\"pid\":40,\"parent_pid\":1");
	assert_holds(&written, "\"threads\":1,\"calls\":5}");
	assert_holds(&written, "\"losses\":[]");
	report_fixture_release(&written.fixture);
}

static void test_settings_are_texts(void **state)
{
	struct written written;

	(void)state;
	begin(&written, report_fixture_run(1));
	assert_int_equal(settings_set((struct settings *)written.output.settings, "MAX_WIDTH", "77",
				      SETTING_FROM_COMMAND, &written.fixture.problem),
			 KYMO_OK);
	write_metadata(&written, &(struct output_file_list){0});
	assert_holds(&written, "\"KYMO_MAX_WIDTH\":{\"value\":\"77\",\"initial\":\"120\"");
	report_fixture_release(&written.fixture);
}

static void test_secrets_are_masked(void **state)
{
	struct synthetic *made = report_fixture_run(1);
	struct written written;

	(void)state;
	synthetic_note(made, KYMO_NOTE_INFO, "argument", "./app");
	synthetic_note(made, KYMO_NOTE_INFO, "argument", "--password=sesame");
	begin(&written, made);
	assert_null(strstr(write_metadata(&written, &(struct output_file_list){0}), "sesame"));
	report_fixture_release(&written.fixture);
}

static void test_files_by_their_form(void **state)
{
	char text[] = "wall_clock /out/a b.txt", json[] = "wall_clock /out/a b.json";
	char functions[] = "functions /out/f.json", *lines[] = {text, json, functions};
	struct written written;

	(void)state;
	begin(&written, report_fixture_run(1));
	write_metadata(&written, &(struct output_file_list){lines, 3});
	assert_holds(&written, "\"text\":[{\"key\":\"wall_clock\",\"value\":\"/out/a b.txt\"}]");
	assert_holds(&written, "\"json\":[{\"key\":\"wall_clock\",\"value\":\"/out/a "
			       "b.json\"},{\"key\":\"functions\",\"value\":\"/out/f.json\"}]");
	report_fixture_release(&written.fixture);
}

/* The root is none; what is left out is counted. */
static void test_functions(void **state)
{
	struct function_list list;
	struct written written;
	size_t size;
	FILE *out;

	(void)state;
	begin(&written, report_fixture_run(1));
	function_list_init(&list, written.fixture.regions);
	function_list_keep(&list, written.output.loaded->trees, 1, 1);
	out = open_memstream(&written.fixture.text, &size);
	functions_write(&list, out);
	fclose(out);
	assert_string_equal(written.fixture.text,
			    "{\"kymo\":{\"functions\":[\n"
			    "{\"hash\":14848065251155538409,\"label\":\"load\",\"kind\":\"python\","
			    "\"name\":\"load\",\"qualname\":null,\"module\":null,\"file\":\"/u/app/"
			    "io.py\",\"line\":7}],\"left_out\":2}}\n");
	report_fixture_release(&written.fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes_and_the_process),
		cmocka_unit_test(test_settings_are_texts),
		cmocka_unit_test(test_secrets_are_masked),
		cmocka_unit_test(test_files_by_their_form),
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
