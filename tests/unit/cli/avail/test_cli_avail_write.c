/* Lists of `kymo avail` as text, Markdown and CSV. */
#include "cli/avail/avail_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "avail_fixture.h"
#include "text/cells.h"

#define NAMES	     (1u << AVAIL_NAME)
#define DESCRIPTIONS (1u << AVAIL_DESCRIPTION)

/* The caller frees. */
static char *written(const struct avail_form *form)
{
	struct avail_list list = avail_fruit();
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(avail_list_write(&list, form, out, NULL), KYMO_OK);
	fclose(out);
	avail_list_release(&list);
	return text;
}

/* Columns of CSV are all but those that are extra, whatever is to be shown. */
static void test_csv(void **state)
{
	char *text = written(&(struct avail_form){NAMES, .is_csv = true, .separator = ";"});

	(void)state;
	assert_string_equal(text, "FRUIT;KIND;\npear;tree;\nfig;tree;\nberry;bush;\n");
	free(text);
}

static void test_markdown(void **state)
{
	char *text = written(&(struct avail_form){NAMES, .is_markdown = true});

	(void)state;
	assert_memory_equal(text, "## Fruit\n\n| ", 12);
	assert_non_null(strstr(text, "FRUIT"));
	assert_non_null(strstr(text, "| pear"));
	assert_null(strstr(text, "KIND"));
	free(text);
}

/* A cell goes on in the next line behind the last blank that fits. */
static void test_cells_are_broken_at_their_width(void **state)
{
	char *text = written(&(struct avail_form){NAMES | DESCRIPTIONS, .column_width = 9}), *first,
	     *second;

	(void)state;
	first = strstr(text, "green, or");
	second = strstr(text, "yellow");
	assert_true(first && second && first < second);
	assert_non_null(memchr(first, '\n', (size_t)(second - first)));
	free(text);
}

/* Columns are made as narrow as the line needs it. */
static void test_lines_fit_a_width(void **state)
{
	char *text = written(&(struct avail_form){NAMES | DESCRIPTIONS, .total_width = 25});

	(void)state;
	assert_null(strstr(text, "green, or yellow"));
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		assert_true(cells_of(line) <= 25);
	}
	free(text);
	text = written(&(struct avail_form){NAMES | DESCRIPTIONS, .total_width = 80});
	assert_non_null(strstr(text, "green, or yellow"));
	free(text);
}

static void test_matches_are_marked(void **state)
{
	struct avail_patterns patterns = avail_compiled("r+y?", "~pear");
	char *text = written(&(struct avail_form){NAMES, .highlights = &patterns});

	(void)state;
	assert_non_null(strstr(text, "be\033[1;31mrry\033[0m"));
	assert_non_null(strstr(text, "pea\033[1;31mr\033[0m")); /* an excluding one marks nothing */
	assert_non_null(strstr(text, "fig"));
	free(text);
	avail_patterns_release(&patterns);
}

/* One that matches nothing at all, or only the line's beginning, comes to an end. */
static void test_empty_matches_are_not_marked(void **state)
{
	struct avail_patterns patterns = avail_compiled("x*", "^");
	char *text = written(&(struct avail_form){NAMES, .highlights = &patterns});

	(void)state;
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "pear"));
	free(text);
	avail_patterns_release(&patterns);
}

static void test_a_list_without_memory(void **state)
{
	const struct avail_list list = {.has_failed = true};
	struct problem problem;

	(void)state;
	assert_int_equal(avail_list_write(&list, &(struct avail_form){0}, NULL, &problem),
			 KYMO_MEMORY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_cells_are_broken_at_their_width),
		cmocka_unit_test(test_lines_fit_a_width),
		cmocka_unit_test(test_matches_are_marked),
		cmocka_unit_test(test_empty_matches_are_not_marked),
		cmocka_unit_test(test_a_list_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
