/* The Chrome trace importer: trace events in JSON, as an object with "traceEvents" or as an
 * array that need not be closed.  Names in the forms of viztracer and Kymo become functions with
 * files. */
#include "import/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text/textbuf.h"
#include "import/formats/chrome_tracks.h"
#include "import/function_names.h"
#include "import/json_events.h"
#include "import/text_lines.h"

#define NOUN	     "Chrome trace"
#define US_POWER     3 /* microseconds to nanoseconds */
#define COUNTERS_MAX 64
#define TIME_LIMIT   (INT64_C(1) << 61)

struct counter { /* of an event "C" */
	char name[64];
	double value;
};

struct chrome_event { /* the current one */
	char phase;
	bool has_ns, is_bad;
	int64_t ns, duration_ns;
	uint64_t pid, tid, id;
	struct textbuf name, category;
	struct textbuf argument_name, argument_file; /* args.name, args.file */
	uint64_t line;
	bool has_first_line; /* of the function */
	struct counter counters[COUNTERS_MAX];
	unsigned int counter_count;
};

struct chrome_import {
	const struct import_source *source;
	struct imported *imported;
	struct chrome_tracks tracks;
	unsigned int
		event_depth; /* of keys of events: 2 in an array, 3 in an object; 0 = unknown */
	bool is_among_events;
	char section[32]; /* key of the outermost object */
	char key[24];	  /* of the current event */
	char argument[64];
	struct chrome_event event;
	uint64_t event_count;
	/* Consecutive events mostly have the same thread, or the same name. */
	uint64_t last_pid, last_tid;
	uint32_t last_process, last_thread;
	struct hashset series;
};

static bool chrome_detect(const char *head, size_t size)
{
	size_t at = 0;

	while (at < size && strchr(" \t\r\n", head[at]))
		at++;
	if (at == size || (head[at] != '{' && head[at] != '['))
		return false;
	return memmem(head, size, "\"traceEvents\"", 13) || memmem(head, size, "\"ph\"", 4) ||
	       (head[at] == '{' && memmem(head, size, "\"otherData\"", 11));
}

static void chrome_set_text(struct textbuf *text, struct span value)
{
	textbuf_clear(text);
	textbuf_bytes(text, value.at, value.size);
}

static struct span get_text(const struct textbuf *text)
{
	return (struct span){text->data ? text->data : "", text->data ? text->length : 0};
}

/* Keys that are too long count as unknown. */
static void chrome_set_key(char *out, size_t size, struct span key)
{
	size_t length = key.size < size ? key.size : 0;

	memcpy(out, key.at, length);
	out[length] = '\0';
}

/* Ids are usually numbers, but may be any text. */
static uint64_t chrome_id_of(struct span text)
{
	struct span rest = text;
	uint64_t id;

	if (span_number(&rest, &id) && rest.size == 0)
		return id;
	return hash_word(hash_bytes(HASH_SEED, text.at, text.size)) | UINT64_C(1) << 63;
}

static uint32_t chrome_process_of(struct chrome_import *import, uint64_t pid)
{
	if (!import->last_process || import->last_pid != pid) {
		import->last_process = imported_process(import->imported, pid);
		import->last_pid = pid;
		import->last_thread = 0;
	}
	return import->last_process;
}

static uint32_t chrome_thread_of(struct chrome_import *import, const struct chrome_event *event)
{
	uint32_t process = chrome_process_of(import, event->pid);

	if (!import->last_thread || import->last_tid != event->tid) {
		import->last_thread = imported_thread(import->imported, process, event->tid);
		import->last_tid = event->tid;
	}
	return import->last_thread;
}

static uint32_t chrome_region_of(struct chrome_import *import, enum kymo_region_kind kind)
{
	const struct chrome_event *event = &import->event;
	struct imported_function function;

	function_from_label(get_text(&event->name), &function);
	if (event->argument_file.length) {
		function = (struct imported_function){
			.name = get_text(&event->name),
			.file = get_text(&event->argument_file),
			.line = event->has_first_line && event->line <= INT32_MAX
					? (uint32_t)event->line
					: 0,
		};
		function.kind = function_kind(function.file);
	} else if (function.file.size == 0) {
		function.kind = KYMO_REGION_USER;
	}
	if (kind != KYMO_REGION_USER)
		function.kind = kind;
	return imported_region(import->imported, &function);
}

static void event_begin(struct chrome_event *event)
{
	event->phase = 0;
	event->has_ns = event->is_bad = false;
	event->duration_ns = 0;
	event->pid = event->tid = event->id = 0;
	textbuf_clear(&event->name);
	textbuf_clear(&event->category);
	textbuf_clear(&event->argument_name);
	textbuf_clear(&event->argument_file);
	event->line = 0;
	event->counter_count = 0;
}

static void chrome_put_slice(struct chrome_import *import, char phase, enum kymo_region_kind kind)
{
	const struct chrome_event *event = &import->event;
	struct chrome_slice slice = {.begin_ns = event->ns, .end_ns = event->ns, .phase = phase};
	uint32_t thread = chrome_thread_of(import, event);

	if (phase == 'X' && event->duration_ns < 0) {
		imported_count(import->imported, COUNT_BAD_TIMES);
		return;
	}
	slice.end_ns += phase == 'X' ? event->duration_ns : 0;
	if (phase != 'E')
		slice.region = chrome_region_of(import, kind);
	if (thread)
		chrome_tracks_add(&import->tracks, thread, &slice);
}

static void chrome_put_operation(struct chrome_import *import, bool is_begin)
{
	const struct chrome_event *event = &import->event;
	uint64_t key = hash_bytes(HASH_SEED, &event->pid, sizeof(event->pid));
	struct chrome_operation operation = {.ns = event->ns, .is_begin = is_begin};

	key = hash_bytes(key, event->category.data, event->category.length);
	operation.key = hash_word(hash_bytes(key, &event->id, sizeof(event->id)));
	operation.process = chrome_process_of(import, event->pid);
	operation.region = is_begin ? chrome_region_of(import, KYMO_REGION_TASK) : 0;
	if (operation.process)
		chrome_tracks_operate(&import->tracks, &operation);
}

/* A series for each value of the counter; a single one has the counter's name. */
static void import_chrome_put_counters(struct chrome_import *import)
{
	const struct chrome_event *event = &import->event;
	uint32_t process = chrome_process_of(import, event->pid);

	for (unsigned int i = 0; i < event->counter_count; i++) {
		const struct counter *counter = &event->counters[i];
		bool is_plain = event->counter_count == 1 && strcmp(counter->name, "value") == 0;
		uint64_t hash =
			hash_bytes(HASH_SEED + process, event->name.data, event->name.length);
		struct textbuf name = {0};
		uint64_t found;

		hash = hash_word(hash_bytes(hash, counter->name, strlen(counter->name)));
		found = hashset_find_key(&import->series, hash);
		if (!found) {
			textbuf_bytes(&name, get_text(&event->name).at, event->name.length);
			if (!is_plain)
				textbuf_format(&name, " %s", counter->name);
			found = imported_series(import->imported, process, 0, get_text(&name),
						SPAN("")) +
				UINT64_C(1);
			if (!hashset_insert(&import->series, hash, found))
				import->imported->is_out_of_memory = true;
			textbuf_release(&name);
		}
		if (import->imported->series_count)
			imported_point(import->imported, (uint32_t)found - 1, event->ns,
				       counter->value);
	}
}

static void import_chrome_put_metadata(struct chrome_import *import)
{
	const struct chrome_event *event = &import->event;
	struct span what = get_text(&event->name), name = get_text(&event->argument_name);

	if (span_equals(what, "process_name"))
		imported_process_name(import->imported, chrome_process_of(import, event->pid),
				      name);
	else if (span_equals(what, "thread_name"))
		imported_thread_name(import->imported, chrome_thread_of(import, event), name);
}

static void chrome_put_event(struct chrome_import *import)
{
	switch (import->event.phase) {
	case 'X':
	case 'B':
	case 'E':
		chrome_put_slice(import, import->event.phase, KYMO_REGION_USER);
		break;
	case 'i':
	case 'I':
		chrome_put_slice(import, 'i', KYMO_REGION_INSTANT);
		break;
	case 'b':
	case 'S':
		chrome_put_operation(import, true);
		break;
	case 'e':
	case 'F':
		chrome_put_operation(import, false);
		break;
	case 'C':
		import_chrome_put_counters(import);
		break;
	case 's':
	case 't':
	case 'f':
		imported_count(import->imported, COUNT_FLOWS);
		break;
	default:
		imported_count(import->imported, COUNT_OTHER_EVENTS);
		break;
	}
}

static bool chrome_event_end(struct chrome_import *import)
{
	const struct chrome_event *event = &import->event;

	import->event_count++;
	if (event->phase == 'M')
		import_chrome_put_metadata(import);
	else if (!event->has_ns || event->is_bad)
		imported_count(import->imported, COUNT_BAD_TIMES);
	else
		chrome_put_event(import);
	return !import->imported->is_out_of_memory &&
	       import->imported->process_count <= IMPORT_PROCESSES_MAX;
}

static bool chrome_time_of(struct span text, int64_t *out)
{
	return span_scaled(text, US_POWER, out) && *out<TIME_LIMIT && * out> - TIME_LIMIT;
}

static void chrome_event_value(struct chrome_import *import, enum json_event kind, struct span text)
{
	struct chrome_event *event = &import->event;
	const char *key = import->key;
	bool is_plain = kind == JSON_TEXT || kind == JSON_NUMBER;

	if (!is_plain)
		return;
	if (strcmp(key, "ph") == 0) {
		event->phase = text.size == 1 ? text.at[0] : '?';
	} else if (strcmp(key, "ts") == 0) {
		event->has_ns = true;
		event->is_bad |= !chrome_time_of(text, &event->ns);
	} else if (strcmp(key, "dur") == 0) {
		event->is_bad |= !chrome_time_of(text, &event->duration_ns);
	} else if (strcmp(key, "pid") == 0) {
		event->pid = chrome_id_of(text);
	} else if (strcmp(key, "tid") == 0) {
		event->tid = chrome_id_of(text);
	} else if (strcmp(key, "id") == 0) {
		event->id = chrome_id_of(text);
	} else if (strcmp(key, "name") == 0) {
		chrome_set_text(&event->name, text);
	} else if (strcmp(key, "cat") == 0) {
		chrome_set_text(&event->category, text);
	}
}

static void argument_value(struct chrome_import *import, enum json_event kind, struct span text)
{
	struct chrome_event *event = &import->event;
	struct counter *counter = &event->counters[event->counter_count];
	const char *name = import->argument;

	if (kind == JSON_TEXT && strcmp(name, "name") == 0) {
		chrome_set_text(&event->argument_name, text);
	} else if (kind == JSON_TEXT &&
		   (strcmp(name, "file") == 0 || strcmp(name, "filename") == 0)) {
		/* py-spy's line with a "filename" is the sampled one. */
		event->has_first_line = strcmp(name, "file") == 0;
		chrome_set_text(&event->argument_file, text);
	}
	if (kind != JSON_NUMBER || !*name)
		return;
	if (strcmp(name, "line") == 0)
		span_number(&text, &event->line);
	if (event->counter_count < COUNTERS_MAX && span_real(text, &counter->value)) {
		memcpy(counter->name, name, strlen(name) + 1);
		event->counter_count++;
	}
}

/* The start of the file's clock, as viztracer and Kymo write it. */
static void read_origin(struct chrome_import *import, struct span text)
{
	struct span rest = text;
	uint64_t ns;

	if (span_number(&rest, &ns) && rest.size == 0 && ns < INT64_MAX / 2) {
		import->imported->realtime_ns = ns;
		import->imported->has_realtime = true;
	}
}

static void document_value(struct chrome_import *import, unsigned int depth, struct span text)
{
	if (depth == 2 && ((strcmp(import->section, "viztracer_metadata") == 0 &&
			    strcmp(import->key, "baseTimeNanoseconds") == 0) ||
			   (strcmp(import->section, "otherData") == 0 &&
			    strcmp(import->key, "origin_realtime_ns") == 0)))
		read_origin(import, text);
}

static void receive_key(struct chrome_import *import, unsigned int depth, struct span text)
{
	if (depth == 1 && !import->is_among_events)
		chrome_set_key(import->section, sizeof(import->section), text);
	else if (import->is_among_events && depth == import->event_depth)
		chrome_set_key(import->key, sizeof(import->key), text);
	else if (import->is_among_events && depth == import->event_depth + 1)
		chrome_set_key(import->argument, sizeof(import->argument), text);
	else if (!import->is_among_events && depth == 2)
		chrome_set_key(import->key, sizeof(import->key), text);
}

static bool receive_container(struct chrome_import *import, enum json_event event,
			      unsigned int depth)
{
	bool is_event = import->is_among_events && depth == import->event_depth - 1;

	if (event == JSON_ARRAY && depth == 0) {
		import->event_depth = 2;
		import->is_among_events = true;
	} else if (event == JSON_ARRAY && depth == 1 && !import->is_among_events &&
		   strcmp(import->section, "traceEvents") == 0) {
		import->event_depth = 3;
		import->is_among_events = true;
	} else if (event == JSON_ARRAY_END && import->is_among_events &&
		   depth == import->event_depth - 2) {
		import->is_among_events = false;
	} else if (event == JSON_OBJECT && is_event) {
		event_begin(&import->event);
	} else if (event == JSON_OBJECT_END && is_event) {
		return chrome_event_end(import);
	}
	return true;
}

static bool chrome_receive(void *context, enum json_event event, unsigned int depth,
			   struct span text)
{
	struct chrome_import *import = context;

	if (event == JSON_KEY)
		receive_key(import, depth, text);
	else if (event >= JSON_OBJECT)
		return receive_container(import, event, depth);
	else if (!import->is_among_events)
		document_value(import, depth, text);
	else if (depth == import->event_depth)
		chrome_event_value(import, event, text);
	else if (depth == import->event_depth + 1 && strcmp(import->key, "args") == 0)
		argument_value(import, event, text);
	else if (depth == import->event_depth + 1 && strcmp(import->key, "id2") == 0)
		import->event.id = chrome_id_of(text);
	return true;
}

/* An array may be unclosed: programs that are killed leave it so. */
static bool is_accepted(const struct chrome_import *import, const struct json_end *end)
{
	return !end->why[0] || (end->is_cut && import->event_depth == 2 && import->event_count > 0);
}

static enum kymo_status chrome_check(struct chrome_import *import, const struct json_end *end,
				     struct problem *problem)
{
	struct imported *imported = import->imported;

	if (imported->is_out_of_memory)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	if (imported->process_count > IMPORT_PROCESSES_MAX)
		return source_fail(import->source, NOUN, problem,
				   "it has more than %u processes at byte %zu",
				   IMPORT_PROCESSES_MAX, end->offset);
	if (!is_accepted(import, end))
		return source_fail(import->source, NOUN, problem, "%s at byte %zu", end->why,
				   end->offset);
	if (import->event_depth == 0)
		return source_fail(import->source, NOUN, problem, "it has no \"traceEvents\"");
	if (end->is_cut && end->depth > 1)
		imported_note(imported, KYMO_NOTE_WARNING, "import",
			      SPAN("the file ends inside of an event, which was left out"));
	return KYMO_OK;
}

static void chrome_import_free(struct chrome_import *import)
{
	textbuf_release(&import->event.name);
	textbuf_release(&import->event.category);
	textbuf_release(&import->event.argument_name);
	textbuf_release(&import->event.argument_file);
	hashset_release(&import->series);
	chrome_tracks_release(&import->tracks);
}

static enum kymo_status chrome_read(const struct import_source *source, struct imported *imported,
				    struct problem *problem)
{
	struct chrome_import import = {
		.source = source, .imported = imported, .tracks = {.imported = imported}};
	struct json_end end;
	enum kymo_status status = json_events(source, chrome_receive, &import, &end);

	if (status == KYMO_OK)
		status = chrome_check(&import, &end, problem);
	else
		problem_set(problem, status, "out of memory");
	if (status == KYMO_OK)
		chrome_tracks_finish(&import.tracks);
	chrome_import_free(&import);
	return status;
}

const struct importer chrome_importer = {
	.name = "chrome",
	.noun = NOUN,
	.description =
		"trace events of Chrome, viztracer and others (JSON): time lines, call paths, "
		"counters",
	.is_json = true,
	.detect = chrome_detect,
	.read = chrome_read,
};
