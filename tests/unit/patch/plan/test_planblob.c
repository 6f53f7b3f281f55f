/* Machine code that grows in two stretches, and the distances in it. */
#include "patch/plan/planblob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "patch/plan/planjoin.h"
#include "patch/plan/planaddresses.h"

static const struct plan_addresses addresses = {
	.hot = 0x10000, .cold = 0x20000, .vector = 0x30000, .gate = 0x40000};

static int32_t distance_at(const struct plan_stretch *stretch, size_t at)
{
	int32_t distance;

	memcpy(&distance, stretch->bytes + at, 4);
	return distance;
}

static void test_distances_lead_where_they_should(void **state)
{
	struct plan_blob blob;
	uint32_t fixups[8];

	(void)state;
	planblob_init(&blob, (struct plan_kind){PATCH_COST_FULL, 0});
	planblob_bytes(&blob, false, "\xe9", 1);
	planblob_link(&blob, false, PLAN_TO_COLD, 0x20, 4);
	planblob_bytes(&blob, false, "\x48\x8b\x05", 3);
	planblob_link(&blob, false, PLAN_TO_FILE, 0x500, 4);
	planblob_bytes(&blob, true, "\xe9", 1);
	planblob_link(&blob, true, PLAN_TO_HOT, 5, 4);
	planblob_link(&blob, true, PLAN_TO_VECTOR, 8, 5);
	planblob_link(&blob, true, PLAN_TO_SWITCH, 0, 4);
	planblob_link(&blob, true, PLAN_TO_FILE, 0x600, 4);
	assert_int_equal(planaddresses_resolve(&blob, &addresses, NULL, fixups), 2);
	assert_int_equal(distance_at(&blob.hot, 1), 0x20020 - 0x10005);
	assert_int_equal(distance_at(&blob.hot, 8), 0x500 - 0x1000c);
	assert_int_equal(distance_at(&blob.cold, 1), 0x10005 - 0x20005);
	assert_int_equal(distance_at(&blob.cold, 5), 0x30008 - 0x2000a);
	assert_int_equal(distance_at(&blob.cold, 9), 0x40000 - 0x2000d);
	/* Where the file's addresses are, from the start of the hot stretch. */
	assert_int_equal(fixups[0], 8);
	assert_int_equal(fixups[1], 0x10000 + 13);
	assert_false(blob.is_failed);
	planblob_release(&blob);
}

static void test_out_of_reach(void **state)
{
	struct plan_blob blob;
	uint32_t fixups[2];

	(void)state;
	planblob_init(&blob, (struct plan_kind){PATCH_COST_FULL, 0});
	planblob_link(&blob, false, PLAN_TO_FILE, addresses.hot + 4 + INT32_MAX, 4);
	assert_int_equal(planaddresses_resolve(&blob, &addresses, NULL, fixups), 1);
	planblob_link(&blob, false, PLAN_TO_FILE, addresses.hot + 8 + INT32_MAX + UINT64_C(1), 4);
	assert_int_equal(planaddresses_resolve(&blob, &addresses, NULL, fixups), SIZE_MAX);
	planblob_release(&blob);
}

/* Other forms are the processor's own; in one page nothing is to be fixed up. */
static bool set_form(const struct plan_link *link, uint8_t *place, uint64_t address,
		     uint64_t target)
{
	assert_int_equal(address, addresses.hot + link->at);
	assert_int_equal(*place, 0x94);
	*place = (uint8_t)target;
	return true;
}

static void test_other_forms(void **state)
{
	struct plan_blob blob;
	uint32_t fixups[2];

	(void)state;
	planblob_init(&blob, (struct plan_kind){PATCH_COST_FULL, 0});
	planblob_link_form(&blob, false, PLAN_TO_FILE, 0x77, PLAN_FORM_LOW, 0x94);
	planblob_link_form(&blob, false, PLAN_TO_FILE, 0x78, PLAN_FORM_PAGE, 0x94);
	assert_int_equal(planaddresses_resolve(&blob, &addresses, set_form, fixups), 1);
	assert_int_equal(fixups[0], 4);
	assert_int_equal(blob.hot.bytes[0], 0x77);
	assert_int_equal(blob.hot.bytes[4], 0x78);
	planblob_release(&blob);
}

static void test_going_back(void **state)
{
	struct plan_blob blob;
	struct plan_state kept;

	(void)state;
	planblob_init(&blob, (struct plan_kind){PATCH_COST_FULL, 0});
	planblob_bytes(&blob, false, "abc", 3);
	planblob_mark(&blob, false, PLAN_RULE_ENTRY, 0);
	planblob_begin(&blob, &kept);
	for (int i = 0; i < 1000; i++) {
		planblob_link(&blob, i % 2, PLAN_TO_FILE, 1, 4);
		planblob_mark(&blob, i % 2, PLAN_RULE_SLOW, 0);
	}
	planblob_back(&blob, &kept);
	assert_int_equal(blob.hot.size, 3);
	assert_int_equal(blob.cold.size, 0);
	assert_int_equal(blob.link_count, 0);
	assert_int_equal(blob.mark_count, 1);
	assert_int_equal(blob.cold_mark_count, 0);
	assert_memory_equal(blob.hot.bytes, "abc", 3);
	planblob_release(&blob);
}

static void test_alignment(void **state)
{
	static const unsigned alignments[] = {PLAN_ALIGN, PLAN_LINE};
	struct plan_blob blob;

	(void)state;
	planblob_init(&blob, (struct plan_kind){PATCH_COST_FULL, 0});
	for (unsigned size = 0; size < 2 * PLAN_LINE + 5; size++) {
		unsigned alignment = alignments[size % 3 == 0];
		size_t before = blob.hot.size;

		planblob_align(&blob, false, alignment);
		assert_int_equal(blob.hot.size % alignment, 0);
		assert_true(blob.hot.size - before < alignment);
		for (size_t at = before; at < blob.hot.size; at++)
			assert_int_equal(blob.hot.bytes[at], 0xcc);
		for (unsigned i = 0; i < size; i++)
			planblob_bytes(&blob, false, "x", 1);
	}
	planblob_release(&blob);
}

/* Two halves that were made apart are one. */
static void test_appended(void **state)
{
	struct plan_blob blob, other;
	uint32_t fixups[4];

	(void)state;
	planblob_init(&blob, (struct plan_kind){PATCH_COST_FULL, 0});
	planblob_init(&other, (struct plan_kind){PATCH_COST_FULL, 0});
	planblob_bytes(&blob, false, "abc", 3);
	planblob_mark(&blob, false, PLAN_RULE_ENTRY, 0);
	planblob_bytes(&blob, true, "0123456789abcdefg", 17);
	planblob_mark(&other, false, PLAN_RULE_FILE, 0x99);
	planblob_link(&other, false, PLAN_TO_COLD, 4, 4);
	planblob_extent(&other, 0, 0, 7);
	planblob_link(&other, true, PLAN_TO_HOT, 0, 4);
	planblob_mark_stepped(&other, true, 0x88, 8);
	assert_int_equal(planjoin_blobs(&blob, &other), PLAN_LINE);
	assert_int_equal(planaddresses_resolve(&blob, &addresses, NULL, fixups), 0);
	assert_int_equal(distance_at(&blob.hot, PLAN_LINE), 0x20024 - 0x10044);
	assert_int_equal(distance_at(&blob.cold, 32), 0x10040 - 0x20024);
	assert_true(blob.marks[1].at == PLAN_LINE && blob.marks[1].address == 0x99);
	assert_true(blob.cold_marks[0].at == 36 && blob.cold_marks[0].stepped == 8);
	assert_true(blob.extents[0].start == PLAN_LINE);
	assert_true(blob.extents[0].end == PLAN_LINE + 4);
	assert_true(blob.extents[0].first_mark == 1 && blob.extents[0].mark_count == 1);
	assert_int_equal(blob.extents[0].function, 7);
	planblob_release(&other);
	planblob_release(&blob);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distances_lead_where_they_should),
		cmocka_unit_test(test_out_of_reach),
		cmocka_unit_test(test_other_forms),
		cmocka_unit_test(test_going_back),
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_appended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
