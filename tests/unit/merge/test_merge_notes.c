/* Notes of what is merged: which are kept, and that the order of adding does not matter. */
#include "merge/merge_notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void add(struct merge_notes *notes, const char *key, const char *text, uint64_t serial)
{
	merge_notes_add(notes, KYMO_NOTE_INFO, key, text, 1, serial);
}

static void test_texts_are_counted_once_a_recording(void **state)
{
	struct merge_notes notes = {0};

	(void)state;
	add(&notes, "cpu", "A", 1);
	add(&notes, "cpu", "A", 1);
	add(&notes, "cpu", "A", 2);
	add(&notes, "cpu", "B", 2);
	merge_notes_add(&notes, KYMO_NOTE_SETTING, "cpu", "A", 3, 1);
	assert_int_equal(notes.count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct merge_note *note = &notes.items[i];

		assert_string_equal(note->texts[0].text, "A");
		if (note->kind == KYMO_NOTE_INFO) {
			assert_int_equal(note->count, 2);
			assert_int_equal(note->texts[0].count, 2);
			assert_int_equal(note->texts[1].count, 1);
		} else {
			assert_int_equal(note->texts[0].count, 3);
		}
	}
	merge_notes_release(&notes);
}

/* Of many texts those stay that come first in their order, whenever they came. */
static void check_texts(int step)
{
	struct merge_notes notes = {0};
	char text[8];

	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "t%02d", i * step % 20);
		add(&notes, "host", text, (uint64_t)i + 1);
	}
	assert_int_equal(notes.items[0].count, MERGE_NOTE_TEXTS);
	assert_true(notes.items[0].has_more);
	for (int i = 0; i < MERGE_NOTE_TEXTS; i++) {
		snprintf(text, sizeof(text), "t%02d", i);
		assert_string_equal(notes.items[0].texts[i].text, text);
	}
	merge_notes_release(&notes);
}

static void test_many_texts(void **state)
{
	(void)state;
	check_texts(1);
	check_texts(19);
	check_texts(7);
}

static void test_many_keys(void **state)
{
	const int all = MERGE_NOTE_KEYS + 100;
	struct merge_notes notes = {0};
	char key[16];

	(void)state;
	for (int i = 0; i < all; i++) {
		snprintf(key, sizeof(key), "k%06d", (int)((int64_t)i * 1009 % all));
		add(&notes, key, "x", 1);
	}
	assert_int_equal(notes.count, MERGE_NOTE_KEYS);
	assert_true(notes.has_more);
	assert_false(notes.has_failed);
	for (int i = 0; i < MERGE_NOTE_KEYS; i++) {
		snprintf(key, sizeof(key), "k%06d", i);
		assert_string_equal(notes.items[i].key, key);
	}
	merge_notes_release(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts_are_counted_once_a_recording),
		cmocka_unit_test(test_many_texts),
		cmocka_unit_test(test_many_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
