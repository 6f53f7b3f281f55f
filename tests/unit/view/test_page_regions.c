/* Section "regions": columns in which each text stands once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/page_fixture.h"
#include "view/page_regions.h"

static char *written(const struct region *const *regions, size_t count)
{
	char *text = NULL;
	size_t length;
	struct json_writer json = {.out = open_memstream(&text, &length), .is_shown = true};

	assert_non_null(json.out);
	json_begin_object(&json);
	page_regions_write(&json, regions, count);
	json_end_object(&json);
	fclose(json.out);
	return text;
}

static void test_each_text_stands_once(void **state)
{
	static const struct region regions[] = {
		{.kind = KYMO_REGION_PYTHON, .name = "f", .file = "/u/a.py", .line = 3},
		{.kind = KYMO_REGION_PYTHON, .name = "g", .file = "/u/a.py", .line = 9},
		{.kind = KYMO_REGION_NATIVE, .name = "h", .module = "libx.so"},
	};
	char copy[] = "/u/a.py";
	struct region same = regions[1];
	const struct region *const all[] = {&regions[0], &same, &regions[2]};
	char *text;

	(void)state;
	same.file = copy;
	text = written(all, 3);
	assert_has(text, "\"name\":[\"f\",\"g\",\"h\"]");
	assert_has(text, "\"place\":[\"a.py:3\",\"a.py:9\",\"libx.so\"]");
	assert_has(text, "\"file\":[1,1,0]");
	assert_has(text, "\"module\":[0,0,2]");
	assert_has(text, "\"line\":[3,9,0]");
	assert_has(text, "\"kind\":[1,1,5]");
	assert_has(text, "\"texts\":[\"\",\"/u/a.py\",\"libx.so\"]");
	free(text);
}

static void test_no_regions_are_empty_columns(void **state)
{
	char *text = written(NULL, 0);

	(void)state;
	assert_has(text, "\"name\":[]");
	assert_has(text, "\"texts\":[]");
	free(text);
}

static void test_many_texts_are_found_again(void **state)
{
	enum { COUNT = 1000 };
	struct region *regions = calloc(COUNT, sizeof(*regions));
	const struct region **all = calloc(COUNT, sizeof(*all));
	char(*names)[16] = calloc(COUNT, sizeof(*names)), *text;

	(void)state;
	assert_true(regions && all && names);
	for (int i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "/f%d", i % 500);
		regions[i] = (struct region){.name = "f", .file = names[i]};
		all[i] = &regions[i];
	}
	text = written(all, COUNT);
	assert_has(text, ",499,500,1,2,3,");
	assert_has(text, "\"/f498\",\"/f499\"]");
	free(text);
	free(names);
	free(all);
	free(regions);
}

static void test_section_has_the_rest_behind_the_regions(void **state)
{
	char *text = page_fixture_section(page_fixture_calls(), US(20), &page_regions_section);

	(void)state;
	assert_has(text, "id=\"kymo-regions\"");
	assert_has(text, "\"main\",\"work\",\"[outside any recorded region]\",\"[measuring]\"]");
	assert_has(text, "\"line\":[0,3,10,0,0]");
	assert_has(text, "\"kind\":[0,1,1,0,0]");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_text_stands_once),
		cmocka_unit_test(test_no_regions_are_empty_columns),
		cmocka_unit_test(test_many_texts_are_found_again),
		cmocka_unit_test(test_section_has_the_rest_behind_the_regions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
