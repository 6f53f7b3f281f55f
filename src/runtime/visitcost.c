/* The cost of one visit of a region on this host, for the report.
 *
 * Visits are made in a scratch tree in private pages, with a substitute thread state; nothing of
 * it is recorded.  The first process of a run does this at its start and passes the result on. */
#include "runtime/visitcost.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/pages.h"
#include "config/run/rundirectory.h"
#include "platform/usage.h"
#include "runtime/hot.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/store.h"

#define ROUNDS	      9
#define VISITS	      16
#define ROOT_OFFSET   4096u
#define NODE_OFFSET   8192u /* space for every metric's block after a node */
#define EVENT_OFFSET  12288u
#define SCRATCH_BYTES 16384u
#define REGION	      1u /* any id will do, nothing reads it */

static void plant(struct kymo_thread *thread, char *base)
{
	struct kymo_node *node;

	memset(thread, 0, sizeof(*thread));
	thread->base = base;
	thread->clock_is_ticks = clock_is_ticks();
	node = kymo_node_at(thread, NODE_OFFSET / KYMO_NODE_UNIT);
	node->region = REGION;
	node->parent = ROOT_OFFSET / KYMO_NODE_UNIT;
	node->min = UINT64_MAX;
	thread->root = kymo_node_at(thread, node->parent);
	thread->root->cache = NODE_OFFSET / KYMO_NODE_UNIT;
	thread->current = thread->root;
	thread->event_limit = (uint64_t *)(base + SCRATCH_BYTES) - 8;
}

/* Nanoseconds of a round; without visits, of its frame. */
static uint64_t visitcost_time_round(struct kymo_thread *thread, int visits)
{
	uint64_t start = usage_clock_ns(CLOCK_MONOTONIC);

	thread->event = (uint64_t *)(thread->base + EVENT_OFFSET);
	thread->event_base = kymo_now(thread);
	for (int i = 0; i < visits; i++) {
		kymo_region_enter(thread, REGION);
		kymo_region_leave(thread, REGION);
	}
	return usage_clock_ns(CLOCK_MONOTONIC) - start;
}

static int visitcost_compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Median, not minimum: a program does not run in ideal conditions either. */
static uint64_t median_round(struct kymo_thread *thread, int visits)
{
	uint64_t rounds[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		rounds[i] = visitcost_time_round(thread, visits);
	qsort(rounds, ROUNDS, sizeof(*rounds), visitcost_compare);
	return rounds[ROUNDS / 2];
}

static uint64_t runtime_visitcost_measure(void)
{
	struct kymo_thread thread;
	uint64_t frame, round;
	char *base = pages_new(SCRATCH_BYTES);

	if (!base)
		return 0;
	plant(&thread, base);
	frame = median_round(&thread, 0);
	round = median_round(&thread, VISITS);
	pages_free(base, SCRATCH_BYTES);
	return round > frame ? (round - frame) * 1000 / VISITS : 0;
}

void visitcost_measure(void)
{
	uint64_t cost_ps = rundirectory_cost(session_environment());

	if (cost_ps == 0) {
		cost_ps = runtime_visitcost_measure();
		rundirectory_record_cost(session_environment(), cost_ps);
	}
	store.header->cost_enter_exit_ps = cost_ps;
	/* Enter and leave take about the same time, and read the clock half way. */
	store.header->cost_enter_exit_inside_ps = cost_ps / 2;
}
