/* A list of two kinds of fruit, and expressions: what the tests of `kymo avail` share. */
#ifndef KYMO_AVAIL_FIXTURE_H
#define KYMO_AVAIL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cli/avail/avail_list.h"

/* avail_list_release() it. */
static inline struct avail_list avail_fruit(void)
{
	static const struct avail_column columns[] = {
		{"FRUIT", AVAIL_NAME, false},
		{"NOTE", AVAIL_DESCRIPTION, true},
		{"KIND", AVAIL_CATEGORY, false},
	};
	struct avail_list list = {.title = "Fruit", .columns = columns, .column_count = 3};

	avail_list_add(&list, true, (const char *const[]){"pear", "green, or yellow", "tree"});
	avail_list_add(&list, false, (const char *const[]){"fig", "sweet", "tree"});
	avail_list_add(&list, true, (const char *const[]){"berry", "red", "bush"});
	assert_false(list.has_failed);
	return list;
}

/* avail_patterns_release() them. */
static inline struct avail_patterns avail_compiled(const char *first, const char *second)
{
	struct option_words words = {.items = {first, second},
				     .count = (size_t)(first != NULL) + (second != NULL)};
	struct avail_patterns patterns;

	assert_int_equal(avail_patterns_compile(&patterns, &words, false, NULL), KYMO_OK);
	return patterns;
}

#endif
