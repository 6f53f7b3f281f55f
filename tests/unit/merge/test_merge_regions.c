/* Regions of what is merged, by all that is known of them. */
#include "merge/merge_regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct merge_region plain = {
	.kind = 1, .line = 10, .texts = {"f", NULL, "m", "f.py", "(x)"}};

/* plain with its property number i another one. */
static struct merge_region other(unsigned i)
{
	struct merge_region region = plain;

	switch (i) {
	case 0:
		region.kind++;
		break;
	case 1:
		region.flags++;
		break;
	case 2:
		region.line++;
		break;
	case 3:
		region.argument_count++;
		break;
	case 4:
		region.local_count++;
		break;
	case 5:
		region.stack_size++;
		break;
	default:
		region.texts[i - 6] = region.texts[i - 6] ? NULL : "g";
	}
	return region;
}
#define PROPERTIES (6 + MERGE_REGION_TEXTS)

static void test_every_property_makes_another_region(void **state)
{
	struct merge_regions regions = {0};

	(void)state;
	assert_int_equal(merge_regions_add(&regions, &plain), 0);
	for (unsigned i = 0; i < PROPERTIES; i++) {
		struct merge_region region = other(i);

		assert_int_not_equal(merge_region_compare(&plain, &region), 0);
		assert_int_equal(merge_regions_add(&regions, &region), i + 1);
	}
	assert_int_equal(merge_regions_add(&regions, &plain), 0);
	assert_int_equal(regions.count, PROPERTIES + 1);
	assert_true(merge_regions_bytes(&regions) > regions.count * sizeof(plain));
	merge_regions_release(&regions);
	assert_int_equal(regions.count, 0);
}

/* A total order: without it the merged file would depend on the order of adding. */
static void test_the_order_is_one(void **state)
{
	struct merge_region all[PROPERTIES + 1];

	(void)state;
	all[0] = plain;
	for (unsigned i = 0; i < PROPERTIES; i++)
		all[i + 1] = other(i);
	for (unsigned a = 0; a <= PROPERTIES; a++) {
		for (unsigned b = 0; b <= PROPERTIES; b++) {
			int order = merge_region_compare(&all[a], &all[b]);

			assert_int_equal(order == 0, a == b);
			assert_int_equal(order<0, merge_region_compare(&all[b], &all[a])> 0);
			for (unsigned c = 0; c <= PROPERTIES && order < 0; c++)
				if (merge_region_compare(&all[b], &all[c]) < 0)
					assert_true(merge_region_compare(&all[a], &all[c]) < 0);
		}
	}
}

static void test_sorted(void **state)
{
	struct merge_regions regions = {0};
	uint32_t *order, *rank;

	(void)state;
	for (unsigned i = PROPERTIES; i-- > 0;) {
		struct merge_region region = other(i);

		merge_regions_add(&regions, &region);
	}
	assert_true(merge_regions_sort(&regions, &order, &rank));
	for (uint32_t i = 0; i < regions.count; i++) {
		assert_int_equal(rank[order[i]], i);
		if (i > 0)
			assert_true(merge_region_compare(&regions.items[order[i - 1]],
							 &regions.items[order[i]]) < 0);
	}
	free(order);
	free(rank);
	merge_regions_release(&regions);
}

/* An address says nothing outside of its process. */
static void test_addresses_of_objects_are_left_out(void **state)
{
	struct region region = {.kind = KYMO_REGION_PYTHON, .name = "f", .arguments = "(0x7f00)"};

	(void)state;
	assert_string_equal(merge_region_of(&region).texts[4], "(0x7f00)");
	region.flags = KYMO_REGION_OBJECT | REGION_IS_LINE;
	assert_null(merge_region_of(&region).texts[4]);
	assert_int_equal(merge_region_of(&region).flags, KYMO_REGION_OBJECT);
	region.arguments = "(lock)";
	assert_string_equal(merge_region_of(&region).texts[4], "(lock)");
}

static void test_threads_are_behind_all_regions(void **state)
{
	const struct thread thread = {.name = "a", .flags = UINT32_MAX};
	struct merge_region named = merge_region_of_thread(&thread);

	(void)state;
	assert_true(merge_region_compare(&plain, &named) < 0);
	assert_int_equal(named.flags, KYMO_THREAD_FIBER | KYMO_THREAD_IDLE);
	assert_string_equal(named.texts[0], "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_property_makes_another_region),
		cmocka_unit_test(test_the_order_is_one),
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_addresses_of_objects_are_left_out),
		cmocka_unit_test(test_threads_are_behind_all_regions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
