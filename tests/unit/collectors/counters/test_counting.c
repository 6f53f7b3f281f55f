/* What the runtime is told of counters, and what the recording says of those that took turns. */
#include "collectors/counters/counting.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/notes_fixture.h"

struct counter counters[KYMO_COUNTERS_MAX];
unsigned counter_count;
static const struct kymo_counters *provided;
static double percent;

void counters_choose(void)
{
	counter_count = 2;
	strcpy(counters[0].name, "A");
	strcpy(counters[1].name, "B");
	strcpy(counters[1].text, "what it counts");
}

void counters_notes_write(void)
{
	kymo_note_add(KYMO_NOTE_LOSS, "counters", "kept");
}

void counters_note_loss(const char *name, const char *why)
{
	kymo_note_add(KYMO_NOTE_LOSS, name, why);
}

void counters_set_read(uint64_t *values)
{
	(void)values;
}

void counters_set_end(void)
{
}

void counters_set_forked(void)
{
}

double counters_running_percent(void)
{
	return percent;
}

/* Before main(); false = the recording had begun. */
bool kymo_counters_provide(const struct kymo_counters *given)
{
	provided = given;
	return false;
}

void kymo_runtime_on_open(kymo_open_fn listener)
{
	assert_ptr_equal(listener, counters_notes_write);
}

static void test_too_late_is_said(void **state)
{
	(void)state;
	assert_string_equal(notes_kept, "PAPI_EVENTS: the recording had begun before\n");
}

static void test_names(void **state)
{
	const struct kymo_counter_name *found;

	(void)state;
	assert_int_equal(provided->begin(&found), 2);
	assert_string_equal(found[0].name, "A");
	assert_string_equal(found[1].description, "what it counts");
	assert_string_equal(found[1].unit, "");
}

static void test_turns(void **state)
{
	(void)state;
	notes_forget();
	percent = 100;
	provided->close();
	assert_string_equal(notes_kept, "counters: kept\n");
	notes_forget();
	percent = 41.7;
	provided->close();
	assert_string_equal(notes_kept,
			    "counters: kept\ncounters: counters were multiplexed and counted "
			    "42 % of the time: the values are estimates\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_too_late_is_said),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
