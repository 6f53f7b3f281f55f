/* Where plans are kept, and the names of their variants. */
#include "patch/read/planreadpath.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define KIND(cost) ((struct plan_kind){cost, 0})

static void paths_are_the_environments(void **state)
{
	const uint8_t id[] = {0x01, 0xab, 0xff};
	char path[64];

	(void)state;
	assert_true(
		plancache_path_in("/c", "/h", id, 3, 0, KIND(PATCH_COST_FULL), path, sizeof(path)));
	assert_string_equal(path, "/c/kymo/plans/01abff.full.plan");
	assert_true(
		plancache_path_in("", "/h", id, 3, 0, KIND(PATCH_COST_COUNTS), path, sizeof(path)));
	assert_string_equal(path, "/h/.cache/kymo/plans/01abff.counts.plan");
	assert_true(plancache_path_in("rel", "/h", id, 0, 0x12, KIND(PATCH_COST_COARSE), path,
				      sizeof(path)));
	assert_string_equal(path, "/h/.cache/kymo/plans/file-0000000000000012.coarse.plan");
	assert_true(plancache_path_in("/c", "", id, 3, 0, plan_kind_of(PATCH_COST_COUNTS, false),
				      path, sizeof(path)));
	assert_string_equal(path, "/c/kymo/plans/01abff.counts-exits.plan");
	assert_true(plancache_path_in("/c", "", id, 3, 0,
				      (struct plan_kind){PATCH_COST_FULL, PLAN_VARIANT_THROTTLE},
				      path, sizeof(path)));
	assert_string_equal(path, "/c/kymo/plans/01abff.full-throttle.plan");
	assert_true(plancache_path_in("/c", "", id, 3, 0,
				      (struct plan_kind){PATCH_COST_FULL, PLAN_VARIANT_SERIALIZED},
				      path, sizeof(path)));
	assert_string_equal(path, "/c/kymo/plans/01abff.full-serialized.plan");
	assert_false(
		plancache_path_in(NULL, NULL, id, 3, 0, KIND(PATCH_COST_FULL), path, sizeof(path)));
	assert_false(plancache_path_in("/c", "/h", id, 3, 0, KIND(PATCH_COST_FULL), path, 30));
	assert_true(plancache_path_in("/c", "/h", id, 3, 0, KIND(PATCH_COST_FULL), path, 31));
}

static void variants_have_names(void **state)
{
	(void)state;
	for (unsigned variant = 1; variant < PLAN_VARIANTS; variant++)
		assert_int_equal(plancache_variant(plancache_variant_suffix(variant) + 1), variant);
	assert_string_equal(plancache_variant_suffix(0), "");
	assert_string_equal(plancache_variant_suffix(PLAN_VARIANTS), "");
	assert_int_equal(plancache_variant(""), 0);
	assert_int_equal(plancache_variant("exit"), PLAN_VARIANTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_the_environments),
		cmocka_unit_test(variants_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
