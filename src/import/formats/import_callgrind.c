/* The callgrind importer: functions, their costs and their calls, of valgrind, yappi, Xdebug, Kymo
 * and others, by the specification in valgrind's manual.  Call paths are derived from the calls by
 * graph_paths.h. */
#include "import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "import/formats/callgrind_graph.h"
#include "import/formats/callgrind_names.h"
#include "import/imported_notes.h"
#include "import/text_lines.h"

#define NOUN "callgrind profile"

struct callgrind_import {
	const struct import_source *source;
	struct imported *imported;
	struct text_lines lines;
	struct callgrind_names objects, files, functions;
	struct callgrind_graph *graphs;
	size_t graph_count, graph_capacity;
	struct hashset graph_index; /* of pid and thread: index + 1 */
	size_t graph;		    /* the current one */
	uint64_t pid, thread;
	bool is_part_open; /* the current graph is that of pid and thread */
	struct span object, file, called_object, called_file;
	bool has_called_object, has_called_file;
	uint32_t function, called; /* CALLGRIND_NONE = none */
	bool is_own_file;	   /* no fi=, fe= since fn= */
	bool is_call;		   /* the next costs are those of a call */
	struct graph_call call;
	uint64_t positions[2]; /* previous ones: later ones are relative to them */
	unsigned int position_count, line_position;
	unsigned int event_count;
	double unit;  /* nanoseconds of the first event; 0 = not a time */
	bool is_kymo; /* Kymo's own: threads are functions */
	bool is_yappi;
	bool is_callgrind, has_totals; /* callgrind's own files end with their totals */
	bool has_events;
	struct span unit_name;
};

static bool callgrind_detect(const char *head, size_t size)
{
	struct text_lines lines = text_lines_of(head, size);
	bool has_events = false, has_functions = false;
	struct span line;

	while (text_line(&lines, &line)) {
		if (span_begins(line, "# callgrind format"))
			return true;
		has_events |= span_begins(line, "events:");
		has_functions |= span_begins(line, "fn=");
		if (has_events && has_functions)
			return true;
	}
	return has_events && size == IMPORT_HEAD_MAX;
}

static enum kymo_status callgrind_fail(const struct callgrind_import *import,
				       struct problem *problem, const char *what)
{
	return source_fail(import->source, NOUN, problem, "%s in line %zu", what,
			   import->lines.number);
}

static enum kymo_status callgrind_fail_memory(struct problem *problem)
{
	return problem_set(problem, KYMO_MEMORY, "out of memory");
}

/* "Time_(ns)", "Time_(10ns)": nanoseconds per unit. */
static double time_unit(struct span name)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns)", 1}, {"us)", 1e3}, {"ms)", 1e6}, {"s)", 1e9}};
	uint64_t factor = 1;

	if (!span_begins(name, "Time_("))
		return 0;
	name = span_from(name, 6);
	span_number(&name, &factor);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (span_equals(name, units[i].name))
			return (double)factor * units[i].ns;
	}
	return 0;
}

/* The first event is the time; the others are metrics, the same in all parts. */
static void read_events(struct callgrind_import *import, struct span text)
{
	struct span name = span_word(&text);

	if (import->has_events || name.size == 0)
		return;
	import->has_events = true;
	import->event_count = 1;
	import->unit_name = name;
	import->unit = time_unit(name);
	if (import->is_yappi && span_equals(name, "Ticks"))
		import->unit = 1e3;
	if (import->unit == 0)
		import->unit = import->imported->unit_ns;
	while ((name = span_word(&text)).size) {
		/* Kymo's counts of visits are already there as calls. */
		if (import->event_count < CALLGRIND_EVENTS_MAX && !import->is_kymo)
			imported_metric(import->imported, name, "");
		import->event_count++;
	}
}

static void read_positions(struct callgrind_import *import, struct span text)
{
	struct span name;

	import->position_count = 0;
	import->line_position = 2; /* none */
	while ((name = span_word(&text)).size && import->position_count < 2) {
		if (span_equals(name, "line"))
			import->line_position = import->position_count;
		import->position_count++;
	}
	if (import->position_count == 0) {
		import->position_count = 1;
		import->line_position = 0;
	}
}

/* true: the line belongs to the header, or to a part's. */
static bool callgrind_read_header(struct callgrind_import *import, struct span line)
{
	struct span value = line, key = span_cut(&value, ':');
	uint64_t number = 0;

	if (key.size == line.size || memchr(key.at, '=', key.size))
		return false;
	value = span_trim(value);
	if (span_equals(key, "events")) {
		read_events(import, value);
	} else if (span_equals(key, "positions")) {
		read_positions(import, value);
	} else if (span_equals(key, "creator")) {
		import->is_kymo = span_begins(value, "kymo");
		import->is_yappi = span_begins(value, "yappi");
		import->is_callgrind = span_begins(value, "callgrind");
	} else if (span_equals(key, "totals")) {
		import->has_totals = true;
	} else if (span_equals(key, "cmd")) {
		if (!import->is_kymo)
			imported_note_command(import->imported, value);
	} else if (span_equals(key, "pid")) {
		import->pid = span_number(&value, &number) ? number : 0;
		import->is_part_open = false;
	} else if (span_equals(key, "thread")) {
		import->thread = span_number(&value, &number) ? number : 0;
		import->is_part_open = false;
	} else if (span_equals(key, "part")) {
		import->is_part_open = false;
	}
	return true;
}

static bool callgrind_open_part(struct callgrind_import *import)
{
	uint64_t key = hash_word(hash_word(import->pid) ^ import->thread);
	uint64_t found = hashset_find_key(&import->graph_index, key);
	struct callgrind_graph *grown;

	if (import->is_part_open)
		return true;
	import->is_part_open = true;
	import->function = import->called = CALLGRIND_NONE;
	import->is_call = false;
	if (found) {
		import->graph = (size_t)found - 1;
		return true;
	}
	grown = array_grow(import->graphs, &import->graph_capacity, import->graph_count + 1,
			   sizeof(*grown));
	if (!grown)
		return false;
	import->graphs = grown;
	import->graph = import->graph_count;
	grown[import->graph_count++] =
		(struct callgrind_graph){.pid = import->pid, .thread = import->thread};
	return hashset_insert(&import->graph_index, key, import->graph_count);
}

static enum kymo_status callgrind_read_function(struct callgrind_import *import, struct span text,
						bool is_called, struct problem *problem)
{
	struct span name, object, file;
	uint32_t function;

	switch (callgrind_name(&import->functions, text, &name)) {
	case CALLGRIND_UNKNOWN:
		return callgrind_fail(import, problem, "a function has a number but no name");
	case CALLGRIND_MEMORY:
		return callgrind_fail_memory(problem);
	case CALLGRIND_NAMED:
		break;
	}
	/* "fib'2" is fib, called by itself: recursion levels are not separate functions. */
	name = span_without_number(name, '\'', "");
	object = is_called && import->has_called_object ? import->called_object : import->object;
	file = is_called && import->has_called_file ? import->called_file : import->file;
	if (!callgrind_open_part(import))
		return callgrind_fail_memory(problem);
	function = callgrind_function(&import->graphs[import->graph], object, file, name);
	if (function == CALLGRIND_NONE)
		return callgrind_fail_memory(problem);
	if (is_called) {
		import->called = function;
	} else {
		import->function = function;
		import->is_own_file = true;
	}
	return KYMO_OK;
}

static enum kymo_status callgrind_read_place(struct callgrind_import *import, struct span key,
					     struct span text, struct problem *problem)
{
	bool is_object = span_equals(key, "ob") || span_equals(key, "cob");
	struct span name;

	switch (callgrind_name(is_object ? &import->objects : &import->files, text, &name)) {
	case CALLGRIND_UNKNOWN:
		return callgrind_fail(import, problem, "a file has a number but no name");
	case CALLGRIND_MEMORY:
		return callgrind_fail_memory(problem);
	case CALLGRIND_NAMED:
		break;
	}
	if (span_equals(key, "ob")) {
		import->object = name;
	} else if (span_equals(key, "cob")) {
		import->called_object = name;
		import->has_called_object = true;
	} else if (span_equals(key, "fl")) {
		import->file = name;
	} else if (span_equals(key, "fi") || span_equals(key, "fe")) {
		import->is_own_file = false;
	} else {
		import->called_file = name;
		import->has_called_file = true;
	}
	return KYMO_OK;
}

/* "12", "0x1f", "+3", "-3", "*": relative to the previous one. */
static bool read_position(struct callgrind_import *import, struct span word, unsigned int index)
{
	uint64_t *position = &import->positions[index], number;
	char sign = word.size ? word.at[0] : '\0';

	if (span_equals(word, "*"))
		return true;
	if (sign == '+' || sign == '-')
		word = span_from(word, 1);
	if (!span_number(&word, &number) || word.size)
		return false;
	*position = sign == '+' ? *position + number : sign == '-' ? *position - number : number;
	return true;
}

static bool read_positions_of(struct callgrind_import *import, struct span *text)
{
	for (unsigned int i = 0; i < import->position_count; i++) {
		if (!read_position(import, span_word(text), i))
			return false;
	}
	return true;
}

static void note_line(struct callgrind_import *import, uint32_t function)
{
	struct callgrind_function *row = &import->graphs[import->graph].functions[function];
	uint64_t line = import->line_position < 2 ? import->positions[import->line_position] : 0;

	if (line > 0 && line <= INT32_MAX && (row->line == 0 || line < row->line))
		row->line = (uint32_t)line;
}

static bool callgrind_read_costs(struct callgrind_import *import, struct span text, double *costs)
{
	for (unsigned int i = 0; i < import->event_count; i++) {
		struct span word = span_word(&text);
		uint64_t number = 0;

		if (word.size && (!span_number(&word, &number) || word.size))
			return false;
		if (i < CALLGRIND_EVENTS_MAX)
			costs[i] = (double)number;
	}
	return true;
}

static enum kymo_status read_cost_line(struct callgrind_import *import, struct span line,
				       struct problem *problem)
{
	double costs[CALLGRIND_EVENTS_MAX] = {0};
	double unit = import->unit > 0 ? import->unit : 1;
	struct callgrind_function *row;

	if (!read_positions_of(import, &line) || !callgrind_read_costs(import, line, costs))
		return callgrind_fail(import, problem, "there is no line of costs");
	if (import->function == CALLGRIND_NONE || !import->is_part_open)
		return callgrind_fail(import, problem, "there are costs without a function");
	if (!import->has_events)
		return callgrind_fail(import, problem, "there are costs before any \"events:\"");
	if (import->is_call) {
		import->is_call = false;
		import->call.total = costs[0] * unit;
		return callgrind_call(&import->graphs[import->graph], &import->call)
			       ? KYMO_OK
			       : callgrind_fail_memory(problem);
	}
	row = &import->graphs[import->graph].functions[import->function];
	row->costs[0] += costs[0] * unit;
	for (unsigned int i = 1; i < CALLGRIND_EVENTS_MAX; i++)
		row->costs[i] += costs[i];
	if (import->is_own_file)
		note_line(import, import->function);
	return KYMO_OK;
}

/* "calls=3 12": so many calls of the function named by cfn=; the next line has their costs. */
static enum kymo_status callgrind_read_calls(struct callgrind_import *import, struct span text,
					     struct problem *problem)
{
	struct span word = span_word(&text);
	uint64_t count, before[2] = {import->positions[0], import->positions[1]};

	if (!span_number(&word, &count))
		return callgrind_fail(import, problem, "there is no number of calls");
	if (import->function == CALLGRIND_NONE || import->called == CALLGRIND_NONE ||
	    !import->is_part_open)
		return callgrind_fail(import, problem,
				      "there are calls without a caller and a callee");
	if (text.size && read_positions_of(import, &text))
		note_line(import, import->called);
	memcpy(import->positions, before, sizeof(before));
	import->call = (struct graph_call){
		.caller = import->function, .callee = import->called, .count = count};
	import->is_call = true;
	import->called = CALLGRIND_NONE;
	import->has_called_file = import->has_called_object = false;
	return KYMO_OK;
}

static enum kymo_status read_assignment(struct callgrind_import *import, struct span line,
					struct problem *problem)
{
	static const char *const keys[] = {"ob", "cob", "fl", "fi", "fe", "cfl", "cfi"};
	struct span value = line, key = span_cut(&value, '=');

	if (span_equals(key, "fn"))
		return callgrind_read_function(import, value, false, problem);
	if (span_equals(key, "cfn"))
		return callgrind_read_function(import, value, true, problem);
	if (span_equals(key, "calls"))
		return callgrind_read_calls(import, value, problem);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (span_equals(key, keys[i]))
			return callgrind_read_place(import, key, value, problem);
	}
	if (span_equals(key, "jump") || span_equals(key, "jcnd") || span_equals(key, "jfi") ||
	    span_equals(key, "jfn") || span_equals(key, "rcalls"))
		return KYMO_OK;
	return callgrind_fail(import, problem, "there is a line that callgrind does not write");
}

/* The line after a jump has only its source's position; with costs it would be a cost line. */
static enum kymo_status skip_jump(struct callgrind_import *import)
{
	struct text_lines before = import->lines;
	struct span line;

	if (!text_line(&import->lines, &line))
		return KYMO_OK;
	if (line.size == 0 || !memchr("0123456789+-*", line.at[0], 13))
		import->lines = before;
	else
		read_positions_of(import, &line);
	return KYMO_OK;
}

static enum kymo_status callgrind_read_line(struct callgrind_import *import, struct span line,
					    struct problem *problem)
{
	line = span_trim(line);
	if (line.size == 0 || line.at[0] == '#')
		return KYMO_OK;
	if (memchr("0123456789+-*", line.at[0], 13))
		return read_cost_line(import, line, problem);
	if (span_begins(line, "jump=") || span_begins(line, "jcnd="))
		return skip_jump(import);
	if (callgrind_read_header(import, line))
		return KYMO_OK;
	return read_assignment(import, line, problem);
}

/* Whether the file is truncated: every file ends with a newline and callgrind's own with the
 * totals; a call has its cost. */
static bool is_cut(const struct callgrind_import *import)
{
	const struct import_source *source = import->source;

	return source->data[source->size - 1] != '\n' || import->called != CALLGRIND_NONE ||
	       (import->is_callgrind && !import->has_totals);
}

static enum kymo_status callgrind_finish(struct callgrind_import *import, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	char unit[64];

	if (import->graph_count == 0)
		return source_fail(import->source, NOUN, problem, "it has no functions");
	if (is_cut(import))
		imported_note(import->imported, KYMO_NOTE_LOSS, "cut file",
			      SPAN("the file is truncated: the rest of it is lost"));
	for (size_t i = 0; i < import->graph_count && status == KYMO_OK; i++)
		status = callgrind_graph_finish(&import->graphs[i], import->imported,
						import->is_kymo);
	if (status < 0)
		return callgrind_fail_memory(problem);
	imported_note(import->imported, KYMO_NOTE_WARNING, "call paths",
		      SPAN("call paths are estimated: callgrind's files keep callers only"));
	if (import->unit > 0)
		return KYMO_OK;
	snprintf(unit, sizeof(unit), "%.*s",
		 import->unit_name.size < sizeof(unit) ? (int)import->unit_name.size : 60,
		 import->unit_name.at);
	imported_note_unit(import->imported, unit);
	return KYMO_OK;
}

static void callgrind_import_free(struct callgrind_import *import)
{
	for (size_t i = 0; i < import->graph_count; i++)
		callgrind_graph_release(&import->graphs[i]);
	free(import->graphs);
	hashset_release(&import->graph_index);
	callgrind_names_release(&import->objects);
	callgrind_names_release(&import->files);
	callgrind_names_release(&import->functions);
}

static enum kymo_status callgrind_read(const struct import_source *source,
				       struct imported *imported, struct problem *problem)
{
	struct callgrind_import import = {
		.source = source,
		.imported = imported,
		.lines = text_lines_of(source->data, source->size),
		.function = CALLGRIND_NONE,
		.called = CALLGRIND_NONE,
		.position_count = 1,
	};
	enum kymo_status status = KYMO_OK;
	struct span line;

	while (status == KYMO_OK && !imported->is_out_of_memory && text_line(&import.lines, &line))
		status = callgrind_read_line(&import, line, problem);
	if (status == KYMO_OK)
		status = callgrind_finish(&import, problem);
	callgrind_import_free(&import);
	return status;
}

const struct importer callgrind_importer = {
	.name = "callgrind",
	.noun = NOUN,
	.description =
		"profiles of callgrind, yappi, Xdebug: functions and calls with exact costs, "
		"call paths estimated",
	.detect = callgrind_detect,
	.read = callgrind_read,
};
