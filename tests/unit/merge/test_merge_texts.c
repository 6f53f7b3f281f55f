/* Texts that are kept once. */
#include "merge/merge_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MANY 20000

static void test_each_is_kept_once_and_never_moves(void **state)
{
	static const char *kept[MANY];
	struct merge_texts texts = {0};
	char text[32];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MANY; i++) {
			const char *copy;

			snprintf(text, sizeof(text), "function_%d", i);
			copy = merge_text(&texts, text);
			assert_ptr_not_equal(copy, text);
			if (round == 0)
				kept[i] = copy;
			assert_ptr_equal(copy, kept[i]);
		}
	}
	for (int i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "function_%d", i);
		assert_string_equal(kept[i], text);
	}
	assert_true(texts.bytes >= MANY * strlen("function_1"));
	merge_texts_release(&texts);
	assert_int_equal(texts.bytes, 0);
}

static void test_long_texts_and_none(void **state)
{
	const size_t size = 300000;
	struct merge_texts texts = {0};
	char *text = malloc(size);
	const char *first, *large;

	(void)state;
	memset(text, 'x', size);
	text[size - 1] = '\0';
	assert_null(merge_text(&texts, NULL));
	first = merge_text(&texts, "");
	assert_string_equal(first, "");
	large = merge_text(&texts, text);
	assert_string_equal(large, text);
	assert_ptr_equal(merge_text(&texts, text), large);
	text[size - 2] = 'y';
	assert_ptr_not_equal(merge_text(&texts, text), large);
	assert_ptr_equal(merge_text(&texts, ""), first);
	free(text);
	merge_texts_release(&texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_is_kept_once_and_never_moves),
		cmocka_unit_test(test_long_texts_and_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
