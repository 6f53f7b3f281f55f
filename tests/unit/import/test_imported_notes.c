/* What an import says of itself. */
#include "import/imported_notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

static void test_commands_keep_no_secrets(void **state)
{
	struct imported imported;
	const char *command;

	(void)state;
	imported_init(&imported);
	imported_note_command(&imported, SPAN("app --password=hush  -n 3"));
	command = imported_note_value(&imported, "command");
	assert_null(strstr(command, "hush"));
	assert_memory_equal(command, "app --password=", 15);
	assert_string_equal(command + strlen(command) - 6, "  -n 3");
	imported_release(&imported);
}

static void test_commands_of_any_length(void **state)
{
	static char line[40000];
	struct imported imported;

	(void)state;
	imported_init(&imported);
	imported_note_command(&imported, (struct span){line, 0});
	assert_int_equal(imported.note_count, 1);
	memset(line, 'a', sizeof(line));
	imported_note_command(&imported, (struct span){line, sizeof(line)});
	memset(line, ' ', sizeof(line)); /* as many words as bytes */
	imported_note_command(&imported, (struct span){line, sizeof(line)});
	assert_int_equal(imported.note_count, 3);
	assert_true(strlen(imported.notes[1].value) > 8000);
	imported_release(&imported);
}

static void test_units_that_are_no_times(void **state)
{
	struct imported imported;

	(void)state;
	imported_init(&imported);
	imported_note_unit(&imported, "cycles");
	assert_int_equal(imported.note_count, 2);
	assert_int_equal(imported.notes[0].kind, KYMO_NOTE_INFO);
	assert_string_equal(imported.notes[0].value, "cycles");
	assert_int_equal(imported.notes[1].kind, KYMO_NOTE_WARNING);
	assert_non_null(strstr(imported.notes[1].value, "one of 'cycles'"));
	imported_release(&imported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands_keep_no_secrets),
		cmocka_unit_test(test_commands_of_any_length),
		cmocka_unit_test(test_units_that_are_no_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
