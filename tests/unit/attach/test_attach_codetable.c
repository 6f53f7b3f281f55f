/* Code objects that were seen: read once, compared from time to time, another one told apart. */
#include "attach/python/codetable.h"

#include "pyobjects_fixture.h"

#define SECOND UINT64_C(1000000000)

static struct codetable table;

static int tear_down(void **state)
{
	(void)state;
	codetable_release(&table);
	assert_int_equal(table.count, 0);
	return 0;
}

static void name_code(uint64_t code, const char *name, uint32_t first_line)
{
	const struct pylayout *layout = &python.runtime.layout;

	synthetic_python_word(&python, code + layout->code.name, make_text(name));
	synthetic_python_put(&python, code + layout->code.first_line, &first_line,
			     sizeof(first_line));
}

static uint64_t make_code(const char *name, uint32_t first_line)
{
	const struct pylayout *layout = &python.runtime.layout;
	uint64_t code = synthetic_python_code(&python, 8, 0), lines;

	name_code(code, name, first_line);
	synthetic_python_word(&python, code + layout->code.filename, make_text("a.py"));
	lines = make_object(text_type, 4, layout->object.bytes_data + 4);
	synthetic_python_put(&python, lines + layout->object.bytes_data, "\0\1\2\1", 4);
	synthetic_python_word(&python, code + layout->code.lines, lines);
	return code;
}

static bool find(uint64_t code, uint64_t now_ns, uint32_t *id_out)
{
	return codetable_find(&table, &python.runtime, &python.memory, code, now_ns, id_out);
}

static void test_numbers_in_the_order_of_finding(void **state)
{
	uint64_t one = make_code("one", 3), two = make_code("two", 9);
	uint32_t id = 7;

	(void)state;
	assert_true(find(one, SECOND, &id));
	assert_int_equal(id, 0);
	assert_true(find(two, SECOND, &id));
	assert_int_equal(id, 1);
	assert_true(find(one, SECOND, &id));
	assert_int_equal(id, 0);
	assert_int_equal(table.count, 2);
	assert_string_equal(table.entries[1].name, "two");
	assert_string_equal(table.entries[1].qualname, "");
	assert_string_equal(table.entries[1].file, "a.py");
	assert_int_equal(table.entries[1].first_line, 9);
	assert_int_equal(table.entries[1].lines_size, 4);
	assert_memory_equal(table.entries[1].lines, "\0\1\2\1", 4);
}

/* What lies there now is looked at again after a while, not at once. */
static void test_another_one_at_the_same_address(void **state)
{
	uint64_t code = make_code("old", 3);
	uint32_t id = 7;

	(void)state;
	assert_true(find(code, SECOND, &id));
	assert_int_equal(id, 0);
	name_code(code, "new", 5);
	assert_true(find(code, SECOND + 1000, &id));
	assert_int_equal(id, 0);
	assert_true(find(code, 2 * SECOND, &id));
	assert_int_equal(id, 1);
	assert_true(find(code, 2 * SECOND + 1000, &id));
	assert_int_equal(id, 1);
	assert_true(find(code, 3 * SECOND, &id)); /* still the same */
	assert_int_equal(id, 1);
	assert_string_equal(table.entries[0].name, "old");
	assert_string_equal(table.entries[1].name, "new");
}

static void test_what_is_no_code(void **state)
{
	uint64_t code = make_code("gone", 3);
	uint32_t id = 7;

	(void)state;
	assert_false(find(8, SECOND, &id));
	assert_false(find(make_text("a text"), SECOND, &id));
	assert_int_equal(table.count, 0);
	assert_true(find(code, SECOND, &id));
	synthetic_python_word(&python, code + python.runtime.layout.object.type, text_type);
	assert_false(find(code, 2 * SECOND, &id));
	assert_int_equal(id, 0); /* left as it was */
}

static void test_shapes_are_good_for_a_short_while(void **state)
{
	uint64_t code = make_code("one", 3);
	struct pycode_shape shape;
	uint32_t id;

	(void)state;
	assert_false(codetable_shape(&table, code, SECOND, &shape));
	assert_true(find(code, SECOND, &id));
	assert_true(codetable_shape(&table, code, SECOND + 1000, &shape));
	assert_int_equal(shape.units, 0); /* nothing is asked of 3.8 */
	assert_false(codetable_shape(&table, code, 2 * SECOND, &shape));
	assert_false(codetable_shape(&table, code + 16, SECOND, &shape));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_numbers_in_the_order_of_finding,
						set_up_objects, tear_down),
		cmocka_unit_test_setup_teardown(test_another_one_at_the_same_address,
						set_up_objects, tear_down),
		cmocka_unit_test_setup_teardown(test_what_is_no_code, set_up_objects, tear_down),
		cmocka_unit_test_setup_teardown(test_shapes_are_good_for_a_short_while,
						set_up_objects, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
