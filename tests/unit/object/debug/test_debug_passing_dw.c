/* Classes of values: what structures take of the registers shows in where what follows lies. */
#include "object/debug/debug_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "object/debug/debug_fixture.h"

#ifdef __x86_64__

struct vectors {
	double x, y;
};
struct mixed {
	long number;
	float weight;
};
struct small {
	int first, second;
	char third[4];
};
struct large {
	char bytes[40];
};
union either {
	long number;
	double weight;
};

/* Each is followed by a number and a weight, which is in the next register of its kind. */
#define PASSES(type)                                                                               \
	int passes_##type(type_##type value, long number, double weight);                          \
	__attribute__((noinline)) int passes_##type(type_##type value, long number, double weight) \
	{                                                                                          \
		return ((const volatile char *)&value)[0] + (int)number + (int)weight;             \
	}

typedef struct vectors type_vectors;
typedef struct mixed type_mixed;
typedef struct small type_small;
typedef struct large type_large;
typedef union either type_either;
typedef long double type_extended;

PASSES(vectors)
PASSES(mixed)
PASSES(small)
PASSES(large)
PASSES(either)
PASSES(extended)

/* How many registers of each kind the first parameter took. */
static void expect_taken(void (*function)(void), unsigned integers, unsigned vectors)
{
	struct debug_signature signature = {.address = file_address(function)};
	unsigned found = 0;

	if (!debug_values_find(THIS_PROGRAM, &signature, 1))
		skip(); /* built without libdw, or without debug information */
	assert_true(signature.is_known);
	for (unsigned i = 0; !signature.is_changed && i < signature.count; i++) {
		const struct debug_value *value = &signature.values[i];

		if (strcmp(value->name, "number") == 0)
			assert_int_equal(value->place, VALUES_INTEGER + integers);
		else if (strcmp(value->name, "weight") == 0)
			assert_int_equal(value->place, VALUES_VECTOR + vectors);
		else
			continue;
		found++;
	}
	assert_int_equal(found, signature.is_changed ? 0 : 2);
	debug_values_release(&signature, 1);
}
#define EXPECT_TAKEN(type, integers, vectors)                                                      \
	expect_taken((void (*)(void))passes_##type, integers, vectors)

static void test_each_half_of_a_structure_has_its_class(void **state)
{
	(void)state;
	EXPECT_TAKEN(vectors, 0, 2);
	EXPECT_TAKEN(mixed, 1, 1);
	EXPECT_TAKEN(small, 2, 0);
}

static void test_integers_win_in_a_union(void **state)
{
	(void)state;
	EXPECT_TAKEN(either, 1, 0);
}

static void test_what_is_large_is_in_memory(void **state)
{
	(void)state;
	EXPECT_TAKEN(large, 0, 0);
	EXPECT_TAKEN(extended, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_half_of_a_structure_has_its_class),
		cmocka_unit_test(test_integers_win_in_a_union),
		cmocka_unit_test(test_what_is_large_is_in_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0; /* what it asks for is of another processor */
}

#endif
