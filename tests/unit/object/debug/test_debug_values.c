/* Signatures of this very program's functions: names, kinds and places. */
#include "object/debug/debug_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "object/debug/debug_fixture.h"

#ifdef __x86_64__

enum colour { RED, GREEN = 5, BLUE = -1 };
struct wide {
	long numbers[4];
};

int values_plain(int count, const char *text, double weight, void *data);
int values_many(long a, long b, long c, long d, long e, long f, short g, long h);
enum colour values_named(enum colour colour, _Bool is_set, unsigned char byte);
struct wide values_wide(struct wide wide, long after);

__attribute__((noinline)) int values_plain(int count, const char *text, double weight, void *data)
{
	return count + text[0] + (int)weight + (data != NULL);
}

__attribute__((noinline)) int values_many(long a, long b, long c, long d, long e, long f, short g,
					  long h)
{
	return (int)(a + b + c + d + e + f + g + h);
}

__attribute__((noinline)) enum colour values_named(enum colour colour, _Bool is_set,
						   unsigned char byte)
{
	return is_set && byte ? colour : GREEN;
}

__attribute__((noinline)) struct wide values_wide(struct wide wide, long after)
{
	wide.numbers[0] += after;
	return wide;
}

/* Of one function; skips where there is nothing to ask. */
static struct debug_signature signature_of(void (*function)(void))
{
	struct debug_signature signature = {.address = file_address(function)};

	if (!debug_values_find(THIS_PROGRAM, &signature, 1))
		skip(); /* built without libdw, or without debug information */
	assert_true(signature.is_known);
	if (signature.is_changed)
		skip(); /* the compiler has a way of its own */
	return signature;
}
#define SIGNATURE(function) signature_of((void (*)(void))(function))

static void expect_shown(const struct debug_value *value, const char *name, unsigned kind,
			 unsigned size, unsigned place)
{
	if (name)
		assert_string_equal(value->name, name);
	assert_int_equal(value->kind, kind);
	assert_int_equal(value->size, size);
	assert_int_equal(value->place, place);
}

static void test_kinds_of_registers_count_apart(void **state)
{
	struct debug_signature signature = SIGNATURE(values_plain);

	(void)state;
	assert_int_equal(signature.count, 4);
	expect_shown(&signature.values[0], "count", VALUES_SIGNED, 4, VALUES_INTEGER);
	expect_shown(&signature.values[1], "text", VALUES_TEXT, 8, VALUES_INTEGER + 1);
	expect_shown(&signature.values[2], "weight", VALUES_FLOAT, 8, VALUES_VECTOR);
	expect_shown(&signature.values[3], "data", VALUES_POINTER, 8, VALUES_INTEGER + 2);
	expect_shown(&signature.result, NULL, VALUES_SIGNED, 4, VALUES_INTEGER);
	debug_values_release(&signature, 1);
}

static void test_what_has_no_register_is_on_the_stack(void **state)
{
	struct debug_signature signature = SIGNATURE(values_many);

	(void)state;
	assert_int_equal(signature.count, 8);
	expect_shown(&signature.values[5], "f", VALUES_SIGNED, 8, VALUES_INTEGER + 5);
	expect_shown(&signature.values[6], "g", VALUES_SIGNED, 2, VALUES_STACK);
	expect_shown(&signature.values[7], "h", VALUES_SIGNED, 8, VALUES_STACK + 1);
	debug_values_release(&signature, 1);
}

static void test_enumerations_have_words(void **state)
{
	struct debug_signature signature = SIGNATURE(values_named);

	(void)state;
	assert_int_equal(signature.count, 3);
	expect_shown(&signature.values[0], "colour", VALUES_ENUM, 4, VALUES_INTEGER);
	assert_string_equal(signature.values[0].words, "RED=0;GREEN=5;BLUE=-1;");
	expect_shown(&signature.values[1], "is_set", VALUES_BOOL, 1, VALUES_INTEGER + 1);
	expect_shown(&signature.values[2], "byte", VALUES_UNSIGNED, 1, VALUES_INTEGER + 2);
	assert_string_equal(signature.result.words, "RED=0;GREEN=5;BLUE=-1;");
	debug_values_release(&signature, 1);
}

static void test_large_results_take_a_register_for_their_room(void **state)
{
	struct debug_signature signature = SIGNATURE(values_wide);

	(void)state;
	assert_int_equal(signature.count, 1); /* the structure is not shown */
	expect_shown(&signature.values[0], "after", VALUES_SIGNED, 8, VALUES_INTEGER + 1);
	assert_int_equal(signature.result.kind, 0);
	debug_values_release(&signature, 1);
}

static void test_files_without_debug_information(void **state)
{
	struct debug_signature signature = {.address = 0x1000};

	(void)state;
	assert_false(debug_values_find("/nowhere/x", &signature, 1));
	assert_false(debug_values_find("/proc/self/maps", &signature, 1));
	assert_false(signature.is_known);
	debug_values_release(&signature, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_of_registers_count_apart),
		cmocka_unit_test(test_what_has_no_register_is_on_the_stack),
		cmocka_unit_test(test_enumerations_have_words),
		cmocka_unit_test(test_large_results_take_a_register_for_their_room),
		cmocka_unit_test(test_files_without_debug_information),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0; /* what it asks for is of another processor */
}

#endif
