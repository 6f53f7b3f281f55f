/* Profiles of speedscope, as threads. */
#include "import/formats/speedscope_profile.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "import/text_lines.h"

bool speedscope_stop(struct speedscope_import *import, const char *fault)
{
	import->fault = fault;
	return false;
}

bool speedscope_stop_memory(struct speedscope_import *import)
{
	import->is_out_of_memory = true;
	return false;
}

/* "app [12] MainThread" of Kymo, "Process 12 Thread 34 \"name\"" of py-spy. */
static uint32_t profile_thread_of(struct imported *imported, struct span name)
{
	struct span rest = name, program = name;
	uint64_t pid = 0, id = 0;
	uint32_t process, thread;
	const char *open;

	if (span_begins(rest, "Process ")) {
		rest = span_from(rest, 8);
		if (span_number(&rest, &pid) && span_begins(rest, " "))
			name = span_from(rest, 1);
	} else if ((open = name.size ? memmem(name.at, name.size, " [", 2) : NULL)) {
		rest = span_from(name, (size_t)(open - name.at) + 2);
		if (span_number(&rest, &pid) && span_begins(rest, "] "))
			name = span_from(rest, 2);
		else
			pid = 0;
	}
	process = imported_process(imported, pid);
	if (pid && program.at != name.at && !span_begins(program, "Process "))
		imported_process_name(
			imported, process,
			(struct span){program.at,
				      (size_t)((char *)memmem(program.at, program.size, " [", 2) -
					       program.at)});
	rest = name;
	if (span_begins(rest, "Thread ")) {
		rest = span_from(rest, 7);
		span_number(&rest, &id);
	}
	thread = imported_thread_new(imported, process, id);
	if (thread)
		imported_thread_name(imported, thread, name);
	return thread;
}

/* Nanoseconds per unit; a unit that is no time is noted. */
static double unit_of(struct speedscope_import *import)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{"nanoseconds", 1}, {"microseconds", 1e3}, {"milliseconds", 1e6}, {"seconds", 1e9}};
	struct span unit = textbuf_span(&import->profile.unit);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (span_equals(unit, units[i].name))
			return units[i].ns;
	}
	import->unit = span_equals(unit, "bytes") ? "bytes" : "none";
	if (import->imported->unit_ns > 0)
		import->unit = NULL;
	return import->imported->unit_ns;
}

static int64_t ns_of(double value, double unit_ns)
{
	double ns = value * (unit_ns > 0 ? unit_ns : 1);

	return fabs(ns) < 9e18 ? llround(ns) : 0;
}

static bool open_push(struct speedscope_import *import, uint32_t frame)
{
	uint32_t *open = array_grow(import->open, &import->open_capacity, import->open_count + 1,
				    sizeof(*open));

	if (!open)
		return speedscope_stop_memory(import);
	import->open = open;
	open[import->open_count++] = frame;
	return true;
}

/* Closing an outer frame closes the inner ones. */
static void close_frame(struct speedscope_import *import, uint32_t thread, uint32_t frame,
			int64_t ns)
{
	size_t at = import->open_count;

	while (at > 0 && import->open[at - 1] != frame)
		at--;
	if (at == 0) {
		imported_count(import->imported, COUNT_UNMATCHED_ENDS);
		return;
	}
	for (; import->open_count >= at; import->open_count--)
		imported_leave(import->imported, thread, ns);
}

static bool profile_put_events(struct speedscope_import *import, uint32_t thread, double unit_ns)
{
	const struct profile *profile = &import->profile;

	import->open_count = 0;
	for (size_t i = 0; i < profile->event_count; i++) {
		const struct frame_event *event = &profile->events[i];
		int64_t ns = ns_of(event->at, unit_ns);

		if (event->frame >= import->frame_count)
			return speedscope_stop(import, "an event's frame is not there");
		if (!event->is_open) {
			close_frame(import, thread, event->frame, ns);
			continue;
		}
		imported_enter(import->imported, thread, ns, import->frames[event->frame]);
		if (!open_push(import, event->frame))
			return false;
	}
	for (; import->open_count > 0; import->open_count--) {
		imported_leave(import->imported, thread, ns_of(profile->end, unit_ns));
		imported_count(import->imported, COUNT_UNENDED);
	}
	return true;
}

static bool profile_put_sample(struct speedscope_import *import, uint32_t thread, size_t index,
			       uint32_t *node_out)
{
	const struct profile *profile = &import->profile;
	size_t at = index ? profile->stack_ends[index - 1] : 0;

	*node_out = imported_root(import->imported, thread);
	for (; at < profile->stack_ends[index]; at++) {
		if (profile->stacks[at] >= import->frame_count)
			return speedscope_stop(import, "a sample's frame is not there");
		*node_out = imported_child(import->imported, *node_out,
					   import->frames[profile->stacks[at]]);
	}
	return true;
}

static bool profile_put_samples(struct speedscope_import *import, uint32_t thread, double unit_ns)
{
	struct imported *imported = import->imported;
	const struct profile *profile = &import->profile;
	double at = profile->start;

	imported->threads[thread].is_sampled = true;
	for (size_t i = 0; i < profile->sample_count; i++) {
		double weight = i < profile->weight_count ? profile->weights[i] : 1;
		uint32_t node;

		if (!profile_put_sample(import, thread, i, &node))
			return false;
		if (!(weight >= 0) || weight > 9e18) {
			imported_count(imported, COUNT_BAD_WEIGHTS);
			continue;
		}
		if (imported->nodes[node].region)
			imported_weigh(imported, node, 1, weight * (unit_ns > 0 ? unit_ns : 1));
		if (imported->nodes[node].region && unit_ns > 0)
			imported_sample(imported, thread, ns_of(at, unit_ns),
					ns_of(at + weight, unit_ns), node);
		at += weight;
	}
	return true;
}

bool speedscope_profile_end(struct speedscope_import *import)
{
	struct profile *profile = &import->profile;
	double unit_ns = unit_of(import);
	uint32_t thread = profile_thread_of(import->imported, textbuf_span(&profile->name));
	bool is_sampled = profile->sample_count > 0;

	if (!thread)
		return speedscope_stop_memory(import);
	if (profile->weight_count && profile->weight_count != profile->sample_count)
		return speedscope_stop(import, "it has not as many weights as samples");
	return is_sampled ? profile_put_samples(import, thread, unit_ns)
			  : profile_put_events(import, thread, unit_ns);
}
