/* Values of both sides, against a naive model. */
#include "model/compare/diff.h"

#include "diff_run_fixture.h"
#include "model/compare/diff_make.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
