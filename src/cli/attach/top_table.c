/* Shares of the interval and of the total time, as fractions of the samples. */
#include "cli/attach/top_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/basename.h"
#include "base/text/plaintext.h"
#include "text/cells.h"

#define NAME_COLUMN 38 /* where names begin */

struct row {
	const struct framecount *function;
	uint64_t key, second;
};

static int table_compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? 1 : -1;
	if (a->second != b->second)
		return a->second < b->second ? 1 : -1;
	return strcmp(a->function->function, b->function->function);
}

static struct row table_row_of(const struct framecount *function, enum top_order order)
{
	const uint64_t keys[] = {
		[TOP_SELF_NOW] = function->self_now,
		[TOP_TOTAL_NOW] = function->total_now,
		[TOP_SELF] = function->self,
		[TOP_TOTAL] = function->total,
	};

	return (struct row){function, keys[order], function->total};
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_head(const struct top_view *view, const struct watch *watch,
		       const struct framecounts *counts, FILE *out)
{
	const uint64_t observations = counts->observations_now ? counts->observations_now : 1;

	plaintext_print(out, "process %d  %s", (int)watch->target.pid, watch->target.name);
	if (watch->has_python)
		fprintf(out, "  Python %u.%u", watch->python.version >> 8,
			watch->python.version & 0xffu);
	fprintf(out, "\nGIL held %.0f %% (%.0f %% in all), waited for by %.1f threads\n",
		percent(counts->gil_held_now, counts->observations_now),
		percent(counts->gil_held, counts->observations),
		(double)counts->gil_waits_now / (double)observations);
	fprintf(out, "threads %zu, active %.1f  samples %llu at %.0f Hz, lost %llu\n\n",
		watch->count, (double)counts->active_now / (double)observations,
		(unsigned long long)counts->samples, view->rate, (unsigned long long)counts->lost);
}

static void table_print_row(const struct top_view *view, const struct framecounts *counts,
			    const struct framecount *function, FILE *out)
{
	int room = view->width > NAME_COLUMN + 10 ? (int)view->width - NAME_COLUMN : 40;
	char raw[512], name[512];

	if (function->file && function->line)
		snprintf(raw, sizeof(raw), "%s (%s:%u)", function->function,
			 path_base_name(function->file), function->line);
	else
		snprintf(raw, sizeof(raw), "%s", function->function);
	plaintext_clean(raw, name, sizeof(name));
	fprintf(out, "%7.1f %8.1f %9.1f %9.1f  %.*s\n",
		percent(function->self_now, counts->samples_now),
		percent(function->total_now, counts->samples_now),
		percent(function->self, counts->samples), percent(function->total, counts->samples),
		(int)cells_cut(name, (size_t)room), name);
}

void top_table(const struct top_view *view, const struct watch *watch,
	       const struct framecounts *counts, FILE *out)
{
	struct row *rows = malloc((counts->count + 1) * sizeof(*rows));
	size_t shown = 0;

	print_head(view, watch, counts, out);
	fprintf(out, "%7s %8s %9s %9s  %s\n", "% SELF", "% TOTAL", "ALL SELF", "ALL TOTAL",
		"FUNCTION");
	for (size_t i = 0; rows && i < counts->count; i++)
		rows[i] = table_row_of(&counts->functions[i], view->order);
	if (rows)
		qsort(rows, counts->count, sizeof(*rows), table_compare);
	for (size_t i = 0; rows && i < counts->count && shown < view->rows; i++, shown++)
		table_print_row(view, counts, rows[i].function, out);
	free(rows);
}
