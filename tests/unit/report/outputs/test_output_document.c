/* One output file within a budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "command/xalloc.h"
#include "report/outputs/output_document.h"
#include "report_output_fixture.h"

static void write_subject(const struct output_writer *writer, const void *subject, FILE *out)
{
	(void)writer;
	fputs(subject, out);
}

static void lack(const struct output_writer *writer, const void *subject, FILE *out)
{
	(void)writer;
	(void)subject;
	fputs("a beginning", out);
	xalloc_lack();
}

static const struct document words = {"txt", write_subject}, broken = {"txt", lack};

static struct output_writer writer_of(struct report_output_fixture *fixture)
{
	return (struct output_writer){
		.output = &fixture->output,
		.owner = fixture->output.loaded->trees[0],
		.sum = &fixture->sum,
	};
}

static void test_parts_are_equal(void **state)
{
	struct run_output output = {.most_bytes = 1000};
	struct output_sum sum = {.bytes = 100};
	struct output_writer writer = {.output = &output, .sum = &sum, .documents = 3};

	(void)state;
	assert_int_equal(output_document_part(&writer), 300);
	writer.later_rows = 1;
	assert_int_equal(output_document_part(&writer), 150);
	writer.reserved_bytes = 600;
	assert_int_equal(output_document_part(&writer), 50);
	writer.reserved_bytes = 900;
	assert_int_equal(output_document_part(&writer), 0);
	output.most_bytes = UINT64_MAX;
	assert_true(output_document_part(&writer) == UINT64_MAX);
}

static void test_bytes(void **state)
{
	struct output_writer writer = {.output = NULL};

	(void)state;
	assert_int_equal(output_document_bytes(&writer, &words, "seven b"), 7);
	assert_true(output_document_bytes(&writer, &broken, NULL) == UINT64_MAX);
}

static void test_file_that_fits(void **state)
{
	struct report_output_fixture fixture;
	struct output_writer writer;

	(void)state;
	report_output_fixture_begin(&fixture, 1);
	report_output_fixture_set(&fixture, "USE_PID", "OFF");
	writer = writer_of(&fixture);
	assert_int_equal(output_document_write(&writer, "words", &words, "ten bytes.", 10),
			 KYMO_OK);
	assert_int_equal(report_output_fixture_size(&fixture, "words.txt"), 10);
	assert_int_equal(fixture.sum.bytes, 10);
	assert_int_equal(fixture.announced_count, 1);
	assert_int_equal(writer.files.count, 1);
	assert_string_equal(writer.files.lines[0], fixture.announced[0]);
	lines_free(writer.files.lines, writer.files.count);
	report_output_fixture_release(&fixture);
}

/* Nothing is left of it, and nobody is told: it is tried again. */
static void test_file_that_is_too_large(void **state)
{
	struct report_output_fixture fixture;
	struct output_writer writer;

	(void)state;
	report_output_fixture_begin(&fixture, 1);
	report_output_fixture_set(&fixture, "USE_PID", "OFF");
	writer = writer_of(&fixture);
	assert_int_equal(output_document_write(&writer, "words", &words, "eleven byte", 10),
			 KYMO_LIMIT);
	assert_int_equal(report_output_fixture_size(&fixture, "words.txt"), -1);
	assert_int_equal(fixture.sum.bytes, 0);
	assert_int_equal(fixture.announced_count, 0);
	assert_int_equal(fixture.failed_count, 0);
	report_output_fixture_release(&fixture);
}

static void test_what_fails_is_said_once(void **state)
{
	struct report_output_fixture fixture;
	struct output_writer writer;

	(void)state;
	report_output_fixture_begin(&fixture, 1);
	report_output_fixture_set(&fixture, "USE_PID", "OFF");
	writer = writer_of(&fixture);
	assert_int_equal(output_document_write(&writer, "words", &broken, NULL, 100), KYMO_MEMORY);
	assert_int_equal(report_output_fixture_size(&fixture, "words.txt"), -1);
	assert_int_equal(fixture.failed_count, 1);
	assert_int_equal(writer.files.count, 0);
	report_output_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_are_equal),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_file_that_fits),
		cmocka_unit_test(test_file_that_is_too_large),
		cmocka_unit_test(test_what_fails_is_said_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
