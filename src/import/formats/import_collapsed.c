/* The collapsed importer: a line per stack, `frame;frame;leaf weight`, as written by FlameGraph,
 * py-spy, austin, memray and others.  The meaning of frames follows from their format: processes
 * and threads at the front, "name (file:line)", "file:name:line". */
#include "import/import.h"

#include <math.h>

#include "import/function_names.h"
#include "import/imported_notes.h"
#include "import/text_lines.h"

#define NOUN	     "list of collapsed stacks"
#define DETECT_LINES 20
#define BAD_LINES    1 /* of these */
#define US_NS	     1000

struct collapsed_import {
	const struct import_source *source;
	struct imported *imported;
	struct text_lines lines;
	uint32_t process, thread; /* of the current line */
	bool is_austin;		  /* frames are file:name:line */
	double unit_ns;		  /* 0: weights are not times */
	bool has_weights;
};

/* The weight is what follows the last blank. */
static bool split_weight(struct span line, struct span *stack, struct span *weight)
{
	size_t at;

	line = span_trim(line);
	for (at = line.size; at > 0 && line.at[at - 1] != ' ' && line.at[at - 1] != '\t'; at--)
		;
	*weight = span_from(line, at);
	*stack = span_trim((struct span){line.at, at});
	return stack->size > 0 && weight->size > 0;
}

static bool is_comment(struct span line)
{
	return line.size == 0 || (line.at[0] == '#' && (line.size == 1 || line.at[1] == ' '));
}

static bool collapsed_detect(const char *head, size_t size)
{
	struct text_lines lines = text_lines_of(head, size);
	struct span line, stack, weight;
	unsigned int found = 0, bad = 0;
	double value;

	while (found + bad < DETECT_LINES && text_line(&lines, &line)) {
		if (is_comment(span_trim(line)))
			continue;
		/* The last line may be truncated. */
		if (lines.at == lines.end && size == IMPORT_HEAD_MAX)
			return true;
		if (split_weight(line, &stack, &weight) && span_real(weight, &value))
			found++;
		else if (++bad > BAD_LINES)
			return false;
	}
	/* The reader reports bad lines. */
	return found > bad;
}

/* "process 12:\"cmd\"" of py-spy, "P12" of austin, "app [12]" of Kymo. */
static bool frame_is_process(struct collapsed_import *import, struct span frame)
{
	struct span rest = frame;
	uint64_t pid;

	if (span_begins(frame, "process ")) {
		rest = span_from(frame, 8);
		if (!span_number(&rest, &pid) || !span_begins(rest, ":"))
			return false;
		import->process = imported_process(import->imported, pid);
		rest = span_from(rest, 1);
		if (rest.size > 1 && rest.at[0] == '"' && rest.at[rest.size - 1] == '"')
			rest = (struct span){rest.at + 1, rest.size - 2};
		imported_process_name(import->imported, import->process, span_trim(rest));
		return true;
	}
	if (!import->is_austin || !span_begins(frame, "P"))
		return false;
	rest = span_from(frame, 1);
	if (!span_number(&rest, &pid) || rest.size)
		return false;
	import->process = imported_process(import->imported, pid);
	return true;
}

/* "thread (0x7f): name" of py-spy, "T0:7f" and "T7f" of austin. */
static bool frame_is_thread(struct collapsed_import *import, struct span frame)
{
	bool is_austin = import->is_austin && span_begins(frame, "T");
	bool is_py_spy = span_begins(frame, "thread (");
	struct span rest = span_from(frame, is_py_spy ? 8 : is_austin ? 1 : 0);
	uint64_t id = 0, interpreter = 0;

	if (is_austin) {
		if (!span_number(&rest, &id) && rest.size == 0)
			return false;
		if (span_begins(rest, ":")) {
			interpreter = id;
			rest = span_from(rest, 1);
			span_number(&rest, &id);
		}
		/* Ids are hexadecimal digits without a prefix: those that are no number count as
		 * texts. */
		if (rest.size)
			id = hash_bytes(HASH_SEED + interpreter, frame.at, frame.size) >> 16;
		import->thread = imported_thread(import->imported, import->process, id);
		return true;
	}
	if (!is_py_spy || !span_number(&rest, &id) || !span_begins(rest, ")"))
		return false;
	import->thread = imported_thread(import->imported, import->process, id);
	rest = span_from(rest, 1);
	if (span_begins(rest, ": "))
		imported_thread_name(import->imported, import->thread, span_from(rest, 2));
	return true;
}

static uint32_t frame_region(struct collapsed_import *import, struct span frame)
{
	struct imported_function function = {.kind = KYMO_REGION_NATIVE, .name = frame};

	if (!import->is_austin || !function_from_austin(frame, &function))
		function_from_label(frame, &function);
	return imported_region(import->imported, &function);
}

/* "# mode: wall" and other comments of austin. */
static void collapsed_read_comment(struct collapsed_import *import, struct span line)
{
	struct span value = span_from(line, line.size ? 1 : 0), key = span_cut(&value, ':');

	key = span_trim(key);
	value = span_trim(value);
	if (span_equals(key, "austin")) {
		import->is_austin = true;
	} else if (span_equals(key, "mode")) {
		if (span_equals(value, "wall") || span_equals(value, "cpu"))
			import->unit_ns = US_NS;
		else if (span_equals(value, "memory"))
			import->imported->default_unit = "bytes";
	}
}

static bool read_weight(struct collapsed_import *import, struct span text, double *out)
{
	double value;

	if (!span_real(text, &value))
		return false;
	import->has_weights = true;
	if (!(value >= 0) || value > 9e15) {
		imported_count(import->imported, COUNT_BAD_WEIGHTS);
		value = -1;
	}
	*out = value;
	return true;
}

/* Older versions of austin write no header: "P12;T1;…". */
static bool stack_is_austin(struct span stack)
{
	struct span process = span_cut(&stack, ';');
	uint64_t pid;

	if (!span_begins(process, "P") || !span_begins(stack, "T"))
		return false;
	process = span_from(process, 1);
	return span_number(&process, &pid) && process.size == 0;
}

static void collapsed_read_stack(struct collapsed_import *import, struct span stack, double weight)
{
	struct imported *imported = import->imported;
	bool is_count = import->unit_ns == 0 && weight == floor(weight);
	uint32_t node = 0;

	import->process = import->thread = 0;
	import->is_austin = import->is_austin || stack_is_austin(stack);
	while (stack.size && !imported->is_out_of_memory) {
		struct span frame = span_trim(span_cut(&stack, ';'));

		if (frame.size == 0)
			continue;
		if (node == 0 && !import->process && frame_is_process(import, frame))
			continue;
		if (node == 0 && !import->process)
			import->process = imported_process(imported, 0);
		if (node == 0 && !import->thread && frame_is_thread(import, frame))
			continue;
		if (node == 0 && !import->thread)
			import->thread = imported_thread(imported, import->process, 0);
		if (node == 0)
			node = imported_root(imported, import->thread);
		if (imported->nodes[node].depth >= IMPORT_DEPTH_MAX) {
			imported_count(imported, COUNT_DEEP_FRAMES);
			continue;
		}
		node = imported_child(imported, node, frame_region(import, frame));
	}
	if (node == 0)
		return;
	imported->threads[import->thread].is_sampled = true;
	if (!is_count && import->unit_ns == 0)
		imported_count(imported, COUNT_FRACTIONS);
	imported_weigh(imported, node, is_count ? (uint64_t)weight : 1,
		       weight * (import->unit_ns > 0 ? import->unit_ns : 1));
}

static enum kymo_status collapsed_read_lines(struct collapsed_import *import,
					     struct problem *problem)
{
	struct span line, stack, text;
	double weight;

	while (text_line(&import->lines, &line) && !import->imported->is_out_of_memory) {
		line = span_trim(line);
		if (is_comment(line)) {
			collapsed_read_comment(import, line);
			continue;
		}
		if (!split_weight(line, &stack, &text) || !read_weight(import, text, &weight))
			return source_fail(import->source, NOUN, problem,
					   "line %zu does not end with a number",
					   import->lines.number);
		if (weight > 0)
			collapsed_read_stack(import, stack, weight);
	}
	return KYMO_OK;
}

static enum kymo_status collapsed_read(const struct import_source *source,
				       struct imported *imported, struct problem *problem)
{
	struct collapsed_import import = {
		.source = source,
		.imported = imported,
		.lines = text_lines_of(source->data, source->size),
		.unit_ns = imported->unit_ns,
	};
	enum kymo_status status = collapsed_read_lines(&import, problem);

	if (status == KYMO_OK && import.unit_ns == 0)
		imported_note_unit(imported,
				   imported->default_unit ? imported->default_unit : "samples");
	return status;
}

const struct importer collapsed_importer = {
	.name = "collapsed",
	.noun = NOUN,
	.description = "collapsed stacks of FlameGraph, py-spy, austin, memray: call paths with "
		       "weights (see --unit)",
	.detect = collapsed_detect,
	.read = collapsed_read,
};
