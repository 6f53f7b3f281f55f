/* The tables of a thread, written column by column. */
#include "export/formats/firefox_thread.h"

#include <inttypes.h>
#include <string.h>

#include "command/xalloc.h"
#include "export/export_sink.h"

enum category { OTHER, PYTHON, NATIVE, USER, THREADS, IO, MPI };

const char firefox_categories[] =
	"[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Python\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Native\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"User\",\"color\":\"green\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Threads\",\"color\":\"purple\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"I/O\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"MPI\",\"color\":\"magenta\",\"subcategories\":[\"Other\"]}]";

static enum category thread_category_of(enum kymo_region_kind kind)
{
	switch (kind) {
	case KYMO_REGION_PYTHON:
	case KYMO_REGION_PYTHON_C:
	case KYMO_REGION_PYTHON_METHOD:
		return PYTHON;
	case KYMO_REGION_NATIVE:
	case KYMO_REGION_PROGRAM:
		return NATIVE;
	case KYMO_REGION_USER:
	case KYMO_REGION_PHASE:
	case KYMO_REGION_PARAMETER:
		return USER;
	case KYMO_REGION_PTHREAD:
		return THREADS;
	case KYMO_REGION_IO:
		return IO;
	case KYMO_REGION_MPI:
		return MPI;
	default:
		return OTHER;
	}
}

void firefox_thread_init(struct firefox_thread *thread, const struct recording *recording)
{
	size_t size = ((size_t)recording->region_count + 1) * sizeof(*thread->region_frames);

	*thread = (struct firefox_thread){
		.recording = recording,
		.graph = {.has_lines = true, .has_qualnames = true},
		.region_frames = xmalloc(size),
	};
	memset(thread->region_frames, 0xff, size);
}

static uint32_t thread_frame_of(struct firefox_thread *thread, uint32_t region)
{
	uint32_t function;

	if (thread->region_frames[region] != FIREFOX_NONE)
		return thread->region_frames[region];
	function = call_graph_function(&thread->graph, &thread->recording->regions[region]);
	thread->frames = xgrow(thread->frames, &thread->frame_capacity, thread->frame_count + 1,
			       sizeof(*thread->frames));
	thread->frames[thread->frame_count] = (struct firefox_frame){region, function};
	thread->region_frames[region] = (uint32_t)thread->frame_count;
	return (uint32_t)thread->frame_count++;
}

uint32_t firefox_thread_stack(struct firefox_thread *thread, uint32_t prefix, uint32_t region)
{
	uint32_t frame = thread_frame_of(thread, region);
	uint64_t hash = hash_pair(prefix, frame);
	uint64_t known = hashset_find_key(&thread->stack_index, hash);

	if (known)
		return (uint32_t)known - 1;
	thread->stacks = xgrow(thread->stacks, &thread->stack_capacity, thread->stack_count + 1,
			       sizeof(*thread->stacks));
	xhashset_insert(&thread->stack_index, hash, thread->stack_count + 1);
	thread->stacks[thread->stack_count] = (struct firefox_stack){prefix, frame};
	return (uint32_t)thread->stack_count++;
}

void firefox_thread_sample(struct firefox_thread *thread, uint32_t stack, double time_ms,
			   double weight)
{
	thread->samples = xgrow(thread->samples, &thread->sample_capacity, thread->sample_count + 1,
				sizeof(*thread->samples));
	thread->samples[thread->sample_count++] = (struct firefox_sample){stack, time_ms, weight};
}

void firefox_thread_release(struct firefox_thread *thread)
{
	call_graph_release(&thread->graph);
	xfree(thread->region_frames);
	xfree(thread->frames);
	xfree(thread->stacks);
	xfree(thread->samples);
	hashset_release(&thread->stack_index);
	*thread = (struct firefox_thread){0};
}

struct strings { /* each once */
	const char **items;
	size_t count;
	struct hashset index;	 /* position + 1 */
	uint32_t *names, *files; /* by function; files: FIREFOX_NONE = unknown */
};

struct string_key {
	const struct strings *strings;
	const char *text;
};

static bool thread_string_match(uint64_t value, const void *data)
{
	const struct string_key *key = data;

	return strcmp(key->strings->items[value - 1], key->text) == 0;
}

static uint32_t strings_find(struct strings *strings, const char *text)
{
	uint64_t hash = hash_word(hash_bytes(HASH_SEED, text, strlen(text)));
	struct string_key key = {strings, text};
	uint64_t known = hashset_find(&strings->index, hash, thread_string_match, &key);

	if (!known) {
		strings->items[strings->count++] = text;
		known = strings->count;
		xhashset_insert(&strings->index, hash, known);
	}
	return (uint32_t)known - 1;
}

static void strings_release(struct strings *strings)
{
	xfree(strings->items);
	xfree(strings->names);
	xfree(strings->files);
	hashset_release(&strings->index);
}

static void strings_init(struct strings *strings, const struct call_graph *graph)
{
	size_t count = graph->function_count + 1;

	*strings = (struct strings){
		.items = xcalloc(2 * count, sizeof(*strings->items)),
		.names = xcalloc(count, sizeof(*strings->names)),
		.files = xcalloc(count, sizeof(*strings->files)),
	};
	for (size_t i = 0; i < graph->function_count; i++) {
		const struct graph_function *function = &graph->functions[i];

		strings->names[i] = strings_find(strings, function->name);
		strings->files[i] =
			function->file ? strings_find(strings, function->file) : FIREFOX_NONE;
	}
}

struct table_writer {
	struct export_sink *sink;
	const struct firefox_thread *thread;
	const struct strings *strings;
};

typedef void (*put_cell_fn)(const struct table_writer *writer, size_t row);

static void thread_put_column(const struct table_writer *writer, const char *name, size_t rows,
			      put_cell_fn put)
{
	sink_format(writer->sink, "\"%s\":[", name);
	for (size_t i = 0; i < rows && !sink_has_failed(writer->sink); i++) {
		if (i > 0)
			sink_byte(writer->sink, ',');
		put(writer, i);
	}
	sink_text(writer->sink, "],");
}

/* Columns, by names with a space after each, that are constant. */
static void put_constants(const struct table_writer *writer, const char *names, size_t rows,
			  const char *value)
{
	while (*names) {
		size_t length = strcspn(names, " ");

		sink_format(writer->sink, "\"%.*s\":[", (int)length, names);
		for (size_t i = 0; i < rows; i++) {
			if (i > 0)
				sink_byte(writer->sink, ',');
			sink_text(writer->sink, value);
		}
		sink_text(writer->sink, "],");
		names += length + (names[length] == ' ');
	}
}

static void put_index(struct export_sink *sink, uint32_t index)
{
	if (index == FIREFOX_NONE)
		sink_text(sink, "null");
	else
		sink_format(sink, "%" PRIu32, index);
}

static const struct region *region_of_frame(const struct table_writer *writer, size_t frame)
{
	return &writer->thread->recording->regions[writer->thread->frames[frame].region];
}

static void put_frame_function(const struct table_writer *writer, size_t row)
{
	put_index(writer->sink, writer->thread->frames[row].function);
}

static void put_frame_category(const struct table_writer *writer, size_t row)
{
	put_index(writer->sink, (uint32_t)thread_category_of(region_of_frame(writer, row)->kind));
}

static void put_frame_line(const struct table_writer *writer, size_t row)
{
	uint32_t line = region_of_frame(writer, row)->line;

	put_index(writer->sink, line ? line : FIREFOX_NONE);
}

static void put_function_name(const struct table_writer *writer, size_t row)
{
	put_index(writer->sink, writer->strings->names[row]);
}

static void put_function_file(const struct table_writer *writer, size_t row)
{
	put_index(writer->sink, writer->strings->files[row]);
}

static void put_function_line(const struct table_writer *writer, size_t row)
{
	uint32_t line = writer->thread->graph.functions[row].line;

	put_index(writer->sink, line ? line : FIREFOX_NONE);
}

static void put_stack_frame(const struct table_writer *writer, size_t row)
{
	put_index(writer->sink, writer->thread->stacks[row].frame);
}

static void put_stack_prefix(const struct table_writer *writer, size_t row)
{
	put_index(writer->sink, writer->thread->stacks[row].prefix);
}

static void put_stack_category(const struct table_writer *writer, size_t row)
{
	put_frame_category(writer, writer->thread->stacks[row].frame);
}

static void put_sample_stack(const struct table_writer *writer, size_t row)
{
	put_index(writer->sink, writer->thread->samples[row].stack);
}

static void put_sample_time(const struct table_writer *writer, size_t row)
{
	sink_format(writer->sink, "%.6f", writer->thread->samples[row].time_ms);
}

static void put_sample_weight(const struct table_writer *writer, size_t row)
{
	sink_format(writer->sink, writer->thread->has_events ? "%.0f" : "%.6f",
		    writer->thread->samples[row].weight);
}

static void put_string(const struct table_writer *writer, size_t row)
{
	sink_json(writer->sink, writer->strings->items[row]);
}

static void thread_put_samples(const struct table_writer *writer)
{
	size_t count = writer->thread->sample_count;

	sink_text(writer->sink, "\"samples\":{");
	thread_put_column(writer, "stack", count, put_sample_stack);
	thread_put_column(writer, "time", count, put_sample_time);
	thread_put_column(writer, "weight", count, put_sample_weight);
	sink_format(writer->sink, "\"weightType\":\"%s\",\"length\":%zu},\n",
		    writer->thread->has_events ? "samples" : "tracing-ms", count);
}

static void put_stacks(const struct table_writer *writer)
{
	size_t count = writer->thread->stack_count;

	sink_text(writer->sink, "\"stackTable\":{");
	thread_put_column(writer, "frame", count, put_stack_frame);
	thread_put_column(writer, "prefix", count, put_stack_prefix);
	thread_put_column(writer, "category", count, put_stack_category);
	put_constants(writer, "subcategory ", count, "0");
	sink_format(writer->sink, "\"length\":%zu},\n", count);
}

static void thread_put_frames(const struct table_writer *writer)
{
	size_t count = writer->thread->frame_count;

	sink_text(writer->sink, "\"frameTable\":{");
	thread_put_column(writer, "func", count, put_frame_function);
	thread_put_column(writer, "category", count, put_frame_category);
	thread_put_column(writer, "line", count, put_frame_line);
	put_constants(writer, "address ", count, "-1");
	put_constants(writer, "inlineDepth subcategory innerWindowID ", count, "0");
	put_constants(writer, "nativeSymbol implementation column ", count, "null");
	sink_format(writer->sink, "\"length\":%zu},\n", count);
}

static void thread_put_functions(const struct table_writer *writer)
{
	size_t count = writer->thread->graph.function_count;

	sink_text(writer->sink, "\"funcTable\":{");
	thread_put_column(writer, "name", count, put_function_name);
	thread_put_column(writer, "fileName", count, put_function_file);
	thread_put_column(writer, "lineNumber", count, put_function_line);
	put_constants(writer, "isJS relevantForJS ", count, "false");
	put_constants(writer, "resource ", count, "-1");
	put_constants(writer, "columnNumber ", count, "null");
	sink_format(writer->sink, "\"length\":%zu},\n", count);
}

/* Required in a profile, though empty. */
static void put_empty_tables(const struct table_writer *writer)
{
	sink_text(
		writer->sink,
		"\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],\"type\":[],\"length\":0},\n"
		"\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
		"\"functionSize\":[],\"length\":0},\n"
		"\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
		"\"phase\":[],\"category\":[],\"length\":0},\n");
}

void firefox_thread_write(const struct firefox_thread *thread, struct export_sink *sink)
{
	struct strings strings;
	struct table_writer writer = {sink, thread, &strings};

	strings_init(&strings, &thread->graph);
	thread_put_samples(&writer);
	put_stacks(&writer);
	thread_put_frames(&writer);
	thread_put_functions(&writer);
	put_empty_tables(&writer);
	thread_put_column(&writer, "stringArray", strings.count, put_string);
	sink_text(sink, "\"pausedRanges\":[]");
	strings_release(&strings);
}
