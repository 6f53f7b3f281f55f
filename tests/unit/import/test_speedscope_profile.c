/* Whose a profile of speedscope is, and in which unit. */
#include "import/formats/speedscope_profile.h"

#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

static struct speedscope_import begin(struct imported *imported, const char *name, const char *unit)
{
	struct speedscope_import import = {.imported = imported};

	textbuf_bytes(&import.profile.name, name, strlen(name));
	textbuf_bytes(&import.profile.unit, unit, strlen(unit));
	return import;
}

static void end(struct speedscope_import *import)
{
	assert_true(speedscope_profile_end(import));
	textbuf_release(&import->profile.name);
	textbuf_release(&import->profile.unit);
	free(import->open);
}

static void test_names_tell_processes_and_threads(void **state)
{
	static const struct {
		const char *profile, *program, *thread;
		uint64_t pid, id;
	} cases[] = {
		{"app [12] MainThread", "app", "MainThread", 12, 0},
		{"Process 12 Thread 34 \"io\"", NULL, "Thread 34 \"io\"", 12, 34},
		{"Thread 0x1f \"io\"", NULL, "Thread 0x1f \"io\"", 0, 0x1f},
		{"a [b] c", NULL, "a [b] c", 0, 0},
		{"a [12]", NULL, "a [12]", 0, 0},
		{" [12] x", NULL, "x", 12, 0},
		{"Process x", NULL, "Process x", 0, 0},
		{"", NULL, NULL, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct imported imported;
		struct speedscope_import import;

		imported_init(&imported);
		import = begin(&imported, cases[i].profile, "seconds");
		end(&import);
		assert_int_equal(imported.processes[1].pid, cases[i].pid);
		assert_int_equal(imported.threads[1].system_id, cases[i].id);
		if (cases[i].thread)
			assert_string_equal(imported.threads[1].name, cases[i].thread);
		else
			assert_null(imported.threads[1].name);
		if (cases[i].program)
			assert_string_equal(imported.processes[1].name, cases[i].program);
		else
			assert_null(imported.processes[1].name);
		imported_release(&imported);
	}
}

static void test_units(void **state)
{
	struct imported imported;
	struct speedscope_import import;

	(void)state;
	imported_init(&imported);
	import = begin(&imported, "t", "milliseconds");
	end(&import);
	assert_null(import.unit);
	import = begin(&imported, "t", "bytes");
	end(&import);
	assert_string_equal(import.unit, "bytes");
	import = begin(&imported, "t", "furlongs");
	end(&import);
	assert_string_equal(import.unit, "none");
	imported.unit_ns = 1000; /* the user said what they are */
	import = begin(&imported, "t", "furlongs");
	end(&import);
	assert_null(import.unit);
	imported_release(&imported);
}

/* An end of a frame further out ends what is within it; one of none is counted. */
static void test_ends_that_do_not_match(void **state)
{
	struct frame_event events[] = {
		{1, 0, true}, {2, 1, true}, {5, 0, false}, {6, 1, false}, {7, 1, true},
	};
	struct imported_fixture fixture = {.status = KYMO_OK};
	struct imported *imported = &fixture.imported;
	struct speedscope_import import;
	uint32_t frames[2];

	(void)state;
	imported_init(imported);
	frames[0] = imported_user(imported, "f");
	frames[1] = imported_user(imported, "g");
	import = begin(imported, "t", "nanoseconds");
	import.frames = frames;
	import.frame_count = 2;
	import.profile.events = events;
	import.profile.event_count = 5;
	import.profile.end = 10;
	end(&import);
	ASSERT_IMPORTED(&fixture, "f 1 1\nf;g 1 3\ng 1 3\n");
	assert_int_equal(imported->counts[COUNT_UNMATCHED_ENDS], 1);
	assert_int_equal(imported->counts[COUNT_UNENDED], 1);
	imported_release(imported);
}

static void test_weights_that_are_none(void **state)
{
	uint32_t frames[1], stacks[] = {0, 0, 0};
	size_t ends[] = {1, 2, 3};
	double weights[] = {-1, 1e300, 4};
	struct imported_fixture fixture = {.status = KYMO_OK};
	struct imported *imported = &fixture.imported;
	struct speedscope_import import;

	(void)state;
	imported_init(imported);
	frames[0] = imported_user(imported, "f");
	import = begin(imported, "t", "nanoseconds");
	import.frames = frames;
	import.frame_count = 1;
	import.profile.stacks = stacks;
	import.profile.stack_count = 3;
	import.profile.stack_ends = ends;
	import.profile.sample_count = 3;
	import.profile.weights = weights;
	import.profile.weight_count = 3;
	end(&import);
	ASSERT_IMPORTED(&fixture, "f 1 4\n");
	assert_int_equal(imported->counts[COUNT_BAD_WEIGHTS], 2);
	assert_int_equal(imported->threads[1].sample_count, 1);
	imported_release(imported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_tell_processes_and_threads),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_ends_that_do_not_match),
		cmocka_unit_test(test_weights_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
