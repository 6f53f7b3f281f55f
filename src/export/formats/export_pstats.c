/* The pstats exporter: the file format of cProfile, one marshalled dictionary {(file, line, name):
 * (cc, nc, tt, ct, {caller: (nc, cc, tt, ct)})}.  The first two numbers of a caller are swapped, as
 * by cProfile's own create_stats(). */
#include "export/export.h"

#include "command/xalloc.h"
#include "export/export_source.h"
#include "export/formats/marshal.h"
#include "export/formats/pstats_table.h"
#include "model/tree/flat.h"

#define NS_PER_SECOND 1e9

static void put_key(struct export_sink *sink, const struct pstats_function *function)
{
	marshal_tuple(sink, 3);
	marshal_text(sink, function->file);
	marshal_integer(sink, function->line);
	marshal_text(sink, function->name);
}

static void put_numbers(struct export_sink *sink, uint64_t first, uint64_t second, double self_ns,
			double total_ns)
{
	marshal_integer(sink, (int64_t)first);
	marshal_integer(sink, (int64_t)second);
	marshal_float(sink, self_ns / NS_PER_SECOND);
	marshal_float(sink, total_ns / NS_PER_SECOND);
}

/* first: index of the function's calls; returns that of the next function's. */
static size_t pstats_put_function(struct export_sink *sink, const struct pstats_table *table,
				  uint32_t position, size_t first)
{
	const struct pstats_function *function = &table->functions[position];
	size_t i = first;

	put_key(sink, function);
	marshal_tuple(sink, 5);
	put_numbers(sink, function->primitive_count, function->count, function->self_ns,
		    function->total_ns);
	marshal_dict_begin(sink);
	for (; i < table->call_count && table->calls[i].callee == position; i++) {
		const struct pstats_call *call = &table->calls[i];

		put_key(sink, &table->functions[call->caller]);
		marshal_tuple(sink, 4);
		put_numbers(sink, call->count, call->primitive_count, call->self_ns,
			    call->total_ns);
	}
	marshal_dict_end(sink);
	return i;
}

static void put_table(struct export_sink *sink, struct pstats_table *table)
{
	size_t next_call = 0;

	pstats_table_sort(table);
	marshal_dict_begin(sink);
	for (uint32_t i = 0; i < table->function_count; i++)
		next_call = pstats_put_function(sink, table, i, next_call);
	marshal_dict_end(sink);
}

static enum kymo_status pstats_add_recording(struct pstats_table *table,
					     const struct export_selection *selection,
					     const struct recording_samples *samples, size_t index,
					     struct problem *problem)
{
	const struct recording *recording = selection->run->recordings[index];
	struct calltree *tree;
	struct flat *flat;
	bool *threads;
	enum kymo_status status = samples_or_calls_tree_new(samples, &tree, problem);

	if (status < 0)
		return status;
	threads = xcalloc((size_t)recording->thread_count + 1, sizeof(*threads));
	for (uint32_t i = 0; i < recording->thread_count; i++)
		threads[i] = selection_has_thread(selection, index, i);
	status = flat_new(tree, threads, &flat);
	if (status == KYMO_OK) {
		pstats_table_add(table, recording, flat, selection_regions(selection, index));
		flat_free(flat);
	}
	calltree_free(tree);
	xfree(threads);
	return status;
}

static enum kymo_status pstats_put_run(struct export_sink *sink,
				       const struct export_selection *selection,
				       const struct run_samples *samples, struct problem *problem)
{
	struct pstats_table table = {0};
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; i < samples->count && status == KYMO_OK; i++) {
		if (selection_has_recording(selection, i))
			status = pstats_add_recording(&table, selection, &samples->items[i], i,
						      problem);
	}
	if (status == KYMO_OK)
		put_table(sink, &table);
	pstats_table_release(&table);
	return status;
}

static enum kymo_status pstats_write(const struct export_source *source,
				     const struct export_options *options, struct export_sink *sink,
				     struct problem *problem)
{
	(void)options;
	return pstats_put_run(sink, &source->selection, &source->samples, problem);
}

const struct exporter pstats_exporter = {
	.name = "pstats",
	.extension = "prof",
	.description = "function table as cProfile writes it, for pstats, snakeviz and gprof2dot",
	.is_binary = true,
	.write = pstats_write,
};
