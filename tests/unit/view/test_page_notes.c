/* Section "notes": pairs of the root process, without secrets; settings with their help. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/page_fixture.h"

/* The section of a recording with one note more. */
static char *noted(enum kymo_note_kind kind, const char *key, const char *value)
{
	struct synthetic *made = page_fixture_calls();

	synthetic_note(made, kind, key, value);
	return page_fixture_section(made, US(20), &page_notes_section);
}

static void expect_noted(enum kymo_note_kind kind, const char *key, const char *value,
			 const char *expected)
{
	char *text = noted(kind, key, value);

	assert_has(text, expected);
	free(text);
}

static void test_pairs_come_as_they_were_noted(void **state)
{
	char *text;

	(void)state;
	expect_noted(KYMO_NOTE_INFO, "hostname", "node1", "\"info\":[\n[\"hostname\",\"node1\"]]");
	expect_noted(KYMO_NOTE_ENVIRONMENT, "OMP_NUM_THREADS", "4",
		     "\"environment\":[\n[\"OMP_NUM_THREADS\",\"4\"]]");
	/* An argument is in the command, too. */
	text = noted(KYMO_NOTE_INFO, "argument", "-x");
	assert_has(text, "\"info\":[]");
	free(text);
}

static void test_secrets_are_masked(void **state)
{
	(void)state;
	expect_noted(KYMO_NOTE_ENVIRONMENT, "API_TOKEN", "abc", "[\"API_TOKEN\",\"***\"]");
	expect_noted(KYMO_NOTE_ENVIRONMENT, "API_TOKEN", "", "[\"API_TOKEN\",\"\"]");
	expect_noted(KYMO_NOTE_INFO, "command", "prog --password=abc",
		     "[\"command\",\"prog --password=***\"]");
	expect_noted(KYMO_NOTE_WARNING, "run", "cannot open --password=abc",
		     "\"text\":\"cannot open --password=***\"");
}

static void test_settings_have_default_and_help(void **state)
{
	char *text = noted(KYMO_NOTE_SETTING, "KYMO_TRACE", "ON");

	(void)state;
	assert_has(
		text,
		"{\"name\":\"KYMO_TRACE\",\"value\":\"ON\",\"default\":\"OFF\",\"help\":\"Record");
	free(text);
	expect_noted(KYMO_NOTE_SETTING, "KYMO_NO_SUCH", "1",
		     "{\"name\":\"KYMO_NO_SUCH\",\"value\":\"1\"}");
}

static void test_warnings_and_losses_name_their_process(void **state)
{
	(void)state;
	expect_noted(
		KYMO_NOTE_WARNING, "sampler", "too many",
		"{\"pid\":77,\"kind\":\"warning\",\"area\":\"sampler\",\"text\":\"too many\"}");
	expect_noted(KYMO_NOTE_LOSS, "trace", "disk full",
		     "{\"pid\":77,\"kind\":\"loss\",\"area\":\"trace\",\"text\":\"disk full\"}");
}

static void test_what_varies_has_kind_and_count(void **state)
{
	(void)state;
	expect_noted(KYMO_NOTE_VARIES, "rank", "1 16 0 to 15",
		     "{\"key\":\"rank\",\"kind\":1,\"count\":16,\"text\":\"0 to 15\"}");
	expect_noted(KYMO_NOTE_VARIES, "rank", "",
		     "{\"key\":\"rank\",\"kind\":0,\"count\":0,\"text\":\"\"}");
}

static void test_secrets_that_vary_are_masked(void **state)
{
	char value[64];

	(void)state;
	snprintf(value, sizeof(value), "%d 2 abc, def", KYMO_NOTE_ENVIRONMENT);
	expect_noted(KYMO_NOTE_VARIES, "API_TOKEN", value, "\"count\":2,\"text\":\"***\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs_come_as_they_were_noted),
		cmocka_unit_test(test_secrets_are_masked),
		cmocka_unit_test(test_settings_have_default_and_help),
		cmocka_unit_test(test_warnings_and_losses_name_their_process),
		cmocka_unit_test(test_what_varies_has_kind_and_count),
		cmocka_unit_test(test_secrets_that_vary_are_masked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
