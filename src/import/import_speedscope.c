/* The speedscope importer: a thread for each profile, of events or of samples.
 *
 * Frames are shared by all profiles and may follow them in the file, so it is read twice: once
 * up to the end of the frames, once for the profiles. */
#include "import/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/textbuf.h"
#include "import/function_names.h"
#include "import/imported_notes.h"
#include "import/json_events.h"
#include "import/text_lines.h"

#define NOUN "speedscope profile"

struct frame_event {
	double at;
	uint32_t frame;
	bool is_open;
};

struct profile { /* of the one at hand; arrays are used again */
	struct textbuf name, unit;
	double start, end;
	struct frame_event *events;
	size_t event_count, event_capacity;
	struct frame_event event; /* the one at hand */
	bool has_frame, has_at;
	uint32_t *stacks; /* frames of all samples */
	size_t stack_count, stack_capacity;
	size_t *stack_ends; /* of each sample */
	size_t sample_count, sample_capacity;
	double *weights;
	size_t weight_count, weight_capacity;
};

struct speedscope_import {
	const struct import_source *source;
	struct imported *imported;
	char key[3][24]; /* of the object at depths 1, 3 and 5 */
	struct textbuf frame_name, frame_file;
	double frame_line;
	uint32_t *frames; /* regions */
	size_t frame_count, frame_capacity;
	struct profile profile;
	uint32_t *open; /* frames of the profile that are open */
	size_t open_count, open_capacity;
	const char *fault; /* what is wrong with the document; NULL = nothing */
	const char *unit;  /* that is no time; NULL = none was met */
	bool is_out_of_memory;
};

static bool speedscope_detect(const char *head, size_t size)
{
	size_t at = 0;

	while (at < size && strchr(" \t\r\n", head[at]))
		at++;
	return at < size && head[at] == '{' &&
	       (memmem(head, size, "speedscope.app/file-format-schema", 33) ||
		(memmem(head, size, "\"shared\"", 8) && memmem(head, size, "\"frames\"", 8)));
}

static bool stop(struct speedscope_import *import, const char *fault)
{
	import->fault = fault;
	return false;
}

static bool stop_memory(struct speedscope_import *import)
{
	import->is_out_of_memory = true;
	return false;
}

static void set_text(struct textbuf *text, struct span value)
{
	textbuf_clear(text);
	textbuf_bytes(text, value.at, value.size);
}

static struct span get_text(const struct textbuf *text)
{
	return (struct span){text->data, text->data ? text->length : 0};
}

static void set_key(struct speedscope_import *import, unsigned int depth, struct span key)
{
	char *out;

	if (depth > 5 || depth % 2 == 0)
		return;
	out = import->key[depth / 2];
	if (key.size >= sizeof(import->key[0]))
		key = SPAN("?");
	memcpy(out, key.at, key.size);
	out[key.size] = '\0';
}

static bool key_is(const struct speedscope_import *import, unsigned int depth, const char *key)
{
	return strcmp(import->key[depth / 2], key) == 0;
}

/* Numbers that count: not negative, whole, small enough for an index. */
static bool index_of(struct span text, uint32_t *out)
{
	int64_t value;

	if (!span_scaled(text, 0, &value) || value < 0 || value >= UINT32_MAX)
		return false;
	*out = (uint32_t)value;
	return true;
}

/* ---- frames ------------------------------------------------------------------------------ */

static bool frame_end(struct speedscope_import *import)
{
	struct imported_function function = {.name = get_text(&import->frame_name)};
	uint32_t *frames = array_grow(import->frames, &import->frame_capacity,
				      import->frame_count + 1, sizeof(*frames));

	if (!frames)
		return stop_memory(import);
	import->frames = frames;
	function.file = get_text(&import->frame_file);
	if (function.file.size)
		function.kind = function_kind(function.file);
	else
		function_from_label(function.name, &function);
	if (import->frame_line > 0 && import->frame_line <= INT32_MAX)
		function.line = (uint32_t)import->frame_line;
	frames[import->frame_count++] = imported_region(import->imported, &function);
	return true;
}

/* {"shared":{"frames":[{"name":…}]}}: keys of frames are at depth 4. */
static bool receive_frames(void *context, enum json_event event, unsigned int depth,
			   struct span text)
{
	struct speedscope_import *import = context;

	if (event == JSON_KEY && depth == 4) {
		set_key(import, 5, text);
	} else if (event == JSON_KEY && depth <= 2) {
		set_key(import, depth == 1 ? 1 : 3, text);
	} else if (!key_is(import, 1, "shared") || (depth > 1 && !key_is(import, 3, "frames"))) {
		return true;
	} else if (event == JSON_OBJECT && depth == 3) {
		textbuf_clear(&import->frame_name);
		textbuf_clear(&import->frame_file);
		import->frame_line = 0;
	} else if (event == JSON_OBJECT_END && depth == 3) {
		return frame_end(import);
	} else if (event == JSON_ARRAY_END && depth == 2) {
		return false; /* all that is wanted */
	} else if (event == JSON_TEXT && depth == 4 && key_is(import, 5, "name")) {
		set_text(&import->frame_name, text);
	} else if (event == JSON_TEXT && depth == 4 && key_is(import, 5, "file")) {
		set_text(&import->frame_file, text);
	} else if (event == JSON_NUMBER && depth == 4 && key_is(import, 5, "line")) {
		span_real(text, &import->frame_line);
	}
	return true;
}

/* ---- what a profile is made of -------------------------------------------------------------- */

/* "app [12] MainThread" of Kymo, "Process 12 Thread 34 \"name\"" of py-spy. */
static uint32_t thread_of(struct imported *imported, struct span name)
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

/* Nanoseconds a unit; a unit that is no time is noted. */
static double unit_of(struct speedscope_import *import)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{"nanoseconds", 1}, {"microseconds", 1e3}, {"milliseconds", 1e6}, {"seconds", 1e9}};
	struct span unit = get_text(&import->profile.unit);

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
		return stop_memory(import);
	import->open = open;
	open[import->open_count++] = frame;
	return true;
}

/* A close of a frame further out closes what is within it. */
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

static bool put_events(struct speedscope_import *import, uint32_t thread, double unit_ns)
{
	const struct profile *profile = &import->profile;

	import->open_count = 0;
	for (size_t i = 0; i < profile->event_count; i++) {
		const struct frame_event *event = &profile->events[i];
		int64_t ns = ns_of(event->at, unit_ns);

		if (event->frame >= import->frame_count)
			return stop(import, "an event's frame is not there");
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

static bool put_sample(struct speedscope_import *import, uint32_t thread, size_t index,
		       uint32_t *node_out)
{
	const struct profile *profile = &import->profile;
	size_t at = index ? profile->stack_ends[index - 1] : 0;

	*node_out = imported_root(import->imported, thread);
	for (; at < profile->stack_ends[index]; at++) {
		if (profile->stacks[at] >= import->frame_count)
			return stop(import, "a sample's frame is not there");
		*node_out = imported_child(import->imported, *node_out,
					   import->frames[profile->stacks[at]]);
	}
	return true;
}

static bool put_samples(struct speedscope_import *import, uint32_t thread, double unit_ns)
{
	struct imported *imported = import->imported;
	const struct profile *profile = &import->profile;
	double at = profile->start;

	imported->threads[thread].is_sampled = true;
	for (size_t i = 0; i < profile->sample_count; i++) {
		double weight = i < profile->weight_count ? profile->weights[i] : 1;
		uint32_t node;

		if (!put_sample(import, thread, i, &node))
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

static bool profile_end(struct speedscope_import *import)
{
	struct profile *profile = &import->profile;
	double unit_ns = unit_of(import);
	uint32_t thread = thread_of(import->imported, get_text(&profile->name));
	bool is_sampled = profile->sample_count > 0;

	if (!thread)
		return stop_memory(import);
	if (profile->weight_count && profile->weight_count != profile->sample_count)
		return stop(import, "it has not as many weights as samples");
	return is_sampled ? put_samples(import, thread, unit_ns)
			  : put_events(import, thread, unit_ns);
}

static void profile_begin(struct profile *profile)
{
	textbuf_clear(&profile->name);
	textbuf_clear(&profile->unit);
	profile->start = profile->end = 0;
	profile->event_count = profile->stack_count = 0;
	profile->sample_count = profile->weight_count = 0;
}

/* ---- profiles
 * ------------------------------------------------------------------------------------- */

static bool event_end(struct speedscope_import *import)
{
	struct profile *profile = &import->profile;
	struct frame_event *events = array_grow(profile->events, &profile->event_capacity,
						profile->event_count + 1, sizeof(*events));

	if (!events)
		return stop_memory(import);
	if (!profile->has_frame || !profile->has_at)
		return stop(import, "an event has no frame or no time");
	profile->events = events;
	events[profile->event_count++] = profile->event;
	return true;
}

static bool sample_end(struct speedscope_import *import)
{
	struct profile *profile = &import->profile;
	size_t *ends = array_grow(profile->stack_ends, &profile->sample_capacity,
				  profile->sample_count + 1, sizeof(*ends));

	if (!ends)
		return stop_memory(import);
	profile->stack_ends = ends;
	ends[profile->sample_count++] = profile->stack_count;
	return true;
}

static bool add_frame(struct speedscope_import *import, struct span text)
{
	struct profile *profile = &import->profile;
	uint32_t *stacks = array_grow(profile->stacks, &profile->stack_capacity,
				      profile->stack_count + 1, sizeof(*stacks));

	if (!stacks)
		return stop_memory(import);
	profile->stacks = stacks;
	if (!index_of(text, &stacks[profile->stack_count]))
		return stop(import, "a sample's frame is no index");
	profile->stack_count++;
	return true;
}

static bool add_weight(struct speedscope_import *import, struct span text)
{
	struct profile *profile = &import->profile;
	double *weights = array_grow(profile->weights, &profile->weight_capacity,
				     profile->weight_count + 1, sizeof(*weights));

	if (!weights)
		return stop_memory(import);
	profile->weights = weights;
	return span_real(text, &weights[profile->weight_count++]) ||
	       stop(import, "a weight is no number");
}

static bool profile_text(struct profile *profile, const struct speedscope_import *import,
			 struct span text)
{
	if (key_is(import, 3, "name"))
		set_text(&profile->name, text);
	else if (key_is(import, 3, "unit"))
		set_text(&profile->unit, text);
	return true;
}

static bool event_value(struct speedscope_import *import, enum json_event event, struct span text)
{
	struct profile *profile = &import->profile;

	if (event == JSON_TEXT && key_is(import, 5, "type"))
		profile->event.is_open = span_equals(text, "O");
	else if (event == JSON_NUMBER && key_is(import, 5, "frame"))
		profile->has_frame = index_of(text, &profile->event.frame);
	else if (event == JSON_NUMBER && key_is(import, 5, "at"))
		profile->has_at = span_real(text, &profile->event.at);
	return true;
}

static bool profile_number(struct speedscope_import *import, unsigned int depth, struct span text)
{
	if (depth == 5 && key_is(import, 3, "samples"))
		return add_frame(import, text);
	if (depth == 4 && key_is(import, 3, "weights"))
		return add_weight(import, text);
	if (depth == 3 && key_is(import, 3, "startValue"))
		return span_real(text, &import->profile.start) || true;
	if (depth == 3 && key_is(import, 3, "endValue"))
		return span_real(text, &import->profile.end) || true;
	return true;
}

/* {"profiles":[{"type":…,"events":[{…}],"samples":[[…]],"weights":[…]}]} */
static bool receive_profiles(void *context, enum json_event event, unsigned int depth,
			     struct span text)
{
	struct speedscope_import *import = context;
	bool is_event = depth >= 4 && key_is(import, 3, "events");

	if (event == JSON_KEY) {
		set_key(import, depth, text);
		return true;
	}
	if (!key_is(import, 1, "profiles"))
		return true;
	if (event == JSON_OBJECT && depth == 2)
		profile_begin(&import->profile);
	else if (event == JSON_OBJECT_END && depth == 2)
		return profile_end(import);
	else if (event == JSON_OBJECT && depth == 4 && is_event)
		import->profile.has_frame = import->profile.has_at = false;
	else if (event == JSON_OBJECT_END && depth == 4 && is_event)
		return event_end(import);
	else if (event == JSON_ARRAY_END && depth == 4 && key_is(import, 3, "samples"))
		return sample_end(import);
	else if (depth == 5 && is_event)
		return event_value(import, event, text);
	else if (event == JSON_TEXT && depth == 3)
		return profile_text(&import->profile, import, text);
	else if (event == JSON_NUMBER)
		return profile_number(import, depth, text);
	return true;
}

/* ---- the file
 * ------------------------------------------------------------------------------------- */

static enum kymo_status read_pass(struct speedscope_import *import, json_event_fn receive,
				  bool may_stop, struct problem *problem)
{
	struct json_end end;
	enum kymo_status status;

	memset(import->key, 0, sizeof(import->key));
	status = json_events(import->source, receive, import, &end);
	if (status < 0 || import->is_out_of_memory)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	if (import->fault)
		return source_fail(import->source, NOUN, problem, "%s at byte %zu", import->fault,
				   end.offset);
	if (end.why[0] && !(may_stop && end.is_stopped))
		return source_fail(import->source, NOUN, problem, "%s at byte %zu", end.why,
				   end.offset);
	return KYMO_OK;
}

static void import_free(struct speedscope_import *import)
{
	textbuf_release(&import->frame_name);
	textbuf_release(&import->frame_file);
	textbuf_release(&import->profile.name);
	textbuf_release(&import->profile.unit);
	free(import->profile.events);
	free(import->profile.stacks);
	free(import->profile.stack_ends);
	free(import->profile.weights);
	free(import->frames);
	free(import->open);
}

static enum kymo_status speedscope_read(const struct import_source *source,
					struct imported *imported, struct problem *problem)
{
	struct speedscope_import import = {.source = source, .imported = imported};
	enum kymo_status status = read_pass(&import, receive_frames, true, problem);

	if (status == KYMO_OK)
		status = read_pass(&import, receive_profiles, false, problem);
	if (status == KYMO_OK && import.unit)
		imported_note_unit(imported,
				   imported->default_unit ? imported->default_unit : import.unit);
	import_free(&import);
	return status;
}

const struct importer speedscope_importer = {
	.name = "speedscope",
	.noun = NOUN,
	.description = "profiles of speedscope.app, py-spy and others (JSON): a thread a profile, "
		       "call paths and time line",
	.is_json = true,
	.detect = speedscope_detect,
	.read = speedscope_read,
};
