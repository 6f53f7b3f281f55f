/* Section "sources": files with their functions and lines, and texts as far as there is room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "view/page_fixture.h"

#define SOURCE_LINES 20000u /* of some 20 bytes: too many for the text to be whole */

struct source { /* a file on disk, with functions in its lines 100 and 150 */
	char path[64];
	char *text;
};

static struct source source_new(unsigned int line_count)
{
	struct source source = {.path = "/tmp/kymo-text-XXXXXX.py"};
	const struct timespec times[2] = {{.tv_sec = 1600000000}, {.tv_sec = 1600000000}};
	int file = mkstemps(source.path, 3);
	FILE *out;

	assert_true(file >= 0);
	assert_int_equal(fchmod(file, 0644), 0); /* what only its owner may read stays out */
	out = fdopen(file, "w");
	assert_non_null(out);
	for (unsigned int i = 1; i <= line_count; i++)
		fprintf(out, "x = '\x1b<line %u>'%s", i, i < line_count ? "\n" : "");
	fclose(out);
	/* Older than the run, for it was not changed since. */
	assert_int_equal(utimensat(AT_FDCWD, source.path, times, 0), 0);
	return source;
}

static void source_write_page(struct source *source, bool has_no_sources)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t region = synthetic_region(made, KYMO_REGION_PYTHON, "main"),
		 late = synthetic_region(made, KYMO_REGION_PYTHON, "late");
	uint64_t path = synthetic_string(made, source->path);
	struct page_fixture fixture;

	synthetic_region_at(made, region)->file = path;
	synthetic_region_at(made, region)->line = 100;
	synthetic_region_at(made, late)->file = path;
	synthetic_region_at(made, late)->line = 150;
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	synthetic_enter(made, 0, region, US(1));
	synthetic_enter(made, 0, late, US(2));
	synthetic_leave(made, 0, late, US(3));
	synthetic_leave(made, 0, region, US(9));
	synthetic_close(made, US(10));
	page_fixture_open(&fixture, made);
	fixture.page.options.wants_sources = true;
	fixture.page.options.has_no_sources = has_no_sources;
	source->text = page_fixture_write(&fixture, &page_sources_section);
	page_fixture_close(&fixture);
}

static void source_release(struct source *source)
{
	free(source->text);
	unlink(source->path);
}

static void test_short_text_is_whole_and_clean(void **state)
{
	struct source source = source_new(150);
	struct page_blob_read blob;

	(void)state;
	source_write_page(&source, false);
	assert_has(source.text, source.path);
	assert_has(source.text, "\"blob\":0,\"line_count\":150,\"parts\":[[1,150]],");
	assert_has(source.text, "\"lines\":[],\"functions\":[[100,1],[150,2]]}");
	blob = page_blob_of(source.text, "source-0");
	assert_memory_equal(blob.bytes, "x = '\\x1b<line 1>'\nx", 20);
	/* Its last line ends, too. */
	assert_memory_equal(blob.bytes + blob.size - 12, "<line 150>'\n", 12);
	source_release(&source);
}

static void test_of_long_text_there_are_parts(void **state)
{
	struct source source = source_new(SOURCE_LINES);
	struct page_blob_read blob;

	(void)state;
	source_write_page(&source, false);
	assert_has(source.text, "\"line_count\":20000,\"parts\":[[98,140],[148,190]],");
	blob = page_blob_of(source.text, "source-0");
	assert_memory_equal(blob.bytes, "x = '\\x1b<line 98>'\n", 20);
	assert_memory_equal(blob.bytes + blob.size - 12, "<line 190>'\n", 12);
	source_release(&source);
}

static void test_texts_stay_out_where_they_are_not_wanted(void **state)
{
	struct source source = source_new(150);

	(void)state;
	source_write_page(&source, true);
	assert_has(source.text, "\"state\":\"left out\",\"lines\":[]");
	assert_has(source.text, "\"functions\":[[100,1],[150,2]]");
	assert_lacks(source.text, "kymo-source-0");
	source_release(&source);
}

static void test_file_that_is_gone_keeps_its_functions(void **state)
{
	char *text = page_fixture_section(page_fixture_calls(), US(20), &page_sources_section);

	(void)state;
	assert_has(text, "{\"name\":\"/nowhere/a.py\",\"self\":12000,");
	assert_has(text, "\"functions\":[[3,1],[10,2]]}");
	assert_lacks(text, "\"blob\"");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_text_is_whole_and_clean),
		cmocka_unit_test(test_of_long_text_there_are_parts),
		cmocka_unit_test(test_texts_stay_out_where_they_are_not_wanted),
		cmocka_unit_test(test_file_that_is_gone_keeps_its_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
