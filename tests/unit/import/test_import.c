/* Which importer a file is for, and what is said of files that are for none. */
#include "import/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "imported_fixture.h"

static void test_formats_are_told_apart(void **state)
{
	static const struct {
		const char *format;
		const char *text;
	} cases[] = {
		{"pstats", "{(\3"},
		{"speedscope",
		 " {\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}"},
		{"speedscope", "{\"version\":1,\"shared\":{\"frames\":[]}}"},
		{"chrome", "[{\"name\":\"a\",\"ph\":\"X\"}"},
		{"chrome", "\n{\"traceEvents\":[]}"},
		{"callgrind", "# callgrind format\n"},
		{"callgrind", "version: 1\nevents: Ir\nfl=a\nfn=main\n1 2\n"},
		{"perf", "# ========\na 1 2.5: 1 cycles: \n"},
		{"collapsed", "main;a.b(c) 1.5: 3\n"},
		{"collapsed", "# austin: 3.7.0\nP1;T2;a.py:f:3 12\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct import_source source =
			import_source_bytes("x", cases[i].text, strlen(cases[i].text));
		const struct importer *importer = importer_detect(&source);

		assert_non_null(importer);
		assert_string_equal(importer->name, cases[i].format);
	}
}

static void test_what_is_no_profile(void **state)
{
	static const char *const texts[] = {"",	    "words only", "{}",		 "[]",
					    "\n\n", "# 1\n",	  "{\"a\": 3}\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct import_source source = import_source_bytes("x", texts[i], strlen(texts[i]));

		assert_null(importer_detect(&source));
	}
}

static void test_importers_are_found_by_their_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < importer_count; i++)
		assert_ptr_equal(importer_find(importer_table[i]->name), importer_table[i]);
	assert_null(importer_find("collapse"));
	assert_null(importer_find(""));
}

static void assert_unknown(const char *text, const char *words)
{
	struct import_source source = import_source_bytes("x", text, strlen(text));
	struct imported imported;
	struct problem problem;

	imported_init(&imported);
	assert_int_equal(import_read(NULL, &source, &imported, &problem), KYMO_FORMAT);
	if (!strstr(problem.text, words))
		fail_msg("'%s' has no '%s'", problem.text, words);
	imported_release(&imported);
}

static void test_strangers_are_told_what_to_do_with_them(void **state)
{
	(void)state;
	assert_unknown("", "'x' is empty");
	assert_unknown("KYMO\r\n\032\n", "recording of Kymo already");
	assert_unknown("PERFILE2????", "'perf script'");
	assert_unknown("KYM", "--list-formats");
}

static void test_a_file_without_measurements_is_refused(void **state)
{
	(void)state;
	assert_refused("collapsed", "# only a comment\n", "holds no measurements");
}

static void test_processes_and_threads_are_bounded(void **state)
{
	static char text[(IMPORT_THREADS_MAX + 2) * 16];
	size_t used = 0;

	(void)state;
	for (unsigned int i = 1; i <= IMPORT_PROCESSES_MAX + 1; i++)
		used += (size_t)sprintf(text + used, "P%u;T1;f 1\n", i);
	assert_refused("collapsed", text, "more than 4096 processes");
	used = 0;
	for (unsigned int i = 1; i <= IMPORT_THREADS_MAX + 1; i++)
		used += (size_t)sprintf(text + used, "P1;T%u;f 1\n", i);
	assert_refused("collapsed", text, "more than 65536 threads");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats_are_told_apart),
		cmocka_unit_test(test_what_is_no_profile),
		cmocka_unit_test(test_importers_are_found_by_their_names),
		cmocka_unit_test(test_strangers_are_told_what_to_do_with_them),
		cmocka_unit_test(test_a_file_without_measurements_is_refused),
		cmocka_unit_test(test_processes_and_threads_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
