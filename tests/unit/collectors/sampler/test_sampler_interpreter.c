/* The interpreter of the process: looked for again when there is news, and asked with care. */
#include "collectors/sampler/python/sampler_interpreter.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pystack/merge/pymerge_bounds.h"
#include "pystack/pyruntime.h"
#include "pystack/pyruntime_self.h"

static bool is_there, is_running, is_mapped;
static const char *why;
static unsigned looks, careful, direct;

bool unwind_copy(uint64_t address, void *to, size_t size)
{
	(void)address, (void)to, (void)size;
	return is_mapped;
}

bool pyruntime_find(struct pyruntime *out, const char **reason_out)
{
	looks++;
	out->runtime = 0x1000;
	*reason_out = why;
	return is_there;
}

bool pyruntime_is_ready(const struct pyruntime *runtime, const struct pymemory *memory)
{
	assert_int_equal(runtime->runtime, 0x1000);
	careful += memory != NULL;
	return is_running;
}

bool pyruntime_is_running(const struct pyruntime *runtime)
{
	(void)runtime;
	direct++;
	return is_running;
}

bool pymerge_bounds(const struct pyruntime *runtime, struct pymerge_evaluation *out)
{
	(void)runtime, (void)out;
	return true;
}

static int begin(void **state)
{
	(void)state;
	memset(found, 0, sizeof(found));
	found_count = 0;
	current = NULL;
	was_ready = is_searching = has_new_module = false;
	is_there = is_running = is_mapped = true;
	why = NULL;
	looks = careful = direct = 0;
	return 0;
}

static void init(void)
{
	sampler_interpreter_init();
	find_object = NULL; /* no loader knows the test's addresses */
}

static void test_from_the_start(void **state)
{
	(void)state;
	is_running = false;
	init();
	assert_null(sampler_interpreter_now()); /* not initialised yet */
	is_running = true;
	assert_ptr_equal(sampler_interpreter_now(), &found[0]);
	assert_ptr_equal(sampler_interpreter_now(), &found[0]);
	assert_int_equal(direct, 1); /* it stays: no more care is needed */
	assert_int_equal(looks, 1);
}

static void test_one_that_is_loaded_later(void **state)
{
	(void)state;
	is_there = false;
	init();
	assert_null(sampler_interpreter_now());
	assert_int_equal(looks, 1); /* nothing new: nobody looks */
	is_there = true;
	sampler_interpreter_note_module();
	assert_ptr_equal(sampler_interpreter_now(), &found[0]);
	assert_int_equal(careful, 1);
	is_mapped = false; /* it is unloaded */
	assert_null(sampler_interpreter_now());
	is_mapped = true; /* and another one loaded */
	sampler_interpreter_note_module();
	assert_ptr_equal(sampler_interpreter_now(), &found[1]);
}

static void test_one_that_cannot_be_looked_into(void **state)
{
	(void)state;
	is_there = false;
	why = "its layout is not known";
	init();
	assert_string_equal(sampler_interpreter_obstacle(), why);
}

/* Who looks was interrupted by, or runs beside, another who does without. */
static void test_one_looks_at_a_time(void **state)
{
	(void)state;
	is_there = false;
	init();
	is_there = is_searching = true;
	sampler_interpreter_note_module();
	assert_null(sampler_interpreter_now());
	assert_int_equal(looks, 1);
	sampler_interpreter_forked(); /* in a child nobody looks */
	assert_non_null(sampler_interpreter_now());
}

static void test_as_many_as_there_is_room_for(void **state)
{
	(void)state;
	is_there = false;
	init();
	is_there = true;
	for (unsigned i = 0; i < FOUND_MAX + 2; i++) {
		is_mapped = true;
		sampler_interpreter_note_module();
		assert_ptr_equal(sampler_interpreter_now(), i < FOUND_MAX ? &found[i] : NULL);
		is_mapped = false;
		(void)sampler_interpreter_now();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_from_the_start, begin),
		cmocka_unit_test_setup(test_one_that_is_loaded_later, begin),
		cmocka_unit_test_setup(test_one_that_cannot_be_looked_into, begin),
		cmocka_unit_test_setup(test_one_looks_at_a_time, begin),
		cmocka_unit_test_setup(test_as_many_as_there_is_room_for, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
