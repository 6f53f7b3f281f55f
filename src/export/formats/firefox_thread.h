/* One thread of a profile of the Firefox Profiler: tables of numbers that refer to each other.
 * Stacks are a tree, each has that of its caller as prefix; samples refer to stacks.
 *
 * The caller owns the thread; the recording must outlive it.  One thread at a time. */
#ifndef KYMO_FIREFOX_THREAD_H
#define KYMO_FIREFOX_THREAD_H

#include "export/call_graph.h"

#define FIREFOX_NONE UINT32_MAX

struct export_sink;

struct firefox_frame {
	uint32_t region, function;
};

struct firefox_stack {
	uint32_t prefix, frame; /* prefix: FIREFOX_NONE = outermost */
};

struct firefox_sample {
	uint32_t stack;
	double time_ms, weight;
};

struct firefox_thread {
	const struct recording *recording;
	bool has_events; /* weights are counts, not milliseconds */
	struct call_graph graph;
	uint32_t *region_frames; /* by region: the frame, FIREFOX_NONE = none yet */
	struct firefox_frame *frames;
	size_t frame_count, frame_capacity;
	struct firefox_stack *stacks;
	size_t stack_count, stack_capacity;
	struct firefox_sample *samples;
	size_t sample_count, sample_capacity;
	struct hashset stack_index; /* prefix and frame -> position + 1 */
};

void firefox_thread_init(struct firefox_thread *thread, const struct recording *recording);
/* The stack of a region called by prefix. */
uint32_t firefox_thread_stack(struct firefox_thread *thread, uint32_t prefix, uint32_t region);
void firefox_thread_sample(struct firefox_thread *thread, uint32_t stack, double time_ms,
			   double weight);
/* The tables as members of a JSON object, without a comma at the end. */
void firefox_thread_write(const struct firefox_thread *thread, struct export_sink *sink);
void firefox_thread_release(struct firefox_thread *thread);

/* The list of categories that frames refer to by index. */
extern const char firefox_categories[];

#endif
