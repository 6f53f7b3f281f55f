/* The speedscope importer: a thread for each profile, of events or of samples.
 *
 * Frames are shared by all profiles and may follow them in the file, so it is read twice: once
 * up to the end of the frames, once for the profiles. */
#include "import/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text/textbuf.h"
#include "import/formats/speedscope_profile.h"
#include "import/function_names.h"
#include "import/imported_notes.h"
#include "import/json_events.h"
#include "import/text_lines.h"

#define NOUN "speedscope profile"

static bool speedscope_detect(const char *head, size_t size)
{
	size_t at = 0;

	while (at < size && strchr(" \t\r\n", head[at]))
		at++;
	return at < size && head[at] == '{' &&
	       (memmem(head, size, "speedscope.app/file-format-schema", 33) ||
		(memmem(head, size, "\"shared\"", 8) && memmem(head, size, "\"frames\"", 8)));
}

static void speedscope_set_text(struct textbuf *text, struct span value)
{
	textbuf_clear(text);
	textbuf_bytes(text, value.at, value.size);
}

static void speedscope_set_key(struct speedscope_import *import, unsigned int depth,
			       struct span key)
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

/* Indexes: not negative, whole, in range. */
static bool speedscope_index_of(struct span text, uint32_t *out)
{
	double value;

	if (!span_real(text, &value) || !(value >= 0 && value < UINT32_MAX) ||
	    value != floor(value))
		return false;
	*out = (uint32_t)value;
	return true;
}

static bool frame_end(struct speedscope_import *import)
{
	struct imported_function function = {.name = textbuf_span(&import->frame_name)};
	uint32_t *frames = array_grow(import->frames, &import->frame_capacity,
				      import->frame_count + 1, sizeof(*frames));

	if (!frames)
		return speedscope_stop_memory(import);
	import->frames = frames;
	function.file = textbuf_span(&import->frame_file);
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
		speedscope_set_key(import, 5, text);
	} else if (event == JSON_KEY && depth <= 2) {
		speedscope_set_key(import, depth == 1 ? 1 : 3, text);
	} else if (!key_is(import, 1, "shared") || (depth > 1 && !key_is(import, 3, "frames"))) {
		return true;
	} else if (event == JSON_OBJECT && depth == 3) {
		textbuf_clear(&import->frame_name);
		textbuf_clear(&import->frame_file);
		import->frame_line = 0;
	} else if (event == JSON_OBJECT_END && depth == 3) {
		return frame_end(import);
	} else if (event == JSON_ARRAY_END && depth == 2) {
		return false; /* no more input needed */
	} else if (event == JSON_TEXT && depth == 4 && key_is(import, 5, "name")) {
		speedscope_set_text(&import->frame_name, text);
	} else if (event == JSON_TEXT && depth == 4 && key_is(import, 5, "file")) {
		speedscope_set_text(&import->frame_file, text);
	} else if (event == JSON_NUMBER && depth == 4 && key_is(import, 5, "line")) {
		span_real(text, &import->frame_line);
	}
	return true;
}

static void profile_begin(struct profile *profile)
{
	textbuf_clear(&profile->name);
	textbuf_clear(&profile->unit);
	profile->start = profile->end = 0;
	profile->event_count = profile->stack_count = 0;
	profile->sample_count = profile->weight_count = 0;
}

static bool speedscope_event_end(struct speedscope_import *import)
{
	struct profile *profile = &import->profile;
	struct frame_event *events = array_grow(profile->events, &profile->event_capacity,
						profile->event_count + 1, sizeof(*events));

	if (!events)
		return speedscope_stop_memory(import);
	profile->events = events;
	if (!profile->has_frame || !profile->has_at)
		return speedscope_stop(import, "an event has no frame or no time");
	events[profile->event_count++] = profile->event;
	return true;
}

static bool speedscope_sample_end(struct speedscope_import *import)
{
	struct profile *profile = &import->profile;
	size_t *ends = array_grow(profile->stack_ends, &profile->sample_capacity,
				  profile->sample_count + 1, sizeof(*ends));

	if (!ends)
		return speedscope_stop_memory(import);
	profile->stack_ends = ends;
	ends[profile->sample_count++] = profile->stack_count;
	return true;
}

static bool speedscope_add_frame(struct speedscope_import *import, struct span text)
{
	struct profile *profile = &import->profile;
	uint32_t *stacks = array_grow(profile->stacks, &profile->stack_capacity,
				      profile->stack_count + 1, sizeof(*stacks));

	if (!stacks)
		return speedscope_stop_memory(import);
	profile->stacks = stacks;
	if (!speedscope_index_of(text, &stacks[profile->stack_count]))
		return speedscope_stop(import, "a sample's frame is not an index");
	profile->stack_count++;
	return true;
}

static bool add_weight(struct speedscope_import *import, struct span text)
{
	struct profile *profile = &import->profile;
	double *weights = array_grow(profile->weights, &profile->weight_capacity,
				     profile->weight_count + 1, sizeof(*weights));

	if (!weights)
		return speedscope_stop_memory(import);
	profile->weights = weights;
	return span_real(text, &weights[profile->weight_count++]) ||
	       speedscope_stop(import, "a weight is not a number");
}

static bool profile_text(struct profile *profile, const struct speedscope_import *import,
			 struct span text)
{
	if (key_is(import, 3, "name"))
		speedscope_set_text(&profile->name, text);
	else if (key_is(import, 3, "unit"))
		speedscope_set_text(&profile->unit, text);
	return true;
}

static bool speedscope_event_value(struct speedscope_import *import, enum json_event event,
				   struct span text)
{
	struct profile *profile = &import->profile;

	if (event == JSON_TEXT && key_is(import, 5, "type"))
		profile->event.is_open = span_equals(text, "O");
	else if (event == JSON_NUMBER && key_is(import, 5, "frame"))
		profile->has_frame = speedscope_index_of(text, &profile->event.frame);
	else if (event == JSON_NUMBER && key_is(import, 5, "at"))
		profile->has_at = span_real(text, &profile->event.at);
	return true;
}

static bool profile_number(struct speedscope_import *import, unsigned int depth, struct span text)
{
	if (depth == 5 && key_is(import, 3, "samples"))
		return speedscope_add_frame(import, text);
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
		speedscope_set_key(import, depth, text);
		return true;
	}
	if (!key_is(import, 1, "profiles"))
		return true;
	if (event == JSON_OBJECT && depth == 2)
		profile_begin(&import->profile);
	else if (event == JSON_OBJECT_END && depth == 2)
		return speedscope_profile_end(import);
	else if (event == JSON_OBJECT && depth == 4 && is_event)
		import->profile.has_frame = import->profile.has_at = false;
	else if (event == JSON_OBJECT_END && depth == 4 && is_event)
		return speedscope_event_end(import);
	else if (event == JSON_ARRAY_END && depth == 4 && key_is(import, 3, "samples"))
		return speedscope_sample_end(import);
	else if (depth == 5 && is_event)
		return speedscope_event_value(import, event, text);
	else if (event == JSON_TEXT && depth == 3)
		return profile_text(&import->profile, import, text);
	else if (event == JSON_NUMBER)
		return profile_number(import, depth, text);
	return true;
}

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

static void speedscope_import_free(struct speedscope_import *import)
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
	speedscope_import_free(&import);
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
