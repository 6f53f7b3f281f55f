/* Section "parts" and its blobs: how much of a region each thread had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/page_fixture.h"

/* Main calls work twice, as ever; a worker is in it for 10 us. */
static struct synthetic *two_threads(void)
{
	struct synthetic *made = page_fixture_calls();

	synthetic_thread(made, KYMO_NO_THREAD, "worker", US(5));
	synthetic_enter(made, 1, WORK, US(5));
	synthetic_leave(made, 1, WORK, US(15));
	synthetic_thread_end(made, 1, US(15));
	return made;
}

static void test_one_part_has_no_section(void **state)
{
	char *text = page_fixture_section(page_fixture_calls(), US(20), &page_parts_section);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

static void test_facts_say_what_is_compared(void **state)
{
	char *text = page_fixture_section(two_threads(), US(20), &page_parts_section);

	(void)state;
	assert_has(text, "{\"count\":2,\"ranks\":0,\"by\":\"thread\",");
	assert_has(text, "\"left_out\":0,\"left_out_self\":0,\"left_out_total\":0,");
	assert_has(text, "\"thread\":{\"count\":2,\"usual\":2,");
	assert_has(text, "\"process\":{\"count\":1,\"usual\":1,");
	/* Student's t at 97.5 % with one degree of freedom. */
	assert_has(text, "\"student_of_all\":12.706");
	free(text);
}

static void test_groups_have_names_and_each_part_its_group(void **state)
{
	char *text = page_fixture_section(two_threads(), US(20), &page_parts_section);
	struct page_blob_read blob = page_blob_of(text, "parts-groups");

	(void)state;
	EXPECT_NUMBERS(&blob, 2); /* threads */
	for (uint64_t i = 0; i < 2; i++) {
		const char *name = i ? "worker" : "Main";
		uint64_t length = page_blob_number(&blob);

		assert_true(length >= strlen(name) && length <= blob.size - blob.at);
		assert_non_null(memmem(blob.bytes + blob.at, length, name, strlen(name)));
		blob.at += length;
	}
	EXPECT_NUMBERS(&blob, 0, 1);
	EXPECT_NUMBERS(&blob, 1); /* processes */
	blob.at += page_blob_number(&blob);
	EXPECT_NUMBERS(&blob, 0, 0);
	free(text);
}

static void test_shares_come_by_the_largest_total(void **state)
{
	char *text = page_fixture_section(two_threads(), US(20), &page_parts_section);
	struct page_blob_read blob = page_blob_of(text, "parts-shares");
	uint64_t regions = page_blob_number(&blob);

	(void)state;
	assert_true(regions >= 2);
	EXPECT_NUMBERS(&blob, WORK, 2); /* of two parts, with none in front or in between */
	EXPECT_NUMBERS(&blob, 0, 0);
	EXPECT_NUMBERS(&blob, 2, 1);
	EXPECT_NUMBERS(&blob, US(8), US(10));
	EXPECT_NUMBERS(&blob, US(8), US(10));
	EXPECT_NUMBERS(&blob, US(8), US(10), US(8), US(10)); /* all of it work */
	EXPECT_NUMBERS(&blob, MAIN, 1, 0, 1, US(4), US(12), US(4), US(12));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_part_has_no_section),
		cmocka_unit_test(test_facts_say_what_is_compared),
		cmocka_unit_test(test_groups_have_names_and_each_part_its_group),
		cmocka_unit_test(test_shares_come_by_the_largest_total),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
