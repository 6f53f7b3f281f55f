/* The functions of a run under cProfile's names for them, so that profiles of both can be compared
 * and added.  Names of built-ins follow CPython's Modules/_lsprof.c. */
#include "export/formats/pstats_table.h"

#include <stdlib.h>
#include <string.h>

#include "command/xalloc.h"

#define NO_FUNCTION UINT32_MAX

/* Arguments are part of the name if labels have them: calls with different ones are different rows
 * of every report. */
char *pstats_function_name(const struct region *region)
{
	const char *arguments = region->arguments ? region->arguments : "";

	switch (region->kind) {
	case KYMO_REGION_PYTHON_C:
		return region->module
			       ? xasprintf("<built-in method %s.%s>", region->module, region->name)
			       : xasprintf("<built-in method %s>", region->name);
	case KYMO_REGION_PYTHON_METHOD:
		return xasprintf("<method '%s' of '%s' objects>", region->name,
				 region->module ? region->module : "object");
	default:
		return xasprintf("%s%s", region->name, arguments);
	}
}

static const char *function_file(const struct region *region)
{
	if (region->kind == KYMO_REGION_PYTHON_C || region->kind == KYMO_REGION_PYTHON_METHOD ||
	    !region->file)
		return "~";
	return region->file;
}

static uint64_t function_hash(const struct pstats_function *function)
{
	uint64_t hash = hash_bytes(HASH_SEED, function->file, strlen(function->file));

	hash = hash_bytes(hash, &function->line, sizeof(function->line));
	return hash_word(hash_bytes(hash, function->name, strlen(function->name)));
}

struct function_key {
	const struct pstats_table *table;
	const struct pstats_function *function;
};

static bool table_function_match(uint64_t value, const void *data)
{
	const struct function_key *key = data;
	const struct pstats_function *a = &key->table->functions[value - 1], *b = key->function;

	return a->line == b->line && strcmp(a->name, b->name) == 0 && strcmp(a->file, b->file) == 0;
}

/* Append; takes the name. */
static uint32_t table_function_append(struct pstats_table *table,
				      const struct pstats_function *function, uint64_t hash)
{
	table->functions = xgrow(table->functions, &table->function_capacity,
				 table->function_count + 1, sizeof(*table->functions));
	xhashset_insert(&table->index, hash, table->function_count + 1);
	table->functions[table->function_count] = *function;
	return (uint32_t)table->function_count++;
}

/* The function's index, found or added. */
static uint32_t table_function_get(struct pstats_table *table, const struct region *region)
{
	struct pstats_function wanted = {.file = function_file(region),
					 .name = pstats_function_name(region)};
	struct function_key key = {.table = table, .function = &wanted};
	uint64_t hash, found;

	wanted.line = strcmp(wanted.file, "~") == 0 ? 0 : region->line;
	hash = function_hash(&wanted);
	found = hashset_find(&table->index, hash, table_function_match, &key);
	if (!found)
		return table_function_append(table, &wanted, hash);
	xfree(wanted.name);
	return (uint32_t)found - 1;
}

static void table_add_row(struct pstats_function *function, const struct flat_row *row)
{
	function->count += row->count;
	function->primitive_count += row->primitive_count;
	function->self_ns += row->self_ns;
	function->total_ns += row->total_ns;
}

static void add_call(struct pstats_table *table, const struct flat_edge *edge, uint32_t caller,
		     uint32_t callee)
{
	table->calls = xgrow(table->calls, &table->call_capacity, table->call_count + 1,
			     sizeof(*table->calls));
	table->calls[table->call_count++] = (struct pstats_call){
		.callee = callee,
		.caller = caller,
		.count = edge->count,
		.primitive_count = edge->primitive_count,
		.self_ns = edge->self_ns,
		.total_ns = edge->total_ns,
	};
}

/* positions: per region, of the functions of this recording. */
static void table_add_flat(struct pstats_table *table, const struct recording *recording,
			   const struct flat *flat, const bool *regions, uint32_t *positions)
{
	for (uint32_t i = 0; i < flat->row_count; i++) {
		uint32_t region = flat->rows[i].region;

		if (regions && !regions[region])
			continue;
		positions[region] = table_function_get(table, &recording->regions[region]);
		table_add_row(&table->functions[positions[region]], &flat->rows[i]);
	}
	for (uint32_t i = 0; i < flat->edge_count; i++) {
		const struct flat_edge *edge = &flat->edges[i];

		if (positions[edge->caller] != NO_FUNCTION &&
		    positions[edge->callee] != NO_FUNCTION)
			add_call(table, edge, positions[edge->caller], positions[edge->callee]);
	}
}

void pstats_table_add(struct pstats_table *table, const struct recording *recording,
		      const struct flat *flat, const bool *regions)
{
	size_t size = ((size_t)recording->region_count + 1) * sizeof(uint32_t);
	uint32_t *positions = xmalloc(size);

	memset(positions, 0xff, size);
	table_add_flat(table, recording, flat, regions, positions);
	xfree(positions);
}

static int table_compare_calls(const void *left, const void *right)
{
	const struct pstats_call *a = left, *b = right;

	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return a->caller < b->caller ? -1 : a->caller > b->caller;
}

void pstats_table_sort(struct pstats_table *table)
{
	size_t kept = 0;

	if (table->call_count == 0)
		return;
	qsort(table->calls, table->call_count, sizeof(*table->calls), table_compare_calls);
	for (size_t i = 1; i < table->call_count; i++) {
		struct pstats_call *last = &table->calls[kept], *call = &table->calls[i];

		if (table_compare_calls(last, call) != 0) {
			table->calls[++kept] = *call;
			continue;
		}
		last->count += call->count;
		last->primitive_count += call->primitive_count;
		last->self_ns += call->self_ns;
		last->total_ns += call->total_ns;
	}
	table->call_count = kept + 1;
}

void pstats_table_release(struct pstats_table *table)
{
	for (size_t i = 0; i < table->function_count; i++)
		xfree(table->functions[i].name);
	xfree(table->functions);
	xfree(table->calls);
	hashset_release(&table->index);
	*table = (struct pstats_table){0};
}
