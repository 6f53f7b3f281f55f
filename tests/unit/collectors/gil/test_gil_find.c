/* When the GIL is looked for, and that it is not taken for found before the interpreter made it. */
#include "collectors/gil/gil_find.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pystack/pyruntime.h"
#include "pystack/pyruntime_self.h"

struct gil_conditions gil_conditions;

static bool is_python, is_ready;
static struct pygil gil;
static unsigned looks;

bool pyruntime_find(struct pyruntime *out, const char **reason_out)
{
	(void)out;
	*reason_out = NULL;
	return is_python;
}

bool pyruntime_is_ready(const struct pyruntime *of, const struct pymemory *memory)
{
	(void)of, (void)memory;
	looks++;
	return is_ready;
}

bool pygil_read(const struct pyruntime *of, const struct pymemory *memory, uint64_t thread,
		struct pygil *out)
{
	(void)of, (void)memory, (void)thread;
	*out = gil;
	return true;
}

static int begin(void **state)
{
	(void)state;
	gil_conditions = (struct gil_conditions){0, 0};
	signals = looks = 0;
	is_python = is_ready = true;
	gil = (struct pygil){.condition = 0x100, .switch_condition = 0x200};
	gil_find_begin();
	return 0;
}

static void test_found(void **state)
{
	(void)state;
	gil_find();
	assert_int_equal(gil_conditions.dropped, 0x100);
	assert_int_equal(gil_conditions.taken, 0x200);
}

static void test_ever_more_seldom(void **state)
{
	(void)state;
	is_ready = false;
	for (unsigned i = 0; i < 1024; i++)
		gil_find();
	assert_int_equal(looks, 11); /* 1, 2, 4 … 1024 */
	assert_int_equal(gil_conditions.taken, 0);
}

static void test_one_that_is_not_made_yet(void **state)
{
	(void)state;
	gil.switch_condition = 0;
	gil_find();
	assert_int_equal(gil_conditions.dropped, 0);
}

static void test_no_python(void **state)
{
	(void)state;
	is_python = false;
	gil_find_begin();
	gil_find();
	assert_int_equal(looks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_found, begin),
		cmocka_unit_test_setup(test_ever_more_seldom, begin),
		cmocka_unit_test_setup(test_one_that_is_not_made_yet, begin),
		cmocka_unit_test_setup(test_no_python, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
