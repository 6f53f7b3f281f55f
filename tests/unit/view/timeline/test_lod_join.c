/* What is joined, level upon level, against a naive model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/timeline/lod_fixture.h"
#include "view/timeline/lod_join.h"

#define ITEMS_MAX 200000u
#define DEPTHS	  8u
#define LEVELS	  10u

struct kept { /* all that was put */
	struct lod_item *items[LOD_LEVELS][LOD_PARTS];
	size_t counts[LOD_LEVELS][LOD_PARTS];
};

static void keep(void *context, unsigned int level, enum lod_kind part, const struct lod_item *item)
{
	struct kept *kept = context;
	size_t *count = &kept->counts[level][part];

	if (!kept->items[level][part])
		kept->items[level][part] = malloc(ITEMS_MAX * sizeof(*item));
	assert_non_null(kept->items[level][part]);
	assert_true(*count < ITEMS_MAX);
	kept->items[level][part][(*count)++] = *item;
}

static void kept_release(struct kept *kept)
{
	for (unsigned int i = 0; i < LOD_LEVELS; i++) {
		for (unsigned int k = 0; k < LOD_PARTS; k++)
			free(kept->items[i][k]);
	}
}

/* Lengths and gaps of all magnitudes, zero too. */
static uint64_t random_length(void)
{
	return next_random() & ((UINT64_C(1) << next_random() % 22) - 1);
}

struct slices {
	struct lod_item items[20000];
	size_t count;
	uint64_t end_ns;
};

/* Of several depths, those of a depth in order; depths take turns as they do in a trace. */
static void make_slices(struct slices *slices, size_t count)
{
	uint64_t last[DEPTHS] = {0};

	slices->count = count;
	slices->end_ns = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t depth = (uint32_t)(next_random() % DEPTHS);
		uint64_t start = last[depth] + random_length(), end = start + random_length();

		slices->items[i] = (struct lod_item){
			.start_ns = start,
			.end_ns = end,
			.busy_ns = end - start,
			.count = 1,
			.region = (uint32_t)(next_random() % 7),
			.depth = depth,
		};
		last[depth] = end;
		slices->end_ns = end > slices->end_ns ? end : slices->end_ns;
	}
}

static void join_all(const struct slices *slices, unsigned int levels, struct kept *kept)
{
	struct lod_join *join = lod_join_new(keep, kept);

	lod_join_begin(join, levels);
	for (size_t i = 0; i < slices->count; i++) {
		const struct lod_item *item = &slices->items[i];

		lod_join_slice(join, item->start_ns, item->end_ns, item->depth, item->region);
	}
	lod_join_finish(join);
	lod_join_free(join);
}

struct sums {
	uint64_t busy_ns, count;
};

static void add_items(struct sums sums[DEPTHS], const struct kept *kept, unsigned int level,
		      enum lod_kind part)
{
	for (size_t i = 0; i < kept->counts[level][part]; i++) {
		const struct lod_item *item = &kept->items[level][part][i];

		sums[item->depth].busy_ns += item->busy_ns;
		sums[item->depth].count += item->count;
	}
}

/* Each level shows all of the time and all of the slices of every depth. */
static void check_conserved(const struct slices *slices, const struct kept *kept)
{
	for (unsigned int level = 0; level < LEVELS; level++) {
		struct sums expected[DEPTHS] = {0}, found[DEPTHS] = {0};

		for (size_t i = 0; i < slices->count; i++) {
			expected[slices->items[i].depth].busy_ns += slices->items[i].busy_ns;
			expected[slices->items[i].depth].count++;
		}
		for (unsigned int i = level; i < LOD_LEVELS; i++)
			add_items(found, kept, i, LOD_EXACT);
		if (level)
			add_items(found, kept, level, LOD_JOINED);
		assert_memory_equal(found, expected, sizeof(found));
	}
}

/* The slices of that depth that one joined slice says it stands for. */
static void check_joined(const struct slices *slices, const struct lod_item *joined,
			 unsigned int level)
{
	uint64_t busy = 0, count = 0, start = UINT64_MAX, end = 0, by_region[7] = {0}, most = 0;

	for (size_t i = 0; i < slices->count; i++) {
		const struct lod_item *item = &slices->items[i];

		if (item->depth != joined->depth || item->start_ns < joined->start_ns ||
		    item->end_ns > joined->end_ns)
			continue;
		/* Zero-length ones may lie on the border of two. */
		if (item->start_ns == item->end_ns &&
		    (item->start_ns == joined->start_ns || item->end_ns == joined->end_ns))
			continue;
		assert_true(item->busy_ns < lod_resolution(level));
		busy += item->busy_ns;
		count++;
		start = item->start_ns < start ? item->start_ns : start;
		end = item->end_ns > end ? item->end_ns : end;
		by_region[item->region] += item->busy_ns;
	}
	assert_int_equal(busy, joined->busy_ns);
	assert_true(count <= joined->count);
	assert_true(joined->end_ns - joined->start_ns <= lod_resolution(level));
	for (unsigned int i = 0; i < 7; i++)
		most = by_region[i] > most ? by_region[i] : most;
	/* A region with more than a quarter is among the candidates, and the winner is no less. */
	if (joined->count <= 4 && busy > 64)
		assert_true(by_region[joined->region] + joined->count >= most);
}

static void test_levels_conserve_time_and_cover_what_they_join(void **state)
{
	static struct slices slices;

	(void)state;
	for (uint64_t round = 1; round <= 20; round++) {
		struct kept kept = {0};

		seed = round * 7919;
		make_slices(&slices, 1500);
		join_all(&slices, LEVELS, &kept);
		check_conserved(&slices, &kept);
		for (unsigned int level = 1; level < LEVELS; level++) {
			for (size_t i = 0; i < kept.counts[level][LOD_JOINED]; i++)
				check_joined(&slices, &kept.items[level][LOD_JOINED][i], level);
		}
		kept_release(&kept);
	}
}

static void test_levels_do_not_overlap(void **state)
{
	static struct slices slices;
	struct kept kept = {0};

	(void)state;
	seed = 42;
	make_slices(&slices, 20000);
	join_all(&slices, LEVELS, &kept);
	for (unsigned int level = 1; level < LEVELS; level++) {
		uint64_t last[DEPTHS] = {0};

		for (size_t i = 0; i < kept.counts[level][LOD_JOINED]; i++) {
			const struct lod_item *item = &kept.items[level][LOD_JOINED][i];

			assert_true(item->start_ns >= last[item->depth]);
			last[item->depth] = item->end_ns;
		}
		assert_true(kept.counts[level][LOD_JOINED] > 0);
	}
	kept_release(&kept);
}

static void test_neighbours_are_joined_and_distant_ones_are_not(void **state)
{
	struct kept kept = {0};
	struct lod_join *join;
	const struct lod_item *first;

	(void)state;
	join = lod_join_new(keep, &kept);
	lod_join_begin(join, 2);
	lod_join_slice(join, 0, 50, 0, 1);
	lod_join_slice(join, 60, 160, 0, 2);
	lod_join_slice(join, 5000, 5010, 0, 3);
	lod_join_finish(join);
	lod_join_free(join);
	assert_int_equal(kept.counts[1][LOD_JOINED], 2);
	first = kept.items[1][LOD_JOINED];
	assert_int_equal(first[0].start_ns, 0);
	assert_int_equal(first[0].end_ns, 160);
	assert_int_equal(first[0].busy_ns, 150);
	assert_int_equal(first[0].count, 2);
	assert_int_equal(first[0].region, 2);
	assert_int_equal(first[1].count, 1);
	assert_int_equal(first[1].region, 3);
	kept_release(&kept);
}

static void test_level_is_the_last_that_a_length_reaches(void **state)
{
	(void)state;
	assert_int_equal(lod_level_of(0), 0);
	assert_int_equal(lod_level_of(255), 0);
	for (unsigned int level = 1; level < LOD_LEVELS; level++) {
		assert_int_equal(lod_level_of(lod_resolution(level)), level);
		assert_int_equal(lod_level_of(lod_resolution(level) - 1), level - 1);
	}
	assert_int_equal(lod_level_of(UINT64_MAX), LOD_LEVELS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels_conserve_time_and_cover_what_they_join),
		cmocka_unit_test(test_levels_do_not_overlap),
		cmocka_unit_test(test_neighbours_are_joined_and_distant_ones_are_not),
		cmocka_unit_test(test_level_is_the_last_that_a_length_reaches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
