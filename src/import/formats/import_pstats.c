/* The pstats importer: files of cProfile and profile, one marshalled dictionary {(file, line,
 * name): (cc, nc, tt, ct, {caller: (nc, cc, tt, ct)})} without call paths. profile's callers are
 * numbers of calls only. */
#include "import/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "import/formats/marshal_reader.h"
#include "import/imported_graph.h"
#include "import/text_lines.h"

#define NOUN	 "profile of cProfile"
#define NS_PER_S 1e9
#define NO_KEY	 UINT32_MAX

struct pstats_import {
	const struct import_source *source;
	struct imported *imported;
	uint32_t thread;
	struct marshal_reader reader;
	struct call_paths_graph graph;
	size_t function_capacity, call_capacity;
	uint32_t *function_of; /* by region: function + 1 */
	size_t function_of_capacity;
};

static bool pstats_detect(const char *head, size_t size)
{
	unsigned char first = size ? (unsigned char)head[0] : 0;
	unsigned char second = size > 1 ? (unsigned char)head[1] & 0x7f : 0;

	return (first & 0x7f) == '{' && size > 1 &&
	       (second == '(' || second == ')' || (second == '0' && size == 2));
}

/* The text between two texts, without their quotes; empty if it has another form. */
static struct span pstats_between(struct span text, const char *begin, const char *end)
{
	size_t before = strlen(begin), after = strlen(end);

	if (text.size <= before + after || !span_begins(text, begin) ||
	    memcmp(text.at + text.size - after, end, after) != 0)
		return (struct span){text.at, 0};
	return (struct span){text.at + before, text.size - before - after};
}

/* "<built-in method builtins.len>" */
static bool pstats_name_builtin(struct imported_function *function)
{
	struct span path = pstats_between(function->name, "<built-in method ", ">");
	const char *dot = path.size ? memrchr(path.at, '.', path.size) : NULL;

	if (path.size == 0 || (dot && dot == path.at + path.size - 1))
		return false;
	function->kind = KYMO_REGION_PYTHON_C;
	function->name = path;
	if (dot) {
		function->module = (struct span){path.at, (size_t)(dot - path.at)};
		function->name = span_from(path, function->module.size + 1);
	}
	return true;
}

/* "<method 'append' of 'list' objects>" */
static bool name_method(struct imported_function *function)
{
	static const char middle[] = "' of '";
	struct span both = pstats_between(function->name, "<method '", "' objects>");
	const char *found =
		both.size ? memmem(both.at, both.size, middle, sizeof(middle) - 1) : NULL;

	if (!found || found == both.at)
		return false;
	function->kind = KYMO_REGION_PYTHON_METHOD;
	function->name = (struct span){both.at, (size_t)(found - both.at)};
	function->module = span_from(both, function->name.size + sizeof(middle) - 1);
	return true;
}

/* The function of a key, found or added; NO_KEY if it is none. */
static uint32_t pstats_function_of(struct pstats_import *import, const struct marshal_value *key)
{
	struct imported_function function = {.kind = KYMO_REGION_PYTHON};
	const struct marshal_value *parts[3];
	uint32_t region;

	if (key->kind != MARSHAL_TUPLE || key->item_count != 3)
		return NO_KEY;
	for (uint32_t i = 0; i < 3; i++)
		parts[i] = marshal_item(&import->reader, key, i);
	if (parts[0]->kind != MARSHAL_TEXT || parts[1]->kind != MARSHAL_INTEGER ||
	    (parts[2]->kind != MARSHAL_TEXT && parts[2]->kind != MARSHAL_OTHER))
		return NO_KEY;
	/* profile names its program by a code object. */
	function.name = parts[2]->kind == MARSHAL_TEXT ? parts[2]->as.text : SPAN("<code object>");
	if (!span_equals(parts[0]->as.text, "~")) {
		function.file = parts[0]->as.text;
		if (parts[1]->as.integer > 0 && parts[1]->as.integer <= INT32_MAX)
			function.line = (uint32_t)parts[1]->as.integer;
	} else if (!pstats_name_builtin(&function)) {
		name_method(&function);
	}
	region = imported_region(import->imported, &function);
	return region ? region : NO_KEY;
}

static bool integer_of(const struct marshal_value *value, uint64_t *out)
{
	if (value->kind != MARSHAL_INTEGER || value->as.integer < 0)
		return false;
	*out = (uint64_t)value->as.integer;
	return true;
}

static double pstats_seconds_of(struct pstats_import *import, const struct marshal_value *value)
{
	double seconds = value->kind == MARSHAL_REAL	  ? value->as.real
			 : value->kind == MARSHAL_INTEGER ? (double)value->as.integer
							  : NAN;

	/* Clocks that stepped back leave tiny negative times. */
	if (seconds >= 0 && seconds < 1e9)
		return seconds * NS_PER_S;
	if (!(seconds > -1e-3 && seconds < 0))
		imported_count(import->imported, COUNT_BAD_WEIGHTS);
	return 0;
}

/* The function's index in the graph, added if needed. */
static uint32_t pstats_function_get(struct pstats_import *import, uint32_t region)
{
	struct call_paths_graph *graph = &import->graph;
	size_t before = import->function_of_capacity;
	uint32_t *by_region = array_grow(import->function_of, &import->function_of_capacity,
					 region + (size_t)1, sizeof(*by_region));
	struct graph_function *functions;

	if (!by_region)
		return NO_KEY;
	import->function_of = by_region;
	if (import->function_of_capacity > before)
		memset(by_region + before, 0,
		       (import->function_of_capacity - before) * sizeof(*by_region));
	if (by_region[region])
		return by_region[region] - 1;
	functions = array_grow(graph->functions, &import->function_capacity,
			       graph->function_count + (size_t)1, sizeof(*functions));
	if (!functions)
		return NO_KEY;
	graph->functions = functions;
	functions[graph->function_count] = (struct graph_function){.region = region};
	by_region[region] = ++graph->function_count;
	return by_region[region] - 1;
}

static bool call_add(struct pstats_import *import, const struct graph_call *call)
{
	struct call_paths_graph *graph = &import->graph;
	struct graph_call *calls = array_grow(graph->calls, &import->call_capacity,
					      graph->call_count + 1, sizeof(*calls));

	if (!calls)
		return false;
	graph->calls = calls;
	calls[graph->call_count++] = *call;
	return true;
}

static enum kymo_status pstats_fail(const struct pstats_import *import, struct problem *problem,
				    const char *what)
{
	return source_fail(import->source, NOUN, problem, "%s", what);
}

/* A tuple of four, or the number of calls only. */
static bool pstats_read_call(struct pstats_import *import, const struct marshal_value *value,
			     struct graph_call *call, uint64_t *primitive)
{
	const struct marshal_reader *reader = &import->reader;

	if (integer_of(value, &call->count))
		return true;
	call->has_self = true;
	if (value->kind != MARSHAL_TUPLE || value->item_count != 4 ||
	    !integer_of(marshal_item(reader, value, 0), &call->count) ||
	    !integer_of(marshal_item(reader, value, 1), primitive))
		return false;
	call->self = pstats_seconds_of(import, marshal_item(reader, value, 2));
	call->total = pstats_seconds_of(import, marshal_item(reader, value, 3));
	return true;
}

/* Keep the file's own numbers, which derived call paths would not reproduce with recursion. */
static void keep_call(struct pstats_import *import, const struct graph_call *call,
		      uint64_t primitive)
{
	const struct graph_function *functions = import->graph.functions;

	if (call->has_self)
		imported_total(import->imported, &(struct imported_total){
							 .thread = import->thread,
							 .region = functions[call->callee].region,
							 .caller = functions[call->caller].region,
							 .count = call->count,
							 .primitive_count = primitive,
							 .self_ns = call->self,
							 .total_ns = call->total,
						 });
}

static enum kymo_status read_callers(struct pstats_import *import, uint32_t callee,
				     const struct marshal_value *callers, struct problem *problem)
{
	for (uint32_t i = 0; i + 1 < callers->item_count; i += 2) {
		const struct marshal_value *key = marshal_item(&import->reader, callers, i);
		struct graph_call call = {.callee = callee};
		uint32_t region = pstats_function_of(import, key);
		uint64_t primitive = 0;

		if (region == NO_KEY ||
		    !pstats_read_call(import, marshal_item(&import->reader, callers, i + 1), &call,
				      &primitive))
			return pstats_fail(import, problem,
					   "a caller is not as cProfile writes them");
		call.caller = pstats_function_get(import, region);
		/* One dictionary referenced by all functions would take quadratic memory. */
		if (import->graph.call_count > import->source->size)
			return pstats_fail(import, problem, "it has more callers than bytes");
		if (call.caller == NO_KEY || !call_add(import, &call))
			return problem_set(problem, KYMO_MEMORY, "out of memory");
		keep_call(import, &call, primitive);
	}
	return KYMO_OK;
}

static enum kymo_status pstats_read_function(struct pstats_import *import,
					     const struct marshal_value *key,
					     const struct marshal_value *row,
					     struct problem *problem)
{
	const struct marshal_reader *reader = &import->reader;
	uint32_t region = pstats_function_of(import, key), position;
	struct imported_total total = {.thread = import->thread, .region = region};
	struct graph_function *function;

	if (region == NO_KEY)
		return pstats_fail(import, problem, "a function is not (file, line, name)");
	if (row->kind != MARSHAL_TUPLE || row->item_count != 5 ||
	    !integer_of(marshal_item(reader, row, 0), &total.primitive_count) ||
	    !integer_of(marshal_item(reader, row, 1), &total.count) ||
	    marshal_item(reader, row, 4)->kind != MARSHAL_DICT)
		return pstats_fail(import, problem,
				   "a function's numbers are not as cProfile has them");
	position = pstats_function_get(import, region);
	if (position == NO_KEY)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	function = &import->graph.functions[position];
	total.self_ns = pstats_seconds_of(import, marshal_item(reader, row, 2));
	total.total_ns = pstats_seconds_of(import, marshal_item(reader, row, 3));
	imported_total(import->imported, &total);
	function->count += total.count;
	function->self += total.self_ns;
	function->total += total.total_ns;
	return read_callers(import, position, marshal_item(reader, row, 4), problem);
}

/* profile has no times by caller: the callee's are divided by numbers of calls. */
static void share_totals(struct call_paths_graph *graph)
{
	for (size_t i = 0; i < graph->call_count; i++) {
		struct graph_call *call = &graph->calls[i];
		const struct graph_function *callee = &graph->functions[call->callee];

		if (!call->has_self && callee->count > 0)
			call->total = callee->total * ((double)call->count / (double)callee->count);
	}
}

static enum kymo_status read_graph(struct pstats_import *import, struct problem *problem)
{
	uint32_t root = marshal_read(&import->reader, import->source->data, import->source->size);
	enum kymo_status status = KYMO_OK;

	if (import->reader.is_out_of_memory)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	if (root == MARSHAL_FAILED)
		return pstats_fail(import, problem, import->reader.problem);
	if (marshal_value(&import->reader, root)->kind != MARSHAL_DICT)
		return pstats_fail(import, problem, "it holds no dictionary");
	for (uint32_t i = 0; status == KYMO_OK; i += 2) {
		const struct marshal_value *dict = marshal_value(&import->reader, root);

		if (i + 1 >= dict->item_count)
			break;
		status = pstats_read_function(import, marshal_item(&import->reader, dict, i),
					      marshal_item(&import->reader, dict, i + 1), problem);
	}
	if (status == KYMO_OK && import->graph.function_count == 0)
		return pstats_fail(import, problem, "it holds no functions");
	return status;
}

static enum kymo_status pstats_read(const struct import_source *source, struct imported *imported,
				    struct problem *problem)
{
	struct pstats_import import = {
		.source = source,
		.imported = imported,
		.thread = imported_thread(imported, imported_process(imported, 0), 0),
	};
	enum kymo_status status = read_graph(&import, problem);

	if (status == KYMO_OK) {
		share_totals(&import.graph);
		imported_note(imported, KYMO_NOTE_WARNING, "call paths",
			      SPAN("call paths are estimated: a .prof keeps callers only"));
		status = imported_graph_add(&import.graph, NULL, imported, import.thread);
		if (status < 0)
			problem_set(problem, status, "out of memory");
	}
	marshal_release(&import.reader);
	free(import.graph.functions);
	free(import.graph.calls);
	free(import.function_of);
	return status;
}

const struct importer pstats_importer = {
	.name = "pstats",
	.noun = NOUN,
	.description =
		"profiles of cProfile and profile (.prof): functions with exact numbers, call "
		"paths estimated from callers",
	.detect = pstats_detect,
	.read = pstats_read,
};
