/* Section "findings": what stands out, with the region it is about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/findings/findings.h"
#include "view/page_fixture.h"

static struct synthetic *one_hot_function(void)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);

	page_fixture_region(made, "main", 3);
	page_fixture_region(made, "</script>", 10);
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	synthetic_enter(made, 0, MAIN, 0);
	synthetic_enter(made, 0, WORK, US(100000));
	synthetic_leave(made, 0, WORK, US(9900000));
	synthetic_leave(made, 0, MAIN, US(10000000));
	return made;
}

static void test_findings_come_as_they_were_found(void **state)
{
	struct synthetic *made = one_hot_function();
	struct page_fixture fixture;
	struct findings *findings;
	struct problem problem;
	char *text, *at;

	(void)state;
	synthetic_close(made, US(10000000));
	page_fixture_open(&fixture, made);
	assert_int_equal(findings_new(fixture.loaded, fixture.page.regions, fixture.page.facts,
				      &findings, &problem),
			 KYMO_OK);
	assert_true(findings->count > 0);
	text = at = page_fixture_write(&fixture, &page_findings_section);
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		char expected[128];

		snprintf(expected, sizeof(expected),
			 "\"kind\":\"%s\",\"view\":\"%s\",\"region\":%d,", finding->kind,
			 finding->view,
			 finding->region == FINDING_NO_REGION ? -1 : (int)finding->region);
		at = strstr(at, expected);
		assert_non_null(at);
	}
	free(text);
	findings_free(findings);
	page_fixture_close(&fixture);
}

static void test_finding_is_about_the_region(void **state)
{
	char *text = page_fixture_section(one_hot_function(), US(10000000), &page_findings_section);

	(void)state;
	assert_has(text, "\"region\":2,\"cost\":9.8}");
	/* Its name cannot end the section. */
	assert_has(text, "\\u003c/script>`");
	free(text);
}

static void test_nothing_that_stands_out_is_an_empty_list(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	char *text;

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	text = page_fixture_section(made, US(1), &page_findings_section);
	assert_has(text, "id=\"kymo-findings\">[]</script>");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_findings_come_as_they_were_found),
		cmocka_unit_test(test_finding_is_about_the_region),
		cmocka_unit_test(test_nothing_that_stands_out_is_an_empty_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
