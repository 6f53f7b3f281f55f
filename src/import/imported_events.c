/* The time-dependent content of a file while it is read: events, from which call paths are derived,
 * samples and series.  Serves imported.h. */
#include "import/imported_reserve.h"

/* The time to use: time never decreases. */
static int64_t events_advance(struct imported *imported, struct imported_thread *thread, int64_t ns)
{
	if (ns < thread->last_ns) {
		imported_count(imported, COUNT_LATE_EVENTS);
		ns = thread->last_ns;
	}
	if (ns < thread->first_ns)
		thread->first_ns = ns;
	thread->last_ns = ns;
	return ns;
}

static void event_add(struct imported *imported, struct imported_thread *thread, int64_t ns,
		      uint32_t region, bool is_instant)
{
	struct imported_event *event = IMPORTED_RESERVE(
		imported, thread->events, thread->event_count, thread->event_capacity);

	if (!event)
		return;
	*event = (struct imported_event){ns, region, is_instant};
	thread->event_count++;
}

void imported_enter(struct imported *imported, uint32_t number, int64_t ns, uint32_t region)
{
	struct imported_thread *thread = &imported->threads[number];
	uint32_t parent =
		thread->open_count ? thread->open[thread->open_count - 1].node : thread->root;
	struct imported_visit *visit =
		IMPORTED_RESERVE(imported, thread->open, thread->open_count, thread->open_capacity);
	uint32_t node;

	if (!visit || !region)
		return;
	thread->open_count++;
	node = parent ? imported_child(imported, parent, region) : 0;
	*visit = (struct imported_visit){.ns = events_advance(imported, thread, ns),
					 .node = node == parent ? 0 : node};
	if (visit->node)
		event_add(imported, thread, visit->ns, region, false);
	else if (!parent)
		imported_count(imported, COUNT_DEEP_FRAMES);
}

static void visit_close(struct imported *imported, const struct imported_visit *visit, int64_t ns)
{
	struct imported_node *node = &imported->nodes[visit->node];
	uint64_t duration = (uint64_t)ns - (uint64_t)visit->ns;

	node->count++;
	node->visits++;
	node->self_ns += (double)duration - visit->children_ns;
	node->sum_squares_ns += (double)duration * (double)duration;
	if (duration < node->min_ns)
		node->min_ns = duration;
	if (duration > node->max_ns)
		node->max_ns = duration;
}

bool imported_leave(struct imported *imported, uint32_t number, int64_t ns)
{
	struct imported_thread *thread = &imported->threads[number];
	struct imported_visit *visit;

	if (!thread->open_count)
		return false;
	visit = &thread->open[--thread->open_count];
	if (!visit->node)
		return true;
	ns = events_advance(imported, thread, ns);
	visit_close(imported, visit, ns);
	if (thread->open_count)
		thread->open[thread->open_count - 1].children_ns += (double)(ns - visit->ns);
	event_add(imported, thread, ns, 0, false);
	return true;
}

void imported_instant(struct imported *imported, uint32_t number, int64_t ns, uint32_t region)
{
	struct imported_thread *thread = &imported->threads[number];

	event_add(imported, thread, events_advance(imported, thread, ns), region, true);
}

void imported_sample(struct imported *imported, uint32_t number, int64_t begin_ns, int64_t end_ns,
		     uint32_t node)
{
	struct imported_thread *thread = &imported->threads[number];
	struct imported_sample *sample = IMPORTED_RESERVE(
		imported, thread->samples, thread->sample_count, thread->sample_capacity);

	if (!sample)
		return;
	*sample = (struct imported_sample){begin_ns, end_ns, node};
	thread->sample_count++;
	if (begin_ns < thread->first_ns)
		thread->first_ns = begin_ns;
	if (end_ns > thread->last_ns)
		thread->last_ns = end_ns;
}

uint32_t imported_series(struct imported *imported, uint32_t process, uint32_t thread,
			 struct span name, struct span unit)
{
	struct imported_series *series = IMPORTED_RESERVE(
		imported, imported->series, imported->series_count, imported->series_capacity);

	if (!series)
		return 0;
	*series = (struct imported_series){process, thread, imported_name(imported, name),
					   imported_name(imported, unit)};
	return (uint32_t)imported->series_count++;
}

void imported_point(struct imported *imported, uint32_t series, int64_t ns, double value)
{
	struct imported_point *point = IMPORTED_RESERVE(
		imported, imported->points, imported->point_count, imported->point_capacity);

	if (!point)
		return;
	*point = (struct imported_point){ns, series, value};
	imported->point_count++;
}
