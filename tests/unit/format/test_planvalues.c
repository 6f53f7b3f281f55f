/* What says where values lie is taken when all of it fits, and not otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/planvalues.h"

struct made {
	struct values_header header;
	struct values_function functions[2];
	struct values_value values[3];
	char texts[20];
	char rest[8];
};

static void make(struct made *made)
{
	memset(made, 0, sizeof(*made));
	memcpy(made->header.magic, VALUES_MAGIC, sizeof(made->header.magic));
	made->header.size = sizeof(*made) / 8 * 8;
	made->header.function_count = 2;
	made->header.value_count = 3;
	made->header.texts_size = sizeof(made->texts);
	made->functions[0] = (struct values_function){.index = 3, .first = 0, .count = 1};
	made->functions[1] = (struct values_function){
		.index = 9, .first = 1, .count = 1, .has_result = 1, .is_ended = 1};
	made->values[0] = (struct values_value){.place = 5, .kind = VALUES_SIGNED, .size = 4};
	made->values[1] = (struct values_value){
		.place = VALUES_STACK + 7, .kind = VALUES_FLOAT, .size = 16, .name = 19};
	made->values[2] =
		(struct values_value){.place = VALUES_VECTOR, .kind = VALUES_FLOAT, .size = 8};
}

static bool is_taken(const struct made *made)
{
	struct values values;

	return values_read(made, sizeof(*made), 10, &values);
}

static void what_fits_is_taken(void **state)
{
	struct values values;
	struct made made;

	(void)state;
	make(&made);
	assert_true(values_read(&made, sizeof(made), 10, &values));
	assert_ptr_equal(values_find(&values, 3), &made.functions[0]);
	assert_ptr_equal(values_find(&values, 9), &made.functions[1]);
	assert_null(values_find(&values, 4));
	assert_null(values_find(&values, 10));
	assert_false(values_read(&made, sizeof(made), 9, &values));
	assert_false(values_read(&made, made.header.size - 1, 10, &values));
	assert_false(values_read(&made, 8, 10, &values));
}

#define REFUSES(change)                                                                            \
	do {                                                                                       \
		make(&made);                                                                       \
		change;                                                                            \
		assert_false(is_taken(&made));                                                     \
	} while (0)

static void what_does_not_fit_is_not(void **state)
{
	struct made made;

	(void)state;
	REFUSES(made.header.magic[0] = 'k');
	REFUSES(made.header.size = sizeof(made) + 8);
	REFUSES(made.header.function_count = UINT32_MAX);
	REFUSES(made.header.value_count = UINT32_MAX);
	REFUSES(made.header.texts_size = 0);
	REFUSES(made.header.texts_size = UINT32_MAX);
	REFUSES(made.texts[0] = 'x');
	REFUSES(made.texts[19] = 'x');
	REFUSES(made.functions[1].index = 3);
	REFUSES(made.functions[0].name = 20);
	REFUSES(made.functions[0].count = VALUES_EACH_MAX + 1);
	REFUSES(made.functions[0].has_result = 1); /* without an end */
	REFUSES(made.functions[1].has_result = 2);
	REFUSES(made.functions[1].first = 2);
	REFUSES(made.functions[1].first = UINT32_MAX);
	REFUSES(made.values[0].name = 20);
	REFUSES(made.values[0].words = 20);
	REFUSES(made.values[0].kind = 0);
	REFUSES(made.values[0].kind = VALUES_KINDS);
	REFUSES(made.values[0].size = 16);
	REFUSES(made.values[0].size = 3);
	REFUSES(made.values[0].kind = VALUES_TEXT);
	REFUSES(made.values[0].place = 6);
	REFUSES(made.values[0].place = VALUES_VECTOR + 8);
	REFUSES(made.values[0].place = VALUES_PLACES);
	REFUSES(made.values[2].place = 1);
	REFUSES(made.values[2].place = VALUES_X87); /* of 8 bytes */
}

/* Any byte may be any other: nothing outside is looked at, which sanitizers watch over. */
static void no_byte_leads_outside(void **state)
{
	struct values values;
	struct made made;

	(void)state;
	for (size_t at = 0; at < sizeof(made); at++)
		for (unsigned value = 0; value < 256; value += 15) {
			make(&made);
			((unsigned char *)&made)[at] = (unsigned char)value;
			if (values_read(&made, sizeof(made), 10, &values))
				for (uint32_t i = 0; i < values.function_count; i++)
					assert_true(values.functions[i].index < 10);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_taken),
		cmocka_unit_test(what_does_not_fit_is_not),
		cmocka_unit_test(no_byte_leads_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
