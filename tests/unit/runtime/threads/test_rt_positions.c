/* Where threads are seen, by a clock of the test's own: what looks add up to, and that shares are
 * inside of their intervals.  Threads are structures with a root and some nodes; nobody else looks.
 */
#include "runtime/threads/positions.h"

#include <math.h>
#include <pthread.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "model/samples/sampled_kinds.h"
#include "model/tree/build/calltree_positions.h"
#include "runtime/hot.h"

#define NODES	     4 /* the root and three below it */
#define RUNS	     1000
#define RUN_TICKS    UINT64_C(500000) /* a tick is a microsecond */
#define PERIOD_TICKS 1000

struct program { /* a thread, and how long it truly was at each node */
	struct kymo_thread thread;
	struct kymo_node nodes[NODES];
	uint64_t began, now;
	double truth[NODES];
};

static uint64_t random_state;

static double random_part(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(random_state >> 11) * 0x1p-53;
}

static void program_begin(struct program *program, uint64_t ticks)
{
	*program = (struct program){.began = ticks, .now = ticks};
	program->thread.root = program->thread.current = program->nodes;
	position_begin(&program->thread, ticks);
}

static void program_go_on(struct program *program, uint64_t ticks)
{
	program->truth[program->thread.current - program->nodes] += (double)(ticks - program->now);
	program->now = ticks;
}

static uint64_t weights(const struct program *program)
{
	uint64_t sum = 0;

	for (int i = 0; i < NODES; i++)
		sum += program->nodes[i].sum;
	return sum;
}

static void test_a_threads_looks_add_up_to_its_time(void **state)
{
	struct program program;

	(void)state;
	program_begin(&program, 1000);
	program.thread.current = &program.nodes[1];
	assert_int_equal(positions_look(1700, 0), 1);
	program.thread.current = &program.nodes[2];
	positions_look(3000, 0);
	positions_look(3000, 0); /* no time has passed */
	program.thread.current = program.nodes;
	position_end(&program.thread, 3500);
	assert_int_equal(positions_look(9000, 0), 0);
	assert_int_equal(program.nodes[1].sum, 700);
	assert_int_equal(program.nodes[2].sum, 1300 + 500);
	assert_int_equal(program.nodes[2].max, 1);
	assert_int_equal(program.nodes[2].enter, 3000);
	assert_true(program.nodes[2].sum_squares == 1800.0 * 1800.0);
	assert_int_equal(weights(&program), 2500);
}

static void test_a_thread_nobody_looked_at_is_at_its_root(void **state)
{
	struct program program;

	(void)state;
	program_begin(&program, 1000);
	program.thread.current = &program.nodes[1];
	position_end(&program.thread, 1200);
	assert_int_equal(program.nodes[0].sum, 200);
	assert_int_equal(program.nodes[0].max, 0);
	assert_int_equal(weights(&program), 200);
}

static void test_where_nothing_is_recorded_it_is_in_no_region(void **state)
{
	struct program program;

	(void)state;
	program_begin(&program, 0);
	program.thread.current = &program.nodes[1];
	positions_look(10, 1);
	positions_look(30, 2); /* on again, which the thread has not followed */
	program.thread.gate_seen = 2;
	positions_look(60, 2);
	position_end(&program.thread, 60);
	assert_int_equal(program.nodes[0].sum, 30);
	assert_int_equal(program.nodes[1].sum, 30);
}

static void test_a_thread_that_folds_is_at_the_folded_node(void **state)
{
	struct program program;
	struct kymo_node stand_in; /* no memory of the thread's that anybody may look into */

	(void)state;
	program_begin(&program, 0);
	program.thread.fold = (struct kymo_fold *)(void *)&stand_in;
	program.thread.current = &stand_in;
	program.thread.folded = &program.nodes[3];
	positions_look(10, 0);
	position_end(&program.thread, 10);
	assert_int_equal(program.nodes[3].sum, 10);
}

static void test_a_forked_childs_time_begins_at_the_fork(void **state)
{
	struct program program;

	(void)state;
	program_begin(&program, 100);
	position_began(&program.thread, 40);
	positions_look(150, 0);
	position_end(&program.thread, 150);
	assert_int_equal(weights(&program), 110);
}

/* How programs spend their time, and how looks come. */
struct kind {
	const char *name;
	double phase_ticks; /* mean; all alike where is_periodic */
	bool is_periodic;
	double late_part; /* of the looks, by up to 50 ms */
};

static double phase_of(const struct kind *kind)
{
	return kind->is_periodic ? kind->phase_ticks
				 : 1 - kind->phase_ticks * log(1 - random_part());
}

static double period_of(const struct kind *kind)
{
	double late = random_part() < kind->late_part ? 50 * PERIOD_TICKS * random_part() : 0;

	return PERIOD_TICKS * (0.5 + random_part()) + late;
}

/* The nodes have 10, 20, 60 and 10 % of the phases; of a periodic program one after the other. */
static int next_node(const struct kind *kind, int node)
{
	double part = random_part();

	if (kind->is_periodic)
		return (node + 1) % NODES;
	return part < 0.1 ? 0 : part < 0.3 ? 1 : part < 0.9 ? 2 : 3;
}

static void program_run(struct program *program, const struct kind *kind)
{
	double look = period_of(kind), phase = phase_of(kind);
	int node = next_node(kind, 0);

	program_begin(program, 0);
	program->thread.current = &program->nodes[node];
	while (program->now < RUN_TICKS) {
		double next = fmin(fmin(look, phase), (double)RUN_TICKS);

		program_go_on(program, (uint64_t)next);
		if (look <= next) {
			positions_look(program->now, 0);
			look += period_of(kind);
		}
		if (phase <= next) {
			node = next_node(kind, node);
			program->thread.current = &program->nodes[node];
			phase += phase_of(kind);
		}
	}
	position_end(&program->thread, program->now);
}

static bool is_inside(const struct program *program, int node)
{
	double all = (double)weights(program), squares = 0, truth = program->truth[node] / all;
	struct sampled_share interval;

	for (int i = 0; i < NODES; i++)
		squares += program->nodes[i].sum_squares;
	interval = sampled_interval((double)program->nodes[node].sum / all,
				    positions_effective_count(all, squares));
	return interval.low <= truth && truth <= interval.high;
}

static void check_kind(const struct kind *kind)
{
	int inside[NODES] = {0};

	for (int run = 0; run < RUNS; run++) {
		struct program program;

		program_run(&program, kind);
		assert_int_equal(weights(&program), RUN_TICKS);
		for (int i = 0; i < NODES; i++)
			inside[i] += is_inside(&program, i);
	}
	for (int i = 0; i < NODES; i++) {
		if (inside[i] < RUNS * 95 / 100)
			print_error("%s: node %d in %d of %d\n", kind->name, i, inside[i], RUNS);
		assert_true(inside[i] >= RUNS * 95 / 100);
	}
}

static void test_shares_are_inside_their_intervals(void **state)
{
	static const struct kind kinds[] = {
		{"short calls", 3, false, 0},
		{"calls as long as periods", 1000, false, 0},
		{"long calls", 40000, false, 0},
		{"in step with the looks", 250, true, 0},
		{"a whole period each", 1000, true, 0},
		{"late looks", 300, false, 0.1},
	};

	(void)state;
	random_state = 42;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		check_kind(&kinds[i]);
}

/* Threads begin and end while they are looked at. */

#define CHURN_THREADS 3
#define CHURN_LIVES   20000

static uint64_t churn_ticks;				       /* atomic */
static bool is_churning;				       /* atomic */
static pthread_mutex_t churn_lock = PTHREAD_MUTEX_INITIALIZER; /* as the store's */

static void *churn_look(void *unused)
{
	while (__atomic_load_n(&is_churning, __ATOMIC_ACQUIRE))
		positions_look(__atomic_add_fetch(&churn_ticks, 1, __ATOMIC_SEQ_CST), 0);
	return unused;
}

static void churn_once(struct program *program)
{
	uint64_t end;

	pthread_mutex_lock(&churn_lock);
	program_begin(program, __atomic_load_n(&churn_ticks, __ATOMIC_SEQ_CST));
	pthread_mutex_unlock(&churn_lock);
	for (int i = 0; i < 50; i++)
		kymo_thread_move(&program->thread, &program->nodes[i % NODES]);
	pthread_mutex_lock(&churn_lock);
	position_leave(&program->thread);
	end = __atomic_load_n(&churn_ticks, __ATOMIC_SEQ_CST);
	position_end(&program->thread, end);
	pthread_mutex_unlock(&churn_lock);
	program->now = end;
}

/* Whose nodes are written when its thread has long ended is not touched again: lives are kept. */
static void *churn(void *lives)
{
	for (int i = 0; i < CHURN_LIVES; i++)
		churn_once(&((struct program *)lives)[i]);
	return NULL;
}

static void test_threads_end_while_they_are_looked_at(void **state)
{
	struct program *lives = calloc((size_t)CHURN_THREADS * CHURN_LIVES, sizeof(*lives));
	pthread_t threads[CHURN_THREADS], looker;

	(void)state;
	assert_non_null(lives);
	is_churning = true;
	pthread_create(&looker, NULL, churn_look, NULL);
	for (int i = 0; i < CHURN_THREADS; i++)
		pthread_create(&threads[i], NULL, churn, &lives[(size_t)i * CHURN_LIVES]);
	for (int i = 0; i < CHURN_THREADS; i++)
		pthread_join(threads[i], NULL);
	__atomic_store_n(&is_churning, false, __ATOMIC_RELEASE);
	pthread_join(looker, NULL);
	assert_int_equal(positions_look(UINT64_MAX, 0), 0);
	for (size_t i = 0; i < (size_t)CHURN_THREADS * CHURN_LIVES; i++)
		assert_int_equal(lives[i].began + weights(&lives[i]), lives[i].now);
	free(lives);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_threads_looks_add_up_to_its_time),
		cmocka_unit_test(test_a_thread_nobody_looked_at_is_at_its_root),
		cmocka_unit_test(test_where_nothing_is_recorded_it_is_in_no_region),
		cmocka_unit_test(test_a_thread_that_folds_is_at_the_folded_node),
		cmocka_unit_test(test_a_forked_childs_time_begins_at_the_fork),
		cmocka_unit_test(test_shares_are_inside_their_intervals),
		cmocka_unit_test(test_threads_end_while_they_are_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
