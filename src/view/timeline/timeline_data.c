/* Collects data thread by thread, each trace once. */
#include "view/timeline/timeline_data.h"

#include <string.h>

#include "command/xalloc.h"
#include "model/recording/recording_open.h"
#include "model/trace/trace_cursor.h"
#include "view/timeline/slices.h"

/* Parts of the budget; slices have the rest. */
#define SERIES_PART   128u /* steps of series: that part in all, of a dozen bytes each */
#define MARKS_PART    8u
#define MESSAGES_PART 16u
#define FACTS_BYTES   16384u

struct collecting { /* one thread */
	struct timeline_data *data;
	struct slice_clock clock;
	const uint32_t *regions; /* common numbers */
	uint32_t process, thread;
};

static bool data_is_shown(const struct timeline_data *data, uint64_t start_ns, uint64_t end_ns)
{
	return end_ns >= data->from_ns && start_ns <= data->to_ns;
}

static void count_density(struct timeline_data *data, uint64_t ns)
{
	uint64_t step = ns / (data->span_ns / TIMELINE_DENSITY + 1);

	data->density[step < TIMELINE_DENSITY ? step : TIMELINE_DENSITY - 1]++;
}

static void on_slice(void *context, uint64_t start_ns, uint64_t end_ns, uint32_t depth,
		     uint32_t region)
{
	const struct collecting *collecting = context;

	count_density(collecting->data, start_ns);
	if (data_is_shown(collecting->data, start_ns, end_ns))
		lod_store_slice(&collecting->data->slices, start_ns, end_ns, depth,
				collecting->regions[region]);
}

static void on_state(void *context, uint64_t start_ns, uint64_t end_ns, uint32_t depth,
		     uint32_t class)
{
	const struct collecting *collecting = context;

	if (data_is_shown(collecting->data, start_ns, end_ns))
		lod_store_slice(&collecting->data->slices, start_ns, end_ns, depth, class);
}

static void on_instant(void *context, uint64_t ns, uint32_t region)
{
	const struct collecting *collecting = context;

	if (data_is_shown(collecting->data, ns, ns))
		lod_store_slice(&collecting->data->marks, ns, ns, 0, collecting->regions[region]);
}

static void on_lost(void *context, uint64_t start_ns, uint64_t end_ns, uint64_t count)
{
	const struct collecting *collecting = context;

	if (data_is_shown(collecting->data, start_ns, end_ns))
		lod_store_slice(&collecting->data->marks, start_ns, end_ns, 1,
				count < UINT32_MAX ? (uint32_t)count : UINT32_MAX);
}

static void on_message(void *context, uint64_t ns, const struct trace_event *event)
{
	const struct collecting *collecting = context;
	const struct message_end end = {
		.key = message_key(collecting->clock.recording, event),
		.ns = ns,
		.process = collecting->process,
		.thread = collecting->thread,
		.region = collecting->regions[event->region],
		.is_send = event->kind == TRACE_SEND,
	};

	messages_add(&collecting->data->messages, &end);
}

static void collect_trace(struct collecting *collecting)
{
	const struct slice_sink sink = {collecting, on_slice, on_instant, on_lost, on_message};
	struct timeline_data *data = collecting->data;

	lod_store_begin(&data->slices, collecting->process, collecting->thread, LOD_SLICES);
	lod_store_begin(&data->marks, collecting->process, collecting->thread, LOD_MARKS);
	slices_of_trace(&collecting->clock, collecting->thread, &sink);
	lod_store_end(&data->slices);
	lod_store_end(&data->marks);
}

static void collect_samples(struct collecting *collecting, const struct recording_samples *samples,
			    bool with_slices)
{
	struct slice_sink sink = {.context = collecting, .slice = on_slice};
	struct lod_store *store = &collecting->data->slices;

	if (!samples->samples || !samples_has_track(samples, collecting->thread, SAMPLE_TRACK_WALL))
		return;
	if (with_slices) {
		lod_store_begin(store, collecting->process, collecting->thread, LOD_SAMPLES);
		slices_of_samples(&collecting->clock, samples, collecting->thread, &sink);
		lod_store_end(store);
	}
	sink.slice = on_state;
	lod_store_begin(store, collecting->process, collecting->thread, LOD_STATES);
	slices_of_states(&collecting->clock, samples, collecting->thread, &sink);
	lod_store_end(store);
}

static void data_collect_process(struct timeline_data *data, const struct page *page,
				 size_t process)
{
	const struct recording *recording = page->loaded->trees[process]->recording;
	const struct recording_samples *samples = &page->samples[process];
	struct collecting collecting = {
		.data = data,
		.clock = slice_clock_of(recording, data->origin_ns),
		.regions = page->regions->numbers[process],
		.process = (uint32_t)process,
	};
	bool prefers_samples = page->loaded->is_sampled && samples->samples;

	for (uint32_t i = 0; i < recording->thread_count; i++) {
		size_t before = data->slices.strip_count;

		if (!recording->threads[i].is_present)
			continue;
		collecting.thread = i;
		if (!prefers_samples)
			collect_trace(&collecting);
		collect_samples(&collecting, samples, data->slices.strip_count == before);
	}
}

static uint32_t step_count(size_t series_count, uint64_t steps_in_all)
{
	uint32_t count = SERIES_STEPS;

	while (count > SERIES_COARSEST && count * series_count > steps_in_all)
		count /= 8;
	return count;
}

static void data_add_lines(struct timeline_data *data, const struct page *page)
{
	uint64_t steps = page->options.timeline_bytes / SERIES_PART;
	size_t count = 0, limit = steps / SERIES_COARSEST;

	for (size_t i = 0; i < page->loaded->tree_count; i++)
		count += page->loaded->trees[i]->recording->series_count;
	if (count > limit) {
		data->line_left_out_count = count - limit;
		count = limit;
	}
	data->lines = xcalloc(count + 1, sizeof(*data->lines));
	for (size_t i = 0; i < page->loaded->tree_count; i++) {
		size_t here = page->loaded->trees[i]->recording->series_count;

		for (size_t k = 0; k < here && data->line_count < count; k++) {
			struct timeline_line *line = &data->lines[data->line_count++];

			line->process = (uint32_t)i;
			line->number = (uint32_t)k;
			timeline_series_init(&line->data, data->span_ns, step_count(count, steps));
		}
	}
}

/* The lines of a process are adjacent, in the order of its series. */
static size_t data_lines_of(const struct timeline_data *data, size_t process, size_t first)
{
	size_t count = 0;

	while (first + count < data->line_count && data->lines[first + count].process == process)
		count++;
	return count;
}

static void read_points(struct timeline_data *data, const struct page *page)
{
	size_t first = 0;

	for (size_t i = 0; i < page->loaded->tree_count; i++) {
		const struct recording *recording = page->loaded->trees[i]->recording;
		struct slice_clock clock = slice_clock_of(recording, data->origin_ns);
		size_t count = data_lines_of(data, i, first);
		struct kymo_point point;
		uint64_t index = 0;

		while (count && recording_point(recording, &index, &point)) {
			if (point.series < count)
				timeline_series_add(&data->lines[first + point.series].data,
						    slice_clock_ns(&clock, point.ticks),
						    point.value);
		}
		first += count;
	}
}

/* Size in the page, at most. */
static uint64_t series_bytes(const struct timeline_data *data)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < data->line_count; i++)
		bytes += timeline_series_bytes(&data->lines[i].data);
	return bytes;
}

static uint64_t process_end_ns(const struct slice_clock *clock)
{
	const struct recording *recording = clock->recording;
	uint64_t end = slice_clock_ns(clock, recording->end_ticks);

	for (uint32_t i = 0; i < recording->thread_count; i++) {
		uint64_t ns = slice_clock_ns(clock, recording->threads[i].end_ticks);

		if (recording->threads[i].is_present && ns > end)
			end = ns;
	}
	return end;
}

static void data_find_span(struct timeline_data *data, const struct page *page)
{
	const struct page_options *options = &page->options;

	data->origin_ns = page->facts->start_realtime_ns;
	data->span_ns = 1;
	for (size_t i = 0; i < page->loaded->tree_count; i++) {
		struct slice_clock clock =
			slice_clock_of(page->loaded->trees[i]->recording, data->origin_ns);
		uint64_t end = process_end_ns(&clock);

		data->span_ns = end > data->span_ns ? end : data->span_ns;
	}
	data->to_ns = data->span_ns;
	data->from_ns = options->timeline_from_ns;
	if (options->timeline_to_ns && options->timeline_to_ns < data->span_ns)
		data->to_ns = options->timeline_to_ns;
}

static void init_stores(struct timeline_data *data, const struct page *page)
{
	uint64_t budget = page->options.timeline_bytes, span_ns = data->to_ns - data->from_ns;
	uint64_t others =
		budget / MARKS_PART + budget / MESSAGES_PART + series_bytes(data) + FACTS_BYTES;

	lod_store_init(&data->marks, budget / MARKS_PART, span_ns);
	messages_init(&data->messages, budget / MESSAGES_PART / MESSAGE_BYTES * 4);
	data->messages_at_once = budget / MESSAGES_PART / MESSAGE_BYTES / MESSAGE_PARTS;
	lod_store_init(&data->slices, budget > others ? budget - others : 0, span_ns);
}

enum kymo_status timeline_check(const struct page *page, struct problem *problem)
{
	struct timeline_data data = {0};

	data_find_span(&data, page);
	if (page->options.timeline_from_ns < data.span_ns)
		return KYMO_OK;
	return problem_set(
		problem, KYMO_USAGE, "the run ends after %.9g s: nothing is there from %.9g s on",
		(double)data.span_ns * 1e-9, (double)page->options.timeline_from_ns * 1e-9);
}

void timeline_data_collect(struct timeline_data *data, const struct page *page)
{
	*data = (struct timeline_data){0};
	data_find_span(data, page);
	data_add_lines(data, page);
	read_points(data, page);
	init_stores(data, page);
	for (size_t i = 0; i < page->loaded->tree_count; i++)
		data_collect_process(data, page, i);
}

void timeline_data_release(struct timeline_data *data)
{
	for (size_t i = 0; i < data->line_count; i++)
		timeline_series_release(&data->lines[i].data);
	xfree(data->lines);
	messages_release(&data->messages);
	lod_store_release(&data->slices);
	lod_store_release(&data->marks);
}
