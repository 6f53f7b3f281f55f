/* The call-path tree against a model: random enters and leaves, balanced or not, with
 * and without limits, must give the same tree as a plain stack of regions does. */
#include "runtime/store/callpath.h"

#include "model/recording/recording_open.h"
#include "model/tree/calltree.h"
#include "runtime_fixture.h"

#define REGIONS	  6
#define DEPTH_MAX 200
#define PATHS_MAX 200000
#define STEPS	  30000

struct model_path {
	uint32_t parent; /* index; 0 is the root */
	uint32_t region;
	bool is_folded;
	uint64_t count;
};

struct model {
	uint32_t limit; /* depth below which paths fold */
	struct model_path *paths;
	uint32_t path_count;
	uint32_t path[DEPTH_MAX]; /* of each open region; the anchor for folded ones */
	uint32_t region[DEPTH_MAX];
	uint32_t depth;
	uint64_t enters, resynced, folded;
};

static uint32_t model_child(struct model *model, uint32_t parent, uint32_t region, bool is_folded)
{
	for (uint32_t i = 1; i < model->path_count; i++)
		if (model->paths[i].parent == parent && model->paths[i].region == region &&
		    model->paths[i].is_folded == is_folded)
			return i;
	CHECK(model->path_count < PATHS_MAX);
	model->paths[model->path_count] = (struct model_path){parent, region, is_folded, 0};
	return model->path_count++;
}

static void model_enter(struct model *model, uint32_t region)
{
	bool is_folded = model->depth >= model->limit;
	uint32_t top = model->depth < model->limit ? model->depth : model->limit;
	uint32_t parent = top ? model->path[top - 1] : 0;
	uint32_t path = model_child(model, parent, region, is_folded);

	CHECK(model->depth < DEPTH_MAX);
	model->paths[path].count++;
	model->path[model->depth] = path;
	model->region[model->depth++] = region;
	model->enters++;
	model->folded += is_folded;
}

static void model_leave(struct model *model, uint32_t region)
{
	uint32_t level = model->depth;

	while (level > 0 && model->region[level - 1] != region)
		level--;
	if (level > 0) {
		model->resynced += model->depth - level;
		model->depth = level - 1;
	} else if (model->depth > 0) {
		model->resynced++;
	}
}

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % limit;
}

static uint32_t regions[REGIONS];

static void enter_both(struct model *model, uint32_t region, unsigned mode)
{
	model_enter(model, region);
	if (mode == KYMO_MODE_PROFILE)
		kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE);
	else if (mode == KYMO_MODE_TRACE)
		kymo_enter(kymo_thread(), region, KYMO_MODE_TRACE);
	else if (mode & KYMO_MODE_POSITIONS)
		kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS);
	else
		kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE | KYMO_MODE_TRACE);
}

static void leave_both(struct model *model, uint32_t region, unsigned mode)
{
	model_leave(model, region);
	if (mode == KYMO_MODE_PROFILE)
		kymo_leave(kymo_thread(), region, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE);
	else if (mode == KYMO_MODE_TRACE)
		kymo_leave(kymo_thread(), region, KYMO_EVENT_LEAVE, KYMO_MODE_TRACE);
	else if (mode & KYMO_MODE_POSITIONS)
		kymo_leave(kymo_thread(), region, KYMO_EVENT_LEAVE,
			   KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS);
	else
		kymo_leave(kymo_thread(), region, KYMO_EVENT_UNWIND,
			   KYMO_MODE_PROFILE | KYMO_MODE_TRACE);
}

/* One step: an enter, the leave that belongs, or (1 in `disorder`, 0 = never) any leave.
 * The walk is steered to stay below depth_max. */
static void step(struct model *model, uint32_t depth_max, uint32_t disorder, unsigned mode)
{
	if (disorder && random_below(disorder) == 0)
		leave_both(model, regions[random_below(REGIONS)], mode);
	else if (model->depth < depth_max && random_below(100) < 51)
		enter_both(model, regions[random_below(REGIONS)], mode);
	else if (model->depth > 0)
		leave_both(model, model->region[model->depth - 1], mode);
}

static const struct calltree_node *find_child(const struct calltree *tree,
					      const struct calltree_node *parent, uint32_t region,
					      bool is_folded)
{
	uint32_t i = parent->first_child;

	for (; i != CALLTREE_NONE; i = tree->nodes[i].next_sibling)
		if (tree->nodes[i].region == region && tree->nodes[i].is_folded == is_folded)
			return &tree->nodes[i];
	return NULL;
}

static void check_times(const struct calltree *tree)
{
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		double children = 0;

		for (uint32_t k = node->first_child; k != CALLTREE_NONE;
		     k = tree->nodes[k].next_sibling)
			children += tree->nodes[k].sum_ns;
		CHECK(node->self_ns >= 0);
		CHECK(node->is_folded || node->sum_ns >= children - 1e-3);
		CHECK(node->is_folded ||
		      node->self_ns <= node->sum_ns - children + 1e-6 * node->sum_ns + 1e-3);
	}
}

static void check_tree(const struct model *model, const struct recording *recording)
{
	const struct calltree_node **nodes = calloc(model->path_count, sizeof(*nodes));
	struct calltree *tree = NULL;
	struct problem problem;

	CHECK(calltree_new(recording, &tree, &problem) == KYMO_OK);
	nodes[0] = &tree->nodes[tree->thread_root[0]];
	for (uint32_t i = 1; i < model->path_count; i++) {
		const struct model_path *path = &model->paths[i];

		nodes[i] = find_child(tree, nodes[path->parent], path->region, path->is_folded);
		CHECK(nodes[i] != NULL);
		CHECK(nodes[i]->count == path->count);
		CHECK(!nodes[i]->is_open);
	}
	CHECK(tree->node_count == model->path_count);
	CHECK(tree->call_count == model->enters);
	check_times(tree);
	calltree_free(tree);
	free(nodes);
}

static void check_thread(const struct model *model, const struct recording *recording,
			 unsigned mode)
{
	CHECK(recording->thread_count == 1);
	CHECK(recording->threads[0].lost_events == 0);
	if (!(mode & KYMO_MODE_PROFILE))
		return;
	CHECK(recording->threads[0].resynced == model->resynced);
	CHECK(recording->threads[0].folded == model->folded);
}

static void compare(uint64_t seed, uint32_t limit, uint32_t depth_max, uint32_t disorder,
		    unsigned mode)
{
	struct model model = {
		limit, calloc(PATHS_MAX, sizeof(struct model_path)), 1, {0}, {0}, 0, 0, 0, 0};
	char depth[32];
	const char *settings[] = {
		depth, mode & KYMO_MODE_TRACE ? "TRACE=ON" : "TRACE=OFF",
		mode & KYMO_MODE_PROFILE ? "PROFILE=ON" : "PROFILE=OFF",
		mode & KYMO_MODE_POSITIONS ? "PYTHON_TIMING=sampled" : "PYTHON_TIMING=full", NULL};
	struct recording *recording;
	char name[] = "region A";

	snprintf(depth, sizeof(depth), "MAX_DEPTH=%u", limit);
	fixture_open(settings);
	for (uint32_t i = 0; i < REGIONS; i++, name[7]++)
		regions[i] = fixture_region(name);
	random_state = seed;
	for (int i = 0; i < STEPS; i++)
		step(&model, depth_max, disorder, mode);
	kymo_threads_unwind();
	kymo_runtime_close(0);
	recording = fixture_read(kymo_runtime_recording());
	check_thread(&model, recording, mode);
	check_tree(&model, recording);
	recording_free(recording);
	free(model.paths);
}

static void balanced(void)
{
	compare(1, 65535, 6, 0, KYMO_MODE_PROFILE);
}

static void unbalanced(void)
{
	compare(2, 65535, 6, 8, KYMO_MODE_PROFILE);
}

static void folding(void)
{
	compare(3, 3, 40, 0, KYMO_MODE_PROFILE);
}

static void folding_unbalanced(void)
{
	compare(4, 3, 40, 8, KYMO_MODE_PROFILE);
}

static void folding_at_one(void)
{
	compare(5, 1, 40, 20, KYMO_MODE_PROFILE);
}

static void replayed(void)
{
	compare(6, 65535, 6, 8, KYMO_MODE_TRACE);
}

static void both(void)
{
	compare(7, 65535, 6, 8, KYMO_MODE_PROFILE | KYMO_MODE_TRACE);
}

static void sampled(void)
{
	compare(8, 65535, 6, 8, KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS);
}

static void sampled_folding(void)
{
	compare(9, 3, 40, 8, KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS);
}

static void test_model(void **state)
{
	(void)state;
	fixture_run(balanced);
	fixture_run(unbalanced);
	fixture_run(folding);
	fixture_run(folding_unbalanced);
	fixture_run(folding_at_one);
	fixture_run(replayed);
	fixture_run(both);
	fixture_run(sampled);
	fixture_run(sampled_folding);
}

/* Past the limit of paths nothing is made, calls are counted as lost, balance holds. */
static void paths_run_out(void)
{
	static const char *const settings[] = {"MAX_CALLPATHS=10", NULL};
	struct recording *recording;
	struct calltree *tree;
	struct problem problem;
	char name[32];

	fixture_open(settings);
	for (int i = 0; i < 30; i++) {
		uint32_t region;

		snprintf(name, sizeof(name), "region %d", i);
		region = fixture_region(name);
		for (int k = 0; k < 3; k++) {
			kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE);
			kymo_leave(kymo_thread(), region, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE);
			CHECK(kymo_thread()->current == kymo_thread()->root);
		}
	}
	kymo_runtime_close(0);
	recording = fixture_read(kymo_runtime_recording());
	CHECK(calltree_new(recording, &tree, &problem) == KYMO_OK);
	CHECK(tree->node_count == 11);
	CHECK(tree->call_count == 30);
	CHECK(recording->threads[0].lost_events == 60);
}

/* The deepest path that a node can tell its depth of, and one level of folding below. */
static void very_deep(void)
{
	struct kymo_thread *thread;
	struct recording *recording;
	uint32_t region;

	fixture_open(NULL);
	region = fixture_region("deep");
	thread = kymo_thread();
	for (int i = 0; i < 1000000; i++)
		kymo_enter(thread, region, KYMO_MODE_PROFILE);
	CHECK(callpath_position(thread)->depth == 65534);
	for (int i = 0; i < 1000000; i++)
		kymo_leave(thread, region, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE);
	CHECK(thread->current == thread->root);
	kymo_runtime_close(0);
	recording = fixture_read(kymo_runtime_recording());
	CHECK(recording->threads[0].folded == 1000000 - 65534);
	CHECK(recording->threads[0].resynced == 0);
}

static void test_limits(void **state)
{
	(void)state;
	fixture_run(paths_run_out);
	fixture_run(very_deep);
}

static void open_path_is_open(void)
{
	struct recording *recording;
	struct calltree *tree;
	struct problem problem;
	uint32_t a, b;

	fixture_open(NULL);
	a = fixture_region("a");
	b = fixture_region("b");
	kymo_enter(kymo_thread(), a, KYMO_MODE_PROFILE);
	kymo_enter(kymo_thread(), b, KYMO_MODE_PROFILE);
	kymo_leave(kymo_thread(), b, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE);
	/* As a process that is killed here leaves it. */
	recording = fixture_read(kymo_runtime_recording());
	CHECK(!recording->is_closed);
	CHECK(calltree_new(recording, &tree, &problem) == KYMO_OK);
	CHECK(tree->node_count == 3);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		CHECK(tree->nodes[i].count == 1);
		CHECK(tree->nodes[i].is_open == (tree->nodes[i].region != b));
	}
}

static void test_open(void **state)
{
	(void)state;
	fixture_run(open_path_is_open);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
