/* Asynchronous operations.  Events with the same id are sequential or nested: the outermost begin
 * and its end are an operation, which is placed on the first free track of its name. */
#include "import/formats/chrome_async.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct operation { /* a range of the sorted events */
	size_t first, count;
	int64_t begin_ns, end_ns;
	uint32_t process, region;
};

struct async_layout {
	struct chrome_tracks *tracks;
	struct operation *operations;
	size_t count, capacity;
	struct {
		uint32_t thread;
		int64_t end_ns;
	} lanes[CHROME_LANES_MAX];
	uint32_t lane_count;
};

static int compare_events(const void *left, const void *right)
{
	const struct chrome_operation *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static int compare_operations(const void *left, const void *right)
{
	const struct operation *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static void add_operation(struct async_layout *layout, size_t first, size_t end)
{
	const struct chrome_operation *events = layout->tracks->operations;
	struct operation *grown = array_grow(layout->operations, &layout->capacity,
					     layout->count + 1, sizeof(*grown));

	if (!grown) {
		layout->tracks->imported->is_out_of_memory = true;
		return;
	}
	layout->operations = grown;
	grown[layout->count++] = (struct operation){
		.first = first,
		.count = end - first,
		.begin_ns = events[first].ns,
		.end_ns = events[end - 1].ns,
		.process = events[first].process,
		.region = events[first].region,
	};
}

static void find_operations(struct async_layout *layout)
{
	const struct chrome_tracks *tracks = layout->tracks;
	size_t first = 0, depth = 0;

	for (size_t i = 0; i < tracks->operation_count; i++) {
		const struct chrome_operation *event = &tracks->operations[i];

		if (depth > 0 && event->key != tracks->operations[first].key) {
			add_operation(layout, first, i);
			depth = 0;
		}
		if (event->is_begin && depth++ == 0)
			first = i;
		else if (!event->is_begin && depth == 0)
			imported_count(tracks->imported, COUNT_UNMATCHED_ENDS);
		else if (!event->is_begin && --depth == 0)
			add_operation(layout, first, i + 1);
	}
	if (depth > 0)
		add_operation(layout, first, tracks->operation_count);
}

static uint32_t lane_new(struct async_layout *layout, const struct operation *operation)
{
	struct imported *imported = layout->tracks->imported;
	uint32_t thread = imported_thread_new(imported, operation->process, 0);
	struct span name = imported->regions[operation->region].name;
	char title[200];
	int length;

	if (layout->lane_count)
		length = snprintf(title, sizeof(title), "%.*s (async %u)",
				  name.size < 160 ? (int)name.size : 160, name.at,
				  layout->lane_count + 1);
	else
		length = snprintf(title, sizeof(title), "%.*s (async)",
				  name.size < 160 ? (int)name.size : 160, name.at);
	if (thread)
		imported_thread_name(imported, thread, (struct span){title, (size_t)length});
	return thread;
}

/* A free lane; NULL if there is none. */
static uint32_t lane_of(struct async_layout *layout, const struct operation *operation)
{
	uint32_t lane = 0;

	while (lane < layout->lane_count && layout->lanes[lane].end_ns > operation->begin_ns)
		lane++;
	if (lane == CHROME_LANES_MAX)
		return 0;
	if (lane == layout->lane_count) {
		layout->lanes[lane].thread = lane_new(layout, operation);
		layout->lane_count++;
	}
	layout->lanes[lane].end_ns = operation->end_ns;
	return layout->lanes[lane].thread;
}

static void async_put_operation(struct async_layout *layout, const struct operation *operation)
{
	struct imported *imported = layout->tracks->imported;
	uint32_t thread = lane_of(layout, operation);
	size_t depth = 0;

	if (!thread) {
		imported_count(imported, COUNT_LANES);
		return;
	}
	for (size_t i = 0; i < operation->count; i++) {
		const struct chrome_operation *event =
			&layout->tracks->operations[operation->first + i];

		if (event->is_begin) {
			imported_enter(imported, thread, event->ns, event->region);
			depth++;
		} else if (depth > 0) {
			imported_leave(imported, thread, event->ns);
			depth--;
		}
	}
	for (; depth > 0; depth--) {
		imported_leave(imported, thread, operation->end_ns);
		imported_count(imported, COUNT_UNENDED);
	}
}

void chrome_async_finish(struct chrome_tracks *tracks)
{
	struct async_layout layout = {.tracks = tracks};

	if (tracks->operation_count == 0 || tracks->imported->is_out_of_memory)
		return;
	qsort(tracks->operations, tracks->operation_count, sizeof(*tracks->operations),
	      compare_events);
	find_operations(&layout);
	if (layout.count)
		qsort(layout.operations, layout.count, sizeof(*layout.operations),
		      compare_operations);
	for (size_t i = 0; i < layout.count && !tracks->imported->is_out_of_memory; i++) {
		const struct operation *operation = &layout.operations[i];

		if (i > 0 && (operation->process != operation[-1].process ||
			      operation->region != operation[-1].region))
			layout.lane_count = 0;
		async_put_operation(&layout, operation);
	}
	free(layout.operations);
}
