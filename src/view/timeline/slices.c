/* Slices: begins are kept on a stack until their ends.  Deeper slices than the stack may grow are
 * emitted with the time of their end alone, so that they can be counted. */
#include "view/timeline/slices.h"

#include "command/xalloc.h"
#include "model/trace/trace_cursor.h"

#define STACK_MAX	 65536u
#define UNKNOWN_CLOCK_NS (UINT64_C(100) * 86400 * 1000000000)

struct slice_stack {
	struct slice_clock clock;
	const struct slice_sink *sink;
	struct slice_begin {
		uint64_t ns;
		uint32_t region;
	} * items;
	size_t capacity;
	uint32_t depth;
	uint64_t last_ns;
};

struct slice_clock slice_clock_of(const struct recording *recording, uint64_t origin_ns)
{
	uint64_t start = recording_realtime_ns(recording, recording->header.start_ticks);
	bool is_known = start >= origin_ns && start - origin_ns < UNKNOWN_CLOCK_NS;

	return (struct slice_clock){recording, is_known ? origin_ns : start};
}

uint64_t slice_clock_ns(const struct slice_clock *clock, uint64_t ticks)
{
	uint64_t ns = recording_realtime_ns(clock->recording, ticks);

	if (ns < clock->origin_ns)
		return 0;
	ns -= clock->origin_ns;
	return ns < SLICES_NS_MAX ? ns : SLICES_NS_MAX;
}

static uint64_t stack_time(struct slice_stack *stack, uint64_t ticks)
{
	uint64_t ns = slice_clock_ns(&stack->clock, ticks);

	if (ns > stack->last_ns)
		stack->last_ns = ns;
	return stack->last_ns;
}

static void stack_begin(void *context, uint32_t region, uint64_t ticks)
{
	struct slice_stack *stack = context;
	uint64_t ns = stack_time(stack, ticks);

	if (stack->depth < STACK_MAX && stack->depth >= stack->capacity)
		stack->items = xgrow(stack->items, &stack->capacity, stack->depth + 1,
				     sizeof(*stack->items));
	if (stack->depth < stack->capacity)
		stack->items[stack->depth] = (struct slice_begin){ns, region};
	stack->depth++;
}

static void slices_stack_end(void *context, uint64_t ticks)
{
	struct slice_stack *stack = context;
	struct slice_begin begin = {.ns = stack_time(stack, ticks)};

	stack->depth--;
	if (stack->depth < stack->capacity)
		begin = stack->items[stack->depth];
	stack->sink->slice(stack->sink->context, begin.ns, stack->last_ns, stack->depth,
			   begin.region);
}

static void use_event(struct slice_stack *stack, const struct trace_event *event)
{
	const struct slice_sink *sink = stack->sink;
	uint64_t before = stack->last_ns;

	switch (event->kind) {
	case TRACE_ENTER:
		stack_begin(stack, event->region, event->ticks);
		break;
	case TRACE_LEAVE:
	case TRACE_UNWIND:
		slices_stack_end(stack, event->ticks);
		break;
	case TRACE_INSTANT:
		if (sink->instant)
			sink->instant(sink->context, stack_time(stack, event->ticks),
				      event->region);
		break;
	case TRACE_LOST:
		if (sink->lost)
			sink->lost(sink->context, before, stack_time(stack, event->ticks),
				   event->value);
		break;
	case TRACE_SEND:
	case TRACE_RECEIVE:
		if (sink->message)
			sink->message(sink->context, stack_time(stack, event->ticks), event);
		break;
	}
}

void slices_of_trace(const struct slice_clock *clock, uint32_t thread,
		     const struct slice_sink *sink)
{
	struct slice_stack stack = {.clock = *clock, .sink = sink};
	struct trace_cursor *cursor;
	struct trace_event event;

	xneed(trace_cursor_new(clock->recording, thread, &cursor) == KYMO_OK);
	while (trace_cursor_next(cursor, &event))
		use_event(&stack, &event);
	trace_cursor_free(cursor);
	xfree(stack.items);
}

void slices_of_samples(const struct slice_clock *clock, const struct recording_samples *samples,
		       uint32_t thread, const struct slice_sink *sink)
{
	struct slice_stack stack = {.clock = *clock, .sink = sink};
	const struct sample_slices slices = {stack_begin, slices_stack_end, &stack};

	samples_each_slice(samples, thread, SAMPLE_TRACK_WALL, NULL, &slices);
	xfree(stack.items);
}

void slices_of_states(const struct slice_clock *clock, const struct recording_samples *samples,
		      uint32_t thread, const struct slice_sink *sink)
{
	struct slice_stack stack = {.clock = *clock, .sink = sink};
	const struct sample_slices slices = {stack_begin, slices_stack_end, &stack};

	samples_each_state(samples, thread, &slices);
	xfree(stack.items);
}
