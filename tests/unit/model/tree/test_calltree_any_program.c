/* Random programs of instrumented functions: the tree has the calls that were made. */
#include <stdlib.h>
#include <string.h>

#include "calltree_functions_fixture.h"

#define PATHS_MAX 100000

struct truth { /* what the program did, path by path */
	uint32_t parent[PATHS_MAX], function[PATHS_MAX], count;
	uint64_t calls[PATHS_MAX], time[PATHS_MAX];
};

struct call {
	uint32_t function, path;
	uint64_t slot, frame, start;
	bool is_tail; /* came by a jump from the one before, whose frame it took over */
};

static uint32_t truth_child(struct truth *truth, uint32_t parent, uint32_t function)
{
	for (uint32_t i = 1; i < truth->count; i++)
		if (truth->parent[i] == parent && truth->function[i] == function)
			return i;
	assert_in_range(truth->count, 0, PATHS_MAX - 1);
	truth->parent[truth->count] = parent;
	truth->function[truth->count] = function;
	return truth->count++;
}

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % limit;
}

struct machine {
	struct fixture *fixture;
	struct truth *truth;
	struct call calls[64];
	uint32_t depth;
	uint64_t time, seed;
};

static void machine_call(struct machine *machine, bool is_tail)
{
	struct call *top = &machine->calls[machine->depth - 1], *call = top + 1;

	*call = (struct call){
		.function = random_below(&machine->seed, 10), /* all that are taken and end */
		.slot = is_tail ? top->slot : top->slot + top->frame,
		.frame = 2 + random_below(&machine->seed, 60),
		.start = machine->time,
		.is_tail = is_tail,
	};
	/* A function that jumps to one that came here before is a loop: not in this test. */
	for (uint32_t i = machine->depth; is_tail && i > 0; i--) {
		if (machine->calls[i - 1].slot != call->slot)
			break;
		if (machine->calls[i - 1].function == call->function)
			return;
	}
	call->path = truth_child(machine->truth, top->path, call->function);
	machine->truth->calls[call->path]++;
	enter(machine->fixture, call->function, call->slot, machine->time);
	machine->depth++;
}

static void machine_end(struct machine *machine)
{
	struct call *call = &machine->calls[--machine->depth];

	machine->truth->time[call->path] += machine->time - call->start;
}

/* A return ends all that jumped there, but for those that are called through. */
static void machine_return(struct machine *machine)
{
	bool is_through = machine->calls[machine->depth - 1].function == THROUGH, is_tail;

	leave(machine->fixture, machine->calls[machine->depth - 1].slot, machine->time);
	do {
		is_tail = machine->calls[machine->depth - 1].is_tail;
		machine_end(machine);
	} while (is_tail && (is_through || machine->calls[machine->depth - 1].function == TAIL));
}

static void machine_step(struct machine *machine)
{
	struct call *top = &machine->calls[machine->depth - 1];
	uint32_t what = random_below(&machine->seed, 100);

	machine->time += random_below(&machine->seed, what == 0 ? 100000 : 700);
	if (what < 45 && machine->depth < 60)
		machine_call(machine, false);
	else if (what < 60 && machine->depth > 1 && machine->depth < 60 &&
		 (top->function == TAIL || top->function == THROUGH))
		machine_call(machine, true);
	else if (machine->depth > 1)
		machine_return(machine);
	if (what == 50)
		put(machine->fixture);
}

/* Below the node at top. */
static void check_truth(const struct fixture *fixture, const struct truth *truth, uint32_t top)
{
	const struct calltree *tree = fixture->tree;
	uint32_t *node = calloc(truth->count, sizeof(*node));

	assert_non_null(node);
	assert_int_equal(tree->dropped_count, 0);
	assert_int_equal(tree->node_count, truth->count + tree->nodes[top].depth);
	node[0] = top;
	for (uint32_t i = 1; i < truth->count; i++) {
		uint32_t child = tree->nodes[node[truth->parent[i]]].first_child;

		while (child != CALLTREE_NONE &&
		       tree->nodes[child].region != region_of(fixture, truth->function[i]))
			child = tree->nodes[child].next_sibling;
		assert_int_not_equal(child, CALLTREE_NONE);
		assert_int_equal(tree->nodes[child].count, truth->calls[i]);
		assert_true(tree->nodes[child].sum_ns == (double)truth->time[i]);
		node[i] = child;
	}
	free(node);
}

/* With a trace, what was recorded otherwise lies around and between the calls. */
static void run_program(struct truth *truth, uint64_t seed, bool is_traced)
{
	struct fixture fixture = fixture_new(is_traced ? KYMO_HEADER_TRACE : KYMO_HEADER_PROFILE);
	struct machine machine = {.fixture = &fixture, .truth = truth, .depth = 1, .seed = seed};
	uint32_t program = 0, top;

	if (is_traced) {
		program = synthetic_region(fixture.synthetic, KYMO_REGION_PROGRAM, "app");
		synthetic_enter(fixture.synthetic, fixture.thread, program, 0);
	}
	memset(truth, 0, sizeof(*truth));
	truth->count = 1;
	machine.calls[0] = (struct call){.function = FUNCTIONS, .slot = seed, .frame = 4};
	for (uint32_t i = 0; i < 3000; i++)
		machine_step(&machine);
	while (machine.depth > 1) {
		machine.time += 10;
		machine_return(&machine);
	}
	load(&fixture, machine.time + 1);
	top = fixture.tree->thread_root[fixture.thread];
	assert_int_equal(fixture.tree->is_replayed, is_traced);
	if (is_traced) {
		top = fixture.tree->nodes[top].first_child;
		assert_int_equal(fixture.tree->nodes[top].region, program);
	}
	check_truth(&fixture, truth, top);
	fixture_free(&fixture);
}

static void test_any_program(void **state)
{
	struct truth *truth = malloc(sizeof(*truth));

	(void)state;
	assert_non_null(truth);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		run_program(truth, seed, false);
		run_program(truth, seed, true);
	}
	free(truth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
