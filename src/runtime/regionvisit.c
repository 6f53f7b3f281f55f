/* Visits of no length, for what is too short to be timed: counted in the tree, one reading of
 * the clock in the trace. */
#include "runtime/callpath.h"
#include "runtime/userstack.h"

/* Other metrics are measured as everywhere, which takes longer than the call. */
static void visit_measured(struct kymo_thread *thread, uint32_t region)
{
	kymo_enter(thread, region, session.mode);
	kymo_leave(thread, region, KYMO_EVENT_LEAVE, session.mode);
}

static void visit_node(struct kymo_thread *thread, uint32_t region)
{
	struct kymo_node *node = callpath_known(thread, region);

	if (kymo_unlikely(!node))
		node = kymo_callpath_find(thread, region);
	if (kymo_likely(node != NULL)) {
		node->count++;
		node->min = 0;
	} else {
		kymo_callpath_exit_slow(thread, region, kymo_now(thread)); /* it was folded */
	}
}

static void visit(struct kymo_thread *thread, uint32_t region)
{
	unsigned mode = session.mode;
	uint64_t now;

	if (kymo_unlikely(mode & KYMO_MODE_METRICS)) {
		visit_measured(thread, region);
		return;
	}
	if (mode & KYMO_MODE_PROFILE)
		visit_node(thread, region);
	if (mode & KYMO_MODE_TRACE) {
		now = kymo_now(thread);
		kymo_event_put(thread, KYMO_EVENT_ENTER, region, now);
		kymo_event_put(thread, KYMO_EVENT_LEAVE, region, now);
	}
}

void kymo_region_visit(struct kymo_thread *thread, uint32_t region)
{
	if (region == 0 || !kymo_admits(thread) || !user_take(thread))
		return;
	visit(thread, region);
	user_give(thread);
}
