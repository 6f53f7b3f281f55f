/* Regions of one run found in another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "diff_fixture.h"
#include "model/compare/diff_make.h"

struct placed { /* a region of a run */
	const char *name, *file;
	uint32_t line;
};

static struct made_run *run_of(const struct placed *regions, size_t count)
{
	struct made_run *made = made_begin();
	uint64_t time = 0;

	for (size_t i = 0; i < count; i++)
		made_visit(made,
			   made_region(made, regions[i].name, regions[i].file, regions[i].line),
			   &time, 100);
	made_end(made, time);
	return made;
}
#define RUN_OF(...)                                                                                \
	run_of((const struct placed[]){__VA_ARGS__},                                               \
	       sizeof((const struct placed[]){__VA_ARGS__}) / sizeof(struct placed))

struct pair {
	struct made_run *runs[DIFF_SIDES];
	struct made_diff made;
};

static void pair_begin(struct pair *pair, struct made_run *before, struct made_run *after)
{
	pair->runs[DIFF_BEFORE] = before;
	pair->runs[DIFF_AFTER] = after;
	made_compare(&pair->made, &pair->runs[DIFF_BEFORE], 1, &pair->runs[DIFF_AFTER], 1);
}

static void pair_end(struct pair *pair)
{
	diff_free(pair->made.diff);
	made_free(pair->runs[DIFF_BEFORE]);
	made_free(pair->runs[DIFF_AFTER]);
}

/* The match of the region that was at this place, and where it is now; 0 = nowhere. */
static enum diff_match match_of(const struct pair *pair, const char *name, const char *file,
				uint32_t line, uint32_t *line_out)
{
	for (uint32_t i = 0; i < pair->made.diff->region_count; i++) {
		const struct diff_region *region = &pair->made.diff->regions[i];
		const struct region *before = region->region[DIFF_BEFORE];

		if (!before || strcmp(before->name, name) != 0 || before->line != line ||
		    strcmp(before->file, file) != 0)
			continue;
		*line_out = region->region[DIFF_AFTER] ? region->region[DIFF_AFTER]->line : 0;
		return region->match;
	}
	fail();
	return DIFF_ALONE;
}

#define assert_match(pair, name, file, line, expected, line_after)                                 \
	do {                                                                                       \
		uint32_t found;                                                                    \
                                                                                                   \
		assert_int_equal(match_of(pair, name, file, line, &found), expected);              \
		assert_int_equal(found, line_after);                                               \
	} while (0)

static void test_same_place(void **state)
{
	struct pair pair;

	(void)state;
	pair_begin(&pair, RUN_OF({"f", "/a/x.py", 3}, {"f", "/a/y.py", 3}),
		   RUN_OF({"f", "/a/y.py", 3}, {"f", "/a/x.py", 3}));
	assert_int_equal(pair.made.diff->region_count, 2);
	assert_match(&pair, "f", "/a/x.py", 3, DIFF_BY_IDENTITY, 3);
	assert_match(&pair, "f", "/a/y.py", 3, DIFF_BY_IDENTITY, 3);
	pair_end(&pair);
}

static void test_moved_line(void **state)
{
	struct pair pair;

	(void)state;
	pair_begin(&pair, RUN_OF({"f", "/a/x.py", 3}, {"g", "/a/x.py", 10}),
		   RUN_OF({"f", "/a/x.py", 10}, {"h", "/a/x.py", 3}));
	assert_match(&pair, "f", "/a/x.py", 3, DIFF_BY_NAME, 10);
	assert_match(&pair, "g", "/a/x.py", 10, DIFF_ALONE, 0);
	assert_int_equal(pair.made.diff->region_count, 3);
	pair_end(&pair);
}

/* Two lambdas move down; the second is now where nothing was, the first where that was. */
static void test_several_of_a_name(void **state)
{
	struct pair pair;

	(void)state;
	pair_begin(&pair, RUN_OF({"<lambda>", "/a/x.py", 10}, {"<lambda>", "/a/x.py", 20}),
		   RUN_OF({"<lambda>", "/a/x.py", 20}, {"<lambda>", "/a/x.py", 30}));
	assert_match(&pair, "<lambda>", "/a/x.py", 10, DIFF_BY_NAME, 20);
	assert_match(&pair, "<lambda>", "/a/x.py", 20, DIFF_BY_NAME, 30);
	pair_end(&pair);
	/* One more: only that which stayed where it was is known. */
	pair_begin(&pair, RUN_OF({"<lambda>", "/a/x.py", 10}, {"<lambda>", "/a/x.py", 20}),
		   RUN_OF({"<lambda>", "/a/x.py", 10}, {"<lambda>", "/a/x.py", 25},
			  {"<lambda>", "/a/x.py", 35}));
	assert_match(&pair, "<lambda>", "/a/x.py", 10, DIFF_BY_IDENTITY, 10);
	assert_match(&pair, "<lambda>", "/a/x.py", 20, DIFF_ALONE, 0);
	pair_end(&pair);
}

/* A checkout at another place: files are told apart by as much of their paths as it takes. */
static void test_moved_files(void **state)
{
	struct pair pair;

	(void)state;
	pair_begin(&pair,
		   RUN_OF({"f", "/old/a/x.py", 3}, {"f", "/old/b/x.py", 4}, {"g", "/old/a/x.py", 5},
			  {"only", "/old/a/x.py", 6}, {"<module>", "/old/a/p.py", 1}),
		   RUN_OF({"f", "/new/a/x.py", 13}, {"f", "/new/b/x.py", 14},
			  {"g", "/new/c/z.py", 15}, {"g", "/new/d/z.py", 15},
			  {"only", "/elsewhere/q.py", 16}, {"<module>", "/new/c/q.py", 1}));
	assert_match(&pair, "f", "/old/a/x.py", 3, DIFF_BY_FILE, 13);
	assert_match(&pair, "f", "/old/b/x.py", 4, DIFF_BY_FILE, 14);
	assert_match(&pair, "g", "/old/a/x.py", 5, DIFF_ALONE, 0);
	assert_match(&pair, "only", "/old/a/x.py", 6, DIFF_BY_FILE, 16);
	assert_match(&pair, "<module>", "/old/a/p.py", 1, DIFF_ALONE, 0);
	pair_end(&pair);
}

/* A wait for a lock, whose address says nothing in another process. */
static void test_other_object(void **state)
{
	struct made_run *runs[DIFF_SIDES];
	struct pair pair;

	(void)state;
	for (int side = 0; side < DIFF_SIDES; side++) {
		static const char *const objects[] = {"(0x1000)", "(0x2000)"};
		struct kymo_region *record;
		uint64_t time = 0;
		uint32_t wait;

		runs[side] = made_begin();
		wait = synthetic_region(runs[side]->synthetic, KYMO_REGION_PTHREAD,
					"pthread_mutex_lock");
		record = synthetic_region_at(runs[side]->synthetic, wait);
		record->flags = KYMO_REGION_OBJECT;
		record->arguments = 0;
		synthetic_region_at(runs[side]->synthetic, wait)->arguments =
			synthetic_string(runs[side]->synthetic, objects[side]);
		made_visit(runs[side], wait, &time, 10);
		made_end(runs[side], time);
	}
	pair_begin(&pair, runs[DIFF_BEFORE], runs[DIFF_AFTER]);
	assert_int_equal(pair.made.diff->region_count, 1);
	assert_int_equal(pair.made.diff->regions[0].match, DIFF_BY_KIND);
	pair_end(&pair);
}

/* What was never called takes no part. */
static void test_uncalled(void **state)
{
	struct made_run *before = RUN_OF({"f", "/old/x.py", 3}), *after = made_begin();
	uint32_t called;
	uint64_t time = 0;
	struct pair pair;

	(void)state;
	made_region(after, "f", "/a/y.py", 3);
	called = made_region(after, "f", "/b/z.py", 3);
	made_visit(after, called, &time, 10);
	made_end(after, time);
	pair_begin(&pair, before, after);
	assert_int_equal(pair.made.diff->region_count, 1);
	assert_match(&pair, "f", "/old/x.py", 3, DIFF_BY_FILE, 3);
	pair_end(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_place),	  cmocka_unit_test(test_moved_line),
		cmocka_unit_test(test_several_of_a_name), cmocka_unit_test(test_moved_files),
		cmocka_unit_test(test_other_object),	  cmocka_unit_test(test_uncalled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
