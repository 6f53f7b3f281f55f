/* Lists of functions as files: text, JSON and XML say the same. */
#include "cli/instrument/instrument_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "choice_fixture.h"
#include "cli/folder_fixture.h"
#include "patch/read/planreadreason.h"

/* The caller frees. */
static char *report_of(struct chosen_file *file, enum instrument_form form, const char *path)
{
	struct problem problem = {""};

	if (instrument_report_write(&file->report, "new/lists", form, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	return folder_get(path);
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	while ((text = strstr(text, part))) {
		text += strlen(part);
		count++;
	}
	return count;
}

static void test_text(void **state)
{
	struct chosen_file file;
	char *text;

	(void)state;
	chosen_make(&file);
	text = report_of(&file, INSTRUMENT_TEXT, "new/lists/instrumented.txt");
	assert_memory_equal(text, "StartAddress    AddressRange  #Instructions  Exits  ", 52);
	assert_non_null(strstr(text, "\n0x000000001000            64             20      2  "));
	assert_non_null(strstr(text, "  a::solve(int) "));
	assert_int_equal(count_of(text, "\n"), 3); /* headings, and two functions */
	free(text);
	text = folder_get("new/lists/overlapping.txt");
	assert_non_null(strstr(text, plan_reason_text(PLAN_OVERLAPPING)));
	free(text);
	assert_int_equal(access("new/lists/available.txt", R_OK), 0);
	assert_int_equal(access("new/lists/excluded.txt", R_OK), 0);
	chosen_release(&file);
}

static void test_json(void **state)
{
	struct chosen_file file;
	char *text;

	(void)state;
	chosen_make(&file);
	text = report_of(&file, INSTRUMENT_JSON, "new/lists/available.json");
	assert_non_null(strstr(text, "\"report\":\"available\",\"cost\":\"counts\""));
	assert_non_null(strstr(text, "{\"file\":\"/opt/app\",\"build_id\":\"ab01\",\"functions\":4,"
				     "\"instrumentable\":3,\"instrumented\":2,\"with_all_exits\":1,"
				     "\"called\":0,\"only_counted\":1}"));
	assert_int_equal(count_of(text, "\"address\":"), CHOSEN_COUNT - 1); /* all but the part */
	assert_non_null(strstr(text, "{\"address\":\"0x1000\",\"size\":64,\"instructions\":20,"));
	assert_non_null(strstr(text, "\"function\":\"a::solve\",\"signature\":\"a::solve(int)\","
				     "\"linkage_name\":\"_ZN1a5solveEi\",\"instrumented\":true,"
				     "\"loops\":true,\"tail_calls\":false"));
	free(text);
	chosen_release(&file);
}

/* What XML has a meaning for is written by its number. */
static void test_xml(void **state)
{
	struct chosen_file file;
	char *text;

	(void)state;
	chosen_make(&file);
	file.choice.path = (char *)"/opt/a<&\"b";
	file.report.cost = PATCH_COST_FULL;
	text = report_of(&file, INSTRUMENT_XML, "new/lists/excluded.xml");
	assert_memory_equal(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<kymo ", 44);
	assert_non_null(strstr(text, " report=\"excluded\" cost=\"full\">\n"));
	assert_non_null(strstr(text, "<module file=\"/opt/a&#60;&#38;&#34;b\" build_id=\"ab01\""));
	assert_int_equal(count_of(text, "<function "), 2);
	assert_non_null(strstr(text, "<function address=\"0x1040\" size=\"8\""));
	assert_non_null(strstr(text, " instrumented=\"false\""));
	assert_string_equal(text + strlen(text) - 8, "</kymo>\n");
	free(text);
	chosen_release(&file);
}

static void test_a_folder_that_cannot_be_made(void **state)
{
	struct chosen_file file;
	struct problem problem;

	(void)state;
	chosen_make(&file);
	folder_put_text("file", "");
	assert_int_equal(
		instrument_report_write(&file.report, "file/lists", INSTRUMENT_TEXT, &problem),
		KYMO_ERROR);
	assert_string_equal(problem.text, "cannot make folder 'file/lists': Not a directory");
	chosen_release(&file);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_text),
		IN_FOLDER(test_json),
		IN_FOLDER(test_xml),
		IN_FOLDER(test_a_folder_that_cannot_be_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
