/* Tables of instrumented functions.  Ids are dense over all modules of a process, so that one
 * beyond what the file could hold is damage; that bounds all memory by the size of the file. */
#include "model/functions/functions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partitionpoint.h"
#include "model/code/locations.h"
#include "model/recording/chunks.h"
#include "patch/apply/patchabi.h"

#define TIMING_MAX (UINT64_C(1) << 20) /* ticks: more is damage */
#define UNNAMED	   "(function)"	       /* until its name is resolved */

/* First ids are multiples of 1024, and each table takes a chunk of at least a page. */
static uint64_t ids_limit(const struct recording *recording)
{
	return recording->size / sizeof(uint32_t) + 1024;
}

/* A table and its ranges; false: the chunk has none, or a part of one. */
static bool table_read(struct recording *recording, const struct chunk *chunk,
		       struct kymo_function_table *table)
{
	uint64_t capacity = chunk->bytes, limit = ids_limit(recording);

	if (capacity < sizeof(*table))
		return false;
	memcpy(table, recording->data + chunk->offset, sizeof(*table));
	capacity = (capacity - sizeof(*table)) / sizeof(struct kymo_function_range);
	if (table->count > capacity) {
		recording_add_problem(recording,
				      "functions at byte %" PRIu64 ": %" PRIu64 " of %u are there",
				      chunk->offset, capacity, table->count);
		table->count = (uint32_t)capacity;
	}
	if (table->first_id > limit ||
	    table->first_id + (uint64_t)table->count > PATCH_ID_MAX + 1) {
		recording_add_problem(recording,
				      "functions at byte %" PRIu64
				      ": first id %u is not possible; left out",
				      chunk->offset, table->first_id);
		return false;
	}
	return table->count > 0;
}

static void range_load(struct functions *functions, const struct kymo_function_table *table,
		       uint32_t index, const struct kymo_function_range *range)
{
	struct function *function = &functions->items[table->first_id + index];

	/* The same module again: its records cannot be distinguished, its names are the same. */
	if (function->address) {
		function->flags |= range->size_flags & KYMO_FUNCTION_UNPATCHED;
		if ((range->size_flags & KYMO_FUNCTION_NO_EXIT) &&
		    (function->flags & KYMO_FUNCTION_CALL_THROUGH) &&
		    table->ticks < functions->call_through_until)
			functions->call_through_until = table->ticks;
		return;
	}
	*function = (struct function){
		.address = table->start + range->offset,
		.size = range->size_flags & KYMO_FUNCTION_SIZE_MASK,
		.flags = range->size_flags & ~KYMO_FUNCTION_SIZE_MASK,
	};
	functions->known_count += function->address != 0;
}

/* False: out of memory. */
static bool table_load(struct recording *recording, struct functions *functions,
		       const struct chunk *chunk)
{
	struct kymo_function_table table;
	const unsigned char *ranges = recording->data + chunk->offset + sizeof(table);
	uint64_t before;

	if (!table_read(recording, chunk, &table))
		return true;
	functions->has_counts |= table.cost == PATCH_COST_COUNTS;
	functions->has_records |= table.cost != PATCH_COST_COUNTS;
	functions->has_coarse |= table.cost == PATCH_COST_COARSE;
	if (table.cost_ps > functions->cost_ps) {
		functions->cost_ps = table.cost_ps;
		functions->inside_ps = table.cost == PATCH_COST_COUNTS ? 0 : table.inside_ps;
	}
	if (table.timing_ticks > functions->timing_ticks && table.timing_ticks <= TIMING_MAX)
		functions->timing_ticks = table.timing_ticks;
	for (uint32_t i = 0; i < table.count; i++) {
		struct kymo_function_range range;

		memcpy(&range, ranges + (size_t)i * sizeof(range), sizeof(range));
		range_load(functions, &table, i, &range);
	}
	before = sizeof(table) + (uint64_t)table.count * sizeof(struct kymo_function_range);
	return functions_code_add(&functions->code, &table,
				  recording->data + chunk->offset + before, chunk->bytes - before);
}

static uint32_t largest_count(struct recording *recording, const struct chunk *chunks, size_t count)
{
	uint32_t largest = 0;

	for (size_t i = 0; i < count; i++) {
		struct kymo_function_table table;
		size_t complaints = recording->problem_count;

		if (table_read(recording, &chunks[i], &table) &&
		    table.first_id + table.count > largest)
			largest = table.first_id + table.count;
		/* Errors are reported when the table is loaded. */
		while (recording->problem_count > complaints)
			free(recording->problems[--recording->problem_count]);
	}
	return largest;
}

static int compare_addresses(const void *left, const void *right, void *context)
{
	const struct function *items = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (items[a].address != items[b].address)
		return items[a].address < items[b].address ? -1 : 1;
	return a < b ? -1 : a > b;
}

static enum kymo_status functions_finish(struct recording *recording, struct functions *functions)
{
	static const struct region unnamed = {.kind = KYMO_REGION_NATIVE, .name = UNNAMED};
	uint32_t known = 0;

	functions->by_address = malloc(((size_t)functions->known_count + 1) * sizeof(uint32_t));
	if (!functions->by_address)
		return KYMO_MEMORY;
	functions->first_region = recording->region_count;
	for (uint32_t id = 0; id < functions->count; id++) {
		struct function *function = &functions->items[id];

		if (!function->address)
			continue;
		if (!(function->flags & KYMO_FUNCTION_LOOP))
			functions->by_address[known++] = id;
		if (!(function->flags & KYMO_FUNCTION_TAKEN))
			continue;
		function->region = recording_add_region(recording, &unnamed);
		if (!function->region)
			return KYMO_MEMORY;
		functions->taken_count++;
	}
	functions->known_count = known;
	qsort_r(functions->by_address, known, sizeof(uint32_t), compare_addresses,
		functions->items);
	return KYMO_OK;
}

enum kymo_status functions_load(struct recording *recording)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, KYMO_CHUNK_FUNCTIONS, &count);
	uint32_t largest = largest_count(recording, chunks, count);
	struct functions *functions;

	if (!largest)
		return KYMO_OK;
	functions = calloc(1, sizeof(*functions));
	recording->functions = functions;
	if (!functions)
		return KYMO_MEMORY;
	functions->count = largest;
	functions->call_through_until = UINT64_MAX;
	functions->items = calloc(largest, sizeof(*functions->items));
	if (!functions->items)
		return KYMO_MEMORY;
	for (size_t i = 0; i < count; i++)
		if (!table_load(recording, functions, &chunks[i]))
			return KYMO_MEMORY;
	functions_code_sort(&functions->code);
	return functions_finish(recording, functions);
}

void functions_free(struct functions *functions)
{
	if (!functions)
		return;
	functions_code_release(&functions->code);
	locations_free(functions->locations);
	lines_free(functions->loop_names, functions->loop_name_count);
	free(functions->by_address);
	free(functions->items);
	free(functions);
}

uint32_t functions_at(const struct functions *functions, uint64_t address)
{
	uint32_t low = (uint32_t)partition_point(
		functions->known_count, i,
		functions->items[functions->by_address[i]].address <= address);
	const struct function *function;

	if (low == 0)
		return FUNCTION_NONE;
	function = &functions->items[functions->by_address[low - 1]];
	return address - function->address < function->size ? functions->by_address[low - 1]
							    : FUNCTION_NONE;
}

/* A loop is located at its first instruction, which may come from an inlined function.  inner: the
 * innermost of these; region has its function's name. */
static void name_loop(struct functions *functions, const struct function *loop,
		      struct region *region, const struct location *inner)
{
	const uint32_t id = functions_at(functions, loop->address);
	const uint64_t start = id == FUNCTION_NONE ? loop->address : functions->items[id].address;
	bool is_added;

	if (inner->line)
		is_added = lines_add(&functions->loop_names, &functions->loop_name_count,
				     "%s, loop at line %u", region->name, inner->line);
	else
		is_added =
			lines_add(&functions->loop_names, &functions->loop_name_count,
				  "%s, loop at +0x%" PRIx64, region->name, loop->address - start);
	if (is_added)
		region->name = functions->loop_names[functions->loop_name_count - 1];
	region->file = inner->file;
	region->line = inner->line;
}

void functions_name(const struct recording *recording, uint32_t id)
{
	static const struct locations_options options = {.has_lines = true};
	struct functions *functions = recording->functions;
	struct function *function = &functions->items[id];
	struct region *region = &recording->regions[function->region];
	const struct module *module;
	const struct location *found;
	size_t count;

	function->is_named = true;
	if (!functions->locations)
		functions->locations = locations_new(recording, &options);
	if (!functions->locations)
		return;
	count = locations_find(functions->locations, function->address, &found, &module);
	region->name = found[count - 1].function;
	region->file = found[count - 1].file;
	region->line = found[count - 1].first_line;
	region->module = module ? module->name : NULL;
	if (function->flags & KYMO_FUNCTION_LOOP)
		name_loop(functions, function, region, found);
}
