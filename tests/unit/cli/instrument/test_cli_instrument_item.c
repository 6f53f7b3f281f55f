/* What is said of a function in a list, and in which lists it is. */
#include "cli/instrument/instrument_item.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "choice_fixture.h"
#include "patch/read/planreadreason.h"

static const struct instrument_field *field_of(const struct instrument_item *item, const char *key)
{
	for (size_t i = 0; i < item->field_count; i++)
		if (strcmp(item->fields[i].key, key) == 0)
			return &item->fields[i];
	fail_msg("there is no field '%s'", key);
	return NULL;
}

static void assert_text(const struct instrument_item *item, const char *key, const char *expected)
{
	assert_int_equal(field_of(item, key)->kind, FIELD_TEXT);
	assert_string_equal(field_of(item, key)->text, expected);
}

static void test_lists(void **state)
{
	/* available, instrumented, excluded, overlapping */
	static const bool expected[CHOSEN_COUNT][LIST_COUNT] = {
		[CHOSEN_TAKEN] = {true, true, false, false},
		[CHOSEN_SMALL] = {true, false, true, false},
		[CHOSEN_OVERLAPS] = {true, false, false, true},
		[CHOSEN_UNNAMED] = {true, true, false, false},
		[CHOSEN_PART] = {false, false, false, false},
		[CHOSEN_LOOP] = {true, false, true, false},
	};
	struct chosen_file file;

	(void)state;
	chosen_make(&file);
	for (size_t i = 0; i < CHOSEN_COUNT; i++)
		for (int list = 0; list < LIST_COUNT; list++)
			assert_int_equal(
				instrument_list_has((enum instrument_list)list, &file.choice, i),
				expected[i][list]);
	chosen_release(&file);
}

static void test_a_function_that_is_taken(void **state)
{
	struct chosen_file file;
	struct instrument_item item = {.report = &file.report, .choice = &file.choice};

	(void)state;
	chosen_make(&file);
	item.index = CHOSEN_TAKEN;
	instrument_item_describe(&item);
	assert_text(&item, "signature", "a::solve(int)");
	assert_text(&item, "function", "a::solve");
	assert_text(&item, "linkage_name", "_ZN1a5solveEi");
	assert_text(&item, "module", "app");
	assert_text(&item, "linkage", "global");
	assert_text(&item, "way", "exits");
	assert_text(&item, "decision", "taken");
	assert_text(&item, "reason", "");
	assert_int_equal(field_of(&item, "address")->number, 0x1000);
	assert_int_equal(field_of(&item, "exits")->number, 2);
	assert_int_equal(field_of(&item, "instrumented")->number, 1);
	assert_int_equal(field_of(&item, "loops")->number, 1);
	assert_int_equal(field_of(&item, "ifunc")->number, 0);
	instrument_item_release(&item);
	chosen_release(&file);
}

/* Why it is not recorded, or not fully. */
static void test_reasons(void **state)
{
	struct chosen_file file;
	struct instrument_item item = {.report = &file.report, .choice = &file.choice};

	(void)state;
	chosen_make(&file);
	item.index = CHOSEN_SMALL;
	instrument_item_describe(&item);
	assert_text(&item, "reason", "fewer bytes than the minimum");
	assert_text(&item, "decision", "min-address-range");
	item.index = CHOSEN_OVERLAPS;
	instrument_item_describe(&item);
	assert_text(&item, "reason", plan_reason_text(PLAN_OVERLAPPING));
	assert_int_equal(field_of(&item, "instrumented")->number, 0);
	item.index = CHOSEN_UNNAMED;
	instrument_item_describe(&item);
	assert_text(&item, "reason", plan_reason_text(PLAN_UNKNOWN_JUMPS));
	assert_text(&item, "signature", "app+0x1060");
	assert_text(&item, "way", "entries");
	item.index = CHOSEN_LOOP;
	instrument_item_describe(&item);
	assert_text(&item, "signature", "a::solve(int), loop at +0x10");
	instrument_item_release(&item);
	chosen_release(&file);
}

static void test_hooks_of_the_compiler(void **state)
{
	static const struct {
		uint8_t way;
		uint16_t flag;
		const char *word;
	} cases[] = {
		{PLAN_WAY_HOOK, 0, "cyg_profile"},
		{PLAN_WAY_EXITS, PLAN_FUNCTION_NOPS, "nops"},
		{PLAN_WAY_EXITS, PLAN_FUNCTION_FENTRY, "fentry"},
		{PLAN_WAY_EXITS, PLAN_FUNCTION_MCOUNT, "mcount"},
		{PLAN_WAY_EXITS, 0, "none"},
		{PLAN_WAY_NONE, PLAN_FUNCTION_NOPS, "none"},
	};
	struct chosen_file file;
	struct instrument_item item = {.report = &file.report, .choice = &file.choice};

	(void)state;
	chosen_make(&file);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		file.functions[0].way = cases[i].way;
		file.functions[0].flags = cases[i].flag;
		instrument_item_describe(&item);
		assert_text(&item, "compiler_hook", cases[i].word);
	}
	instrument_item_release(&item);
	chosen_release(&file);
}

static void test_names_without_parameters(void **state)
{
	static const struct {
		const char *name;
		size_t length;
	} cases[] = {
		{"solve(int)", 5},
		{"solve", 5},
		{"f(void (*)(int))", 1},
		{"operator()(int) const", 10},
		{"a::b()", 4},
		{")", 1},
		{"f)(", 3},
		{"", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(instrument_bare_length(cases[i].name), cases[i].length);
	assert_string_equal(instrument_list_name(LIST_OVERLAPPING), "overlapping");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_a_function_that_is_taken),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_hooks_of_the_compiler),
		cmocka_unit_test(test_names_without_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
