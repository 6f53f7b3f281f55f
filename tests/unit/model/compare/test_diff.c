/* Two sides of runs compared: against a naive model, and what must hold of any two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "diff_fixture.h"

#define NAMES			     7
#define PATHS			     600
#define DEPTH			     6
#define STEPS			     120
#define ROUNDS			     60
#define assert_near(value, expected) assert_true(fabs((value) - (expected)) < 0.001)

/* A model: a path of names is a text. */

struct model_path {
	char path[DEPTH + 1];
	double count, self_ns, total_ns;
};

struct model {
	struct model_path paths[PATHS];
	size_t count;
	struct model_path regions[NAMES]; /* total: outermost visits only */
	double self_ns;
};

static struct model_path *model_path(struct model *model, const char *path)
{
	for (size_t i = 0; i < model->count; i++) {
		if (strcmp(model->paths[i].path, path) == 0)
			return &model->paths[i];
	}
	assert_true(model->count < PATHS);
	strcpy(model->paths[model->count].path, path);
	return &model->paths[model->count++];
}

static void model_spend(struct model *model, const char *path, double ns)
{
	char above[DEPTH + 1];
	size_t length = strlen(path);

	if (length == 0)
		return;
	model_path(model, path)->self_ns += ns;
	model->regions[path[length - 1] - 'a'].self_ns += ns;
	model->self_ns += ns;
	for (size_t i = 1; i <= length; i++) {
		strcpy(above, path);
		above[i] = '\0';
		model_path(model, above)->total_ns += ns;
		if (strchr(path, path[i - 1]) == path + i - 1)
			model->regions[path[i - 1] - 'a'].total_ns += ns;
	}
}

static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)random_state * limit) >> 32);
}

/* Enters and leaves at random; moved: lines or files are others than in a run that is not. */
static struct made_run *random_run(struct model *model, bool is_moved)
{
	struct made_run *made = made_begin();
	char path[DEPTH + 1] = "";
	uint32_t ids[NAMES];
	uint64_t time = 0;
	size_t depth = 0;

	for (uint32_t i = 0; i < NAMES; i++) {
		char name[] = {(char)('a' + i), '\0'};

		ids[i] = made_region(made, name, is_moved && i % 2 ? "/new/x.py" : "/old/x.py",
				     10 * i + (is_moved && i % 3 == 0 ? 5 : 0));
	}
	for (int i = 0; i < STEPS; i++) {
		uint32_t ns = random_below(1000);

		model_spend(model, path, ns);
		time += ns;
		if (depth > 0 && (depth == DEPTH || random_below(2))) {
			path[depth] = '\0';
			synthetic_leave(made->synthetic, 0, ids[path[--depth] - 'a'], time);
			path[depth] = '\0';
		} else {
			path[depth] = (char)('a' + random_below(NAMES));
			path[++depth] = '\0';
			synthetic_enter(made->synthetic, 0, ids[path[depth - 1] - 'a'], time);
			model_path(model, path)->count++;
			model->regions[path[depth - 1] - 'a'].count++;
		}
	}
	while (depth > 0)
		synthetic_leave(made->synthetic, 0, ids[path[--depth] - 'a'], time);
	made_end(made, time + 1);
	return made;
}

static void path_of_node(const struct diff *diff, uint32_t node, char path[DEPTH + 1])
{
	path[diff->nodes[node].depth + 1] = '\0';
	for (; node != DIFF_NONE; node = diff->nodes[node].parent)
		path[diff->nodes[node].depth] =
			diff_region_shown(&diff->regions[diff->nodes[node].region])->name[0];
}

static void check_value(const struct diff_value *value, const struct model_path *model)
{
	assert_near(value->count, model->count);
	assert_near(value->self_ns, model->self_ns);
	assert_near(value->total_ns, model->total_ns);
}

static void check_against(const struct diff *diff, enum diff_side side, struct model *model)
{
	size_t known = 0;

	for (uint32_t i = 0; i < diff->node_count; i++) {
		static const struct model_path nothing;
		const struct diff_value *value = &diff->nodes[i].value[side];
		char path[DEPTH + 1];

		path_of_node(diff, i, path);
		check_value(value, value->count > 0 ? model_path(model, path) : &nothing);
		known += value->count > 0;
	}
	assert_int_equal(known, model->count);
	for (uint32_t i = 0; i < diff->region_count; i++) {
		const struct region *region = diff->regions[i].region[side];

		if (region)
			check_value(&diff->regions[i].value[side],
				    &model->regions[region->name[0] - 'a']);
	}
	assert_near(diff->side[side].self.mean, model->self_ns);
}

/* Every list of children is complete, and comes behind its parent. */
static void check_links(const struct diff *diff)
{
	size_t children = 0, roots = 0;

	for (uint32_t i = 0; i < diff->node_count; i++) {
		uint32_t child = diff->nodes[i].first_child;

		roots += diff->nodes[i].parent == DIFF_NONE;
		if (child != DIFF_NONE)
			assert_int_equal(child, i + 1);
		for (; child != DIFF_NONE; child = diff->nodes[child].next_sibling) {
			assert_int_equal(diff->nodes[child].parent, i);
			assert_int_equal(diff->nodes[child].depth, diff->nodes[i].depth + 1);
			children++;
		}
	}
	assert_int_equal(children + roots, diff->node_count);
}

static void check_sums(const struct diff *diff)
{
	double of_regions = 0, of_nodes = 0;
	double of_runs = diff->side[DIFF_AFTER].self.mean - diff->side[DIFF_BEFORE].self.mean;

	for (uint32_t i = 0; i < diff->region_count; i++)
		of_regions += diff->regions[i].value[DIFF_AFTER].self_ns -
			      diff->regions[i].value[DIFF_BEFORE].self_ns;
	for (uint32_t i = 0; i < diff->node_count; i++)
		of_nodes += diff->nodes[i].value[DIFF_AFTER].self_ns -
			    diff->nodes[i].value[DIFF_BEFORE].self_ns;
	assert_near(of_regions, of_runs);
	assert_near(of_nodes, of_runs);
}

static void check_mirrored(const struct diff *diff, const struct diff *back)
{
	assert_int_equal(diff->region_count, back->region_count);
	assert_int_equal(diff->node_count, back->node_count);
	for (uint32_t i = 0; i < diff->region_count; i++) {
		const struct diff_region *region = &diff->regions[i];
		const char *name = diff_region_shown(region)->name;
		enum diff_side side = region->region[DIFF_AFTER] ? DIFF_BEFORE : DIFF_AFTER;
		const struct diff_region *other = made_find(back, side, name);

		assert_non_null(other);
		assert_int_equal(region->match, other->match);
		for (int k = 0; k < DIFF_SIDES; k++) {
			assert_near(region->value[k].self_ns, other->value[!k].self_ns);
			assert_near(region->value[k].total_ns, other->value[!k].total_ns);
			assert_near(region->value[k].count, other->value[!k].count);
		}
	}
}

static void test_random_runs(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct model *models = calloc(2, sizeof(*models));
		struct made_run *runs[2];
		struct made_diff there, back;

		assert_non_null(models);
		random_state = round;
		runs[0] = random_run(&models[0], false);
		runs[1] = random_run(&models[1], round % 2);
		made_compare(&there, &runs[0], 1, &runs[1], 1);
		made_compare(&back, &runs[1], 1, &runs[0], 1);
		check_against(there.diff, DIFF_BEFORE, &models[0]);
		check_against(there.diff, DIFF_AFTER, &models[1]);
		check_links(there.diff);
		check_sums(there.diff);
		check_mirrored(there.diff, back.diff);
		diff_free(there.diff);
		diff_free(back.diff);
		made_free(runs[0]);
		made_free(runs[1]);
		free(models);
	}
}

static void test_with_itself(void **state)
{
	struct model *model = calloc(1, sizeof(*model));
	struct diff_judgement judgements[NAMES];
	struct made_run *run;
	struct made_diff made;

	(void)state;
	assert_non_null(model);
	random_state = 4711;
	run = random_run(model, false);
	made_compare(&made, &run, 1, &run, 1);
	assert_true(made.diff->region_count <= NAMES);
	assert_true(diff_judge(made.diff, DIFF_SELF, NULL, 0, judgements));
	for (uint32_t i = 0; i < made.diff->region_count; i++) {
		const struct diff_region *region = &made.diff->regions[i];

		assert_memory_equal(&region->value[DIFF_BEFORE], &region->value[DIFF_AFTER],
				    sizeof(region->value[0]));
		assert_int_equal(judgements[i].verdict, DIFF_SAME);
		assert_int_equal(region->match, DIFF_BY_IDENTITY);
	}
	assert_null(made.diff->warning);
	diff_free(made.diff);
	made_free(run);
	free(model);
}

/* A run in which "steady" and "changed" take so long. */
static struct made_run *two_regions(uint64_t steady_ns, uint64_t changed_ns)
{
	struct made_run *made = made_begin();
	uint32_t steady = made_region(made, "steady", "/p/x.py", 1);
	uint32_t changed = made_region(made, "changed", "/p/x.py", 9);
	uint64_t time = 0;

	made_visit(made, steady, &time, steady_ns);
	made_visit(made, changed, &time, changed_ns);
	made_end(made, time);
	return made;
}

static void test_repeats(void **state)
{
	struct made_run *before[] = {two_regions(1000, 500), two_regions(1100, 510),
				     two_regions(900, 490)};
	struct made_run *after[] = {two_regions(1110, 600), two_regions(890, 610)};
	struct diff_judgement judgements[2];
	const struct diff_region *changed;
	struct made_diff made;

	(void)state;
	made_compare(&made, before, 3, after, 2);
	assert_true(made.diff->has_repeats);
	assert_int_equal(made.diff->side[DIFF_BEFORE].run_count, 3);
	assert_int_equal(made.diff->side[DIFF_AFTER].run_count, 2);
	assert_near(made.diff->side[DIFF_BEFORE].duration.mean, 1500);
	changed = made_find(made.diff, DIFF_AFTER, "changed");
	assert_near(changed->value[DIFF_BEFORE].self_ns, 500);
	assert_near(changed->value[DIFF_AFTER].self_ns, 605);
	assert_near(changed->value[DIFF_AFTER].count, 1);
	assert_near(moments_deviation(&changed->self[DIFF_BEFORE]), 10);
	assert_true(diff_judge(made.diff, DIFF_SELF, NULL, 0, judgements));
	assert_int_equal(judgements[changed - made.diff->regions].verdict, DIFF_SLOWER);
	assert_true(judgements[changed - made.diff->regions].p < 0.01);
	assert_int_equal(judgements[!(changed - made.diff->regions)].verdict, DIFF_SAME);
	assert_true(judgements[!(changed - made.diff->regions)].p > 0.9);
	diff_free(made.diff);
	for (size_t i = 0; i < 3; i++)
		made_free(before[i]);
	made_free(after[0]);
	made_free(after[1]);
}

/* Without repeats no difference of times is sure, however large; calls that differ do. */
static void test_single_pair(void **state)
{
	struct made_run *runs[2];
	struct diff_judgement judgements[8];
	struct made_diff made;

	(void)state;
	for (uint64_t k = 0; k < 2; k++) {
		static const uint64_t more[] = {0, 20, 30, 30, 30, 40, 400};
		uint64_t time = 0;

		runs[k] = made_begin();
		for (uint32_t i = 0; i < 7; i++) {
			char name[] = {(char)('a' + i), '\0'};

			made_visit(runs[k], made_region(runs[k], name, "/p/x.py", i), &time,
				   1000 + k * more[i]);
			if (k == 1 && i == 6)
				made_visit(runs[k], made_region(runs[k], name, "/p/x.py", i), &time,
					   1);
		}
		made_end(runs[k], time);
	}
	made_compare(&made, &runs[0], 1, &runs[1], 1);
	assert_false(made.diff->has_repeats);
	assert_near(made.diff->noise_percent, 3);
	assert_true(diff_judge(made.diff, DIFF_TOTAL, NULL, 0, judgements));
	for (uint32_t i = 0; i < 7; i++) {
		assert_true(isnan(judgements[i].p));
		assert_int_equal(judgements[i].verdict, i < 1 ? DIFF_SAME : DIFF_UNDECIDED);
	}
	assert_true(diff_is_exact(made.diff, DIFF_COUNT));
	assert_true(diff_judge(made.diff, DIFF_COUNT, NULL, 0, judgements));
	for (uint32_t i = 0; i < 7; i++)
		assert_int_equal(judgements[i].verdict, i < 6 ? DIFF_SAME : DIFF_SLOWER);
	diff_free(made.diff);
	made_free(runs[0]);
	made_free(runs[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_runs),
		cmocka_unit_test(test_with_itself),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_single_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
