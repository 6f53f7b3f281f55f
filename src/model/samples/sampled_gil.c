/* The GIL over time: the samples of all threads, merged. Each sample covers the time since the one
 * before it.  A sweep over the ends of these intervals, the earliest first, updates two integrals:
 * the time during which any thread waited, and the summed time of all waiting threads.  An
 * interval's values are the differences between its end and its beginning. */
#include "model/samples/sampled_gil.h"

#include <stdlib.h>

#include "model/samples/sampled_class.h"
#include "model/samples/sampled_frames.h"
#include "model/samples/sampled_stacks.h"
#include "model/samples/sampled_threads.h"

struct interval { /* of one thread: its current sample */
	struct sampled_gil_thread *row;
	struct sampled_stack *stacks;
	struct sample_position position;
	struct sample sample;
	uint64_t next;		  /* ticks at which it begins or ends */
	double contended, waited; /* the integrals when it began */
	bool is_begun;
	enum kymo_gil_state before;
	double squares;
};

struct line_sums { /* by region */
	uint64_t count;
	double held, blocking, waited;
};

struct sweep {
	struct recording *recording;
	const struct samples *samples;
	const struct sampled_options *options;
	struct sampled_frames *frames;
	struct interval *intervals;
	size_t interval_count;
	struct interval **heap; /* by next */
	size_t heap_count;
	struct line_sums *lines;
	double tick_ns;
	uint64_t now;
	uint64_t waiting; /* threads that are waiting now */
	double contended, waited;
	struct sampled_gil *gil;
};

static void heap_down(struct sweep *sweep, size_t at)
{
	struct interval **heap = sweep->heap, *moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < sweep->heap_count && heap[child + 1]->next < heap[child]->next)
			child++;
		if (child >= sweep->heap_count || heap[child]->next >= moved->next)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static void heap_make(struct sweep *sweep)
{
	for (size_t i = sweep->heap_count / 2; i-- > 0;)
		heap_down(sweep, i);
}

static bool is_wait(const struct interval *interval)
{
	const struct sampled_leaf *leaf = &interval->stacks[interval->sample.stack].leaf;

	return sampled_classify(leaf, &interval->sample) == SAMPLED_GIL;
}

/* The state of the GIL in a sample: the sampler's observation, else from its stack. */
static enum kymo_gil_state gil_state_of(const struct interval *interval)
{
	return is_wait(interval) ? KYMO_GIL_WAITED_FOR : interval->sample.gil;
}

/* The thread's next sample of wall time; false at the end. */
static bool interval_next(struct sweep *sweep, struct interval *interval)
{
	do {
		if (!samples_next(sweep->samples, interval->row->thread, &interval->position,
				  &interval->sample))
			return false;
	} while (interval->sample.kind != KYMO_SAMPLE_REALTIME);
	interval->is_begun = false;
	interval->next = interval->sample.start_ticks;
	return true;
}

static void gil_advance(struct sweep *sweep, uint64_t to)
{
	if (to <= sweep->now)
		return;
	if (sweep->waiting)
		sweep->contended += (double)(to - sweep->now) * sweep->tick_ns;
	sweep->waited += (double)(to - sweep->now) * sweep->tick_ns * (double)sweep->waiting;
	sweep->now = to;
}

static void stretch_begin(struct sweep *sweep, struct interval *interval)
{
	enum kymo_gil_state state = gil_state_of(interval);

	interval->is_begun = true;
	interval->next = interval->sample.ticks;
	interval->contended = sweep->contended;
	interval->waited = sweep->waited;
	sweep->waiting += state == KYMO_GIL_WAITED_FOR;
	interval->row->hold_count += state == KYMO_GIL_HELD && interval->before != state;
	interval->row->wait_count += state == KYMO_GIL_WAITED_FOR && interval->before != state;
	interval->before = state;
}

static void hold_add(struct sweep *sweep, const struct interval *interval)
{
	const struct sample *sample = &interval->sample;
	uint32_t region = interval->stacks[sample->stack].python_region;
	struct line_sums *line = &sweep->lines[region];

	line->count++;
	line->held += sample->wall_ns;
	line->blocking += sweep->contended - interval->contended;
	line->waited += sweep->waited - interval->waited;
	interval->row->held_ns += sample->wall_ns;
	interval->row->blocking_ns += sweep->contended - interval->contended;
}

static void stretch_end(struct sweep *sweep, struct interval *interval)
{
	struct sampled_gil_thread *row = interval->row;

	row->count++;
	row->wall_ns += interval->sample.wall_ns;
	interval->squares += interval->sample.wall_ns * interval->sample.wall_ns;
	if (interval->before == KYMO_GIL_HELD)
		hold_add(sweep, interval);
	if (interval->before != KYMO_GIL_WAITED_FOR)
		return;
	row->wait_ns += interval->sample.wall_ns;
	sweep->waiting--;
}

static void sweep_all(struct sweep *sweep)
{
	heap_make(sweep);
	while (sweep->heap_count > 0) {
		struct interval *first = sweep->heap[0];

		gil_advance(sweep, first->next);
		if (!first->is_begun) {
			stretch_begin(sweep, first);
		} else {
			stretch_end(sweep, first);
			if (!interval_next(sweep, first))
				sweep->heap[0] = sweep->heap[--sweep->heap_count];
		}
		if (sweep->heap_count > 0)
			heap_down(sweep, 0);
	}
}

static bool stretches_make(struct sweep *sweep)
{
	uint32_t count = sweep->recording->thread_count;

	sweep->intervals = calloc(count + (size_t)1, sizeof(*sweep->intervals));
	sweep->heap = calloc(count + (size_t)1, sizeof(struct interval *));
	sweep->gil->threads = calloc(count + (size_t)1, sizeof(*sweep->gil->threads));
	if (!sweep->intervals || !sweep->heap || !sweep->gil->threads)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct interval *interval = &sweep->intervals[sweep->interval_count];

		if (!sweep->samples->threads[i].counts[KYMO_SAMPLE_REALTIME])
			continue;
		interval->row = &sweep->gil->threads[sweep->interval_count++];
		interval->row->thread = i;
		interval->stacks = sampled_stacks_new(sweep->frames, sweep->samples, i);
		if (!interval->stacks)
			return false;
		if (interval_next(sweep, interval))
			sweep->heap[sweep->heap_count++] = interval;
	}
	sweep->lines = calloc(sweep->recording->region_count, sizeof(*sweep->lines));
	return sweep->lines != NULL;
}

/* Keep the threads that held the GIL or waited for it. */
static void threads_finish(struct sweep *sweep)
{
	struct sampled_gil *gil = sweep->gil;

	for (size_t i = 0; i < sweep->interval_count; i++) {
		struct sampled_gil_thread row = gil->threads[i];
		double squares = sweep->intervals[i].squares;
		double effective = squares > 0 ? row.wall_ns * row.wall_ns / squares : 0;

		if (!row.hold_count && !row.wait_count)
			continue;
		row.held = sampled_interval(row.wall_ns > 0 ? row.held_ns / row.wall_ns : 0,
					    effective);
		row.wait = sampled_interval(row.wall_ns > 0 ? row.wait_ns / row.wall_ns : 0,
					    effective);
		gil->held_ns += row.held_ns;
		gil->wait_ns += row.wait_ns;
		gil->threads[gil->thread_count++] = row;
	}
	gil->contended_ns = sweep->contended;
}

static int gil_line_compare(const void *left, const void *right)
{
	const struct sampled_gil_line *a = left, *b = right;

	if (a->blocking_ns != b->blocking_ns)
		return a->blocking_ns > b->blocking_ns ? -1 : 1;
	if (a->held_ns != b->held_ns)
		return a->held_ns > b->held_ns ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static bool lines_finish(struct sweep *sweep)
{
	struct sampled_gil *gil = sweep->gil;
	const struct region *regions = sweep->recording->regions;

	gil->lines = calloc(sweep->recording->region_count, sizeof(*gil->lines));
	if (!gil->lines)
		return false;
	for (uint32_t id = 0; id < sweep->recording->region_count; id++) {
		const struct line_sums *line = &sweep->lines[id];

		if (!line->count)
			continue;
		gil->lines[gil->line_count++] = (struct sampled_gil_line){
			.file = id ? regions[id].file : NULL,
			.function = id ? regions[id].name : "[no Python frame]",
			.line = id ? regions[id].line : 0,
			.count = line->count,
			.held_ns = line->held,
			.blocking_ns = line->blocking,
			.waited_ns = line->waited,
		};
	}
	if (gil->line_count > 1)
		qsort(gil->lines, gil->line_count, sizeof(*gil->lines), gil_line_compare);
	return true;
}

static bool sweep_make(struct sweep *sweep)
{
	if (sampled_frames_new(sweep->recording, sweep->samples, sweep->options, &sweep->frames) !=
		    KYMO_OK ||
	    !stretches_make(sweep))
		return false;
	sweep_all(sweep);
	threads_finish(sweep);
	return lines_finish(sweep);
}

static void sweep_release(struct sweep *sweep)
{
	for (size_t i = 0; sweep->intervals && i < sweep->interval_count; i++)
		free(sweep->intervals[i].stacks);
	sampled_frames_free(sweep->frames);
	free(sweep->intervals);
	free(sweep->heap);
	free(sweep->lines);
}

enum kymo_status sampled_gil_new(struct recording *recording, const struct samples *samples,
				 const struct sampled_options *options, struct sampled_gil **out)
{
	struct sampled_options wanted = *options;
	struct sweep sweep = {
		.recording = recording,
		.samples = samples,
		.options = &wanted,
		.tick_ns = recording_tick_ns(recording),
		.gil = calloc(1, sizeof(*sweep.gil)),
	};
	bool is_complete;

	wanted.has_lines = true;
	is_complete = sweep.gil && sweep_make(&sweep);
	sweep_release(&sweep);
	if (!is_complete) {
		sampled_gil_free(sweep.gil);
		return KYMO_MEMORY;
	}
	*out = sweep.gil;
	return KYMO_OK;
}

void sampled_gil_free(struct sampled_gil *gil)
{
	if (!gil)
		return;
	free(gil->threads);
	free(gil->lines);
	free(gil);
}
