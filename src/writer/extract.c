/* Extracts some regions of a recording, with their subtrees, into a recording of its own. */
#include "writer/extract.h"

#include <stdlib.h>
#include <string.h>

#include "model/recording/recording_open.h"
#include "model/trace/trace_cursor.h"
#include "writer/extract_estimates.h"
#include "writer/extract_paths.h"
#include "writer/recording_writer_events.h"

static uint32_t region_in(struct extract *extract, uint32_t region)
{
	uint32_t *id = &extract->region_of[region];

	if (!*id)
		*id = recording_writer_region(extract->maker,
					      &extract->tree->recording->regions[region]);
	return *id;
}

static void extract_write_threads(struct extract *extract)
{
	const struct recording *recording = extract->tree->recording;

	for (uint32_t i = 0; i < recording->thread_count; i++) {
		const struct thread *thread = &recording->threads[i];

		if (extract->root_of[i] == CALLTREE_NONE)
			continue;
		extract->thread_of[i] =
			recording_writer_thread(extract->maker, thread->name, thread->system_id, 0,
						extract->paths[extract->root_of[i]].node.sum_ns, 0);
	}
}

static void extract_write_paths(struct extract *extract)
{
	uint32_t width = extract->tree->metric_count;

	for (size_t i = 0; i < extract->path_count; i++) {
		struct extract_path *path = &extract->paths[i];
		struct recording_writer_node node = path->node;

		if (path->parent == CALLTREE_NONE)
			continue;
		node.thread = extract->thread_of[node.thread];
		node.region = region_in(extract, node.region);
		node.parent = extract->paths[path->parent].handle;
		if (extract->tree->metrics)
			node.metrics = &extract->metrics[i * width];
		path->handle = recording_writer_node(extract->maker, &node);
	}
}

/* Notes about the process apply to a part of it, except its program and losses. */
static bool extract_is_kept(const struct note *note)
{
	static const char *const own[] = {"program", "command", "argument"};

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		if (note->kind == KYMO_NOTE_INFO && strcmp(note->key, own[i]) == 0)
			return false;
	}
	return note->kind == KYMO_NOTE_INFO || note->kind == KYMO_NOTE_SETTING ||
	       note->kind == KYMO_NOTE_ENVIRONMENT;
}

static void extract_write_notes(struct extract *extract)
{
	const struct recording *recording = extract->tree->recording;

	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		if (extract_is_kept(note))
			recording_writer_note(extract->maker, note->kind, note->key, note->value);
	}
	if (!recording_is_own(recording))
		recording_writer_note(extract->maker, KYMO_NOTE_INFO, RECORDING_OTHERS_NOTE, "yes");
	recording_writer_note(extract->maker, KYMO_NOTE_INFO, "part of",
			      recording_program(recording));
}

struct event_walk { /* of a thread */
	struct trace_cursor *cursor;
	struct trace_event event;
	size_t depth; /* of open regions inside; 0 = outside */
	bool is_whole;
};

static bool next_inside(const struct extract *extract, struct event_walk *walk)
{
	while (trace_cursor_next(walk->cursor, &walk->event)) {
		const struct trace_event *event = &walk->event;

		if (event->kind == TRACE_ENTER &&
		    (walk->depth > 0 || extract->marks[event->region])) {
			walk->depth++;
			return true;
		}
		if ((event->kind == TRACE_LEAVE || event->kind == TRACE_UNWIND) &&
		    walk->depth > 0) {
			walk->depth--;
			return true;
		}
		if (walk->is_whole || (walk->depth > 0 && event->kind == TRACE_INSTANT))
			return true;
	}
	return false;
}

static enum kymo_status extract_walk_begin(const struct extract *extract, uint32_t thread,
					   struct event_walk *walk)
{
	*walk = (struct event_walk){.is_whole = extract->is_whole[thread]};
	return trace_cursor_new(extract->tree->recording, thread, &walk->cursor);
}

static void extract_write_event(struct extract *extract, uint32_t thread,
				const struct event_walk *walk)
{
	const struct trace_event *event = &walk->event;
	int64_t since = recording_ns(extract->tree->recording, event->ticks) - extract->start_ns;
	uint64_t ns = since > 0 ? (uint64_t)since : 0;

	if (event->kind == TRACE_ENTER)
		recording_writer_enter(extract->maker, extract->thread_of[thread], ns,
				       region_in(extract, event->region));
	else if (event->kind == TRACE_LEAVE || event->kind == TRACE_UNWIND)
		recording_writer_leave(extract->maker, extract->thread_of[thread], ns);
	else if (event->kind == TRACE_INSTANT)
		recording_writer_instant(extract->maker, extract->thread_of[thread], ns,
					 region_in(extract, event->region));
}

/* Without is_written only the time of the first event is determined. */
static enum kymo_status walk_events(struct extract *extract, bool is_written)
{
	const struct recording *recording = extract->tree->recording;
	enum kymo_status status = KYMO_OK;

	for (uint32_t i = 0; status == KYMO_OK && i < recording->thread_count; i++) {
		struct event_walk walk;

		if (extract->root_of[i] == CALLTREE_NONE)
			continue;
		status = extract_walk_begin(extract, i, &walk);
		while (status == KYMO_OK && next_inside(extract, &walk)) {
			int64_t ns = recording_ns(recording, walk.event.ticks);

			if (is_written)
				extract_write_event(extract, i, &walk);
			else if (ns < extract->start_ns)
				extract->start_ns = ns;
			if (!is_written)
				break;
		}
		if (status == KYMO_OK)
			trace_cursor_free(walk.cursor);
	}
	return status;
}

static uint64_t extract_duration_of(const struct extract *extract)
{
	uint64_t duration = 0;

	for (size_t i = 0; i < extract->path_count; i++) {
		const struct extract_path *path = &extract->paths[i];

		if (path->parent == CALLTREE_NONE && path->node.sum_ns > duration)
			duration = path->node.sum_ns;
	}
	return duration;
}

static enum kymo_status begin_recording(struct extract *extract, const char *path,
					const char *program, struct problem *problem)
{
	const struct kymo_header *header = &extract->tree->recording->header;
	struct recording_writer_header made = {
		.program = program,
		.pid = header->pid,
		.start_realtime_ns = header->start_realtime_ns,
		.duration_ns = extract_duration_of(extract),
		.exit_status = -1,
		.flags = KYMO_HEADER_ROOT,
		.cost_enter_exit_ps = header->cost_enter_exit_ps,
		.cost_resume_ps = header->cost_resume_ps,
		.cost_c_call_ps = header->cost_c_call_ps,
		.coarse_late_ns = header->coarse_late_ns,
		.metric_count = extract->tree->metrics ? extract->tree->metric_count : 0,
		.metrics = extract->tree->metric_ids,
	};

	if (extract->start_ns != INT64_MAX && extract->start_ns > 0)
		made.start_realtime_ns += (uint64_t)extract->start_ns;
	memcpy(made.run_id, header->run_id, sizeof(made.run_id));
	return recording_writer_new(path, &made, &extract->maker, problem);
}

static enum kymo_status extract_write_all(struct extract *extract, const char *path,
					  const char *program, struct problem *problem)
{
	bool has_events = recording_has_trace(extract->tree->recording);
	enum kymo_status status = has_events ? walk_events(extract, false) : KYMO_OK;

	if (status < 0)
		return problem_set(problem, status, "out of memory");
	status = begin_recording(extract, path, program, problem);
	if (status < 0)
		return status;
	extract_write_threads(extract);
	extract_write_paths(extract);
	extract_write_notes(extract);
	if (!extract_write_estimates(extract) || (has_events && walk_events(extract, true) < 0)) {
		recording_writer_discard(extract->maker);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	return recording_writer_commit(extract->maker, problem);
}

static uint32_t *numbers_new(size_t count, int byte)
{
	uint32_t *numbers = malloc((count + 1) * sizeof(*numbers));

	if (numbers)
		memset(numbers, byte, (count + 1) * sizeof(*numbers));
	return numbers;
}

static bool extract_init(struct extract *extract)
{
	const struct recording *recording = extract->tree->recording;

	extract->start_ns = INT64_MAX;
	extract->places = calloc(extract->tree->node_count + (size_t)1, 1);
	extract->is_whole = calloc(recording->thread_count + (size_t)1, sizeof(bool));
	extract->path_of = numbers_new(extract->tree->node_count, 0xff);
	extract->root_of = numbers_new(recording->thread_count, 0xff);
	extract->thread_of = numbers_new(recording->thread_count, 0);
	extract->region_of = numbers_new(recording->region_count, 0);
	if (!extract->places || !extract->is_whole || !extract->path_of || !extract->root_of ||
	    !extract->thread_of || !extract->region_of)
		return false;
	return extract_find(extract);
}

bool extract_has_any(const struct calltree *tree, const bool *marks)
{
	for (uint32_t i = 0; i < tree->node_count; i++) {
		if (tree->nodes[i].parent != CALLTREE_NONE && marks[tree->nodes[i].region])
			return true;
	}
	return false;
}

enum kymo_status extract_write(const struct calltree *tree, const bool *marks, const char *path,
			       const char *program, struct problem *problem)
{
	struct extract extract = {.tree = tree, .marks = marks};
	enum kymo_status status = KYMO_MEMORY;

	if (extract_init(&extract))
		status = extract_write_all(&extract, path, program, problem);
	else
		problem_set(problem, status, "out of memory");
	free(extract.places);
	free(extract.is_whole);
	free(extract.paths);
	free(extract.metrics);
	hashset_release(&extract.index);
	free(extract.path_of);
	free(extract.root_of);
	free(extract.thread_of);
	free(extract.region_of);
	return status;
}
