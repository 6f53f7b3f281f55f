/* The functions of a run in pstats' form, keyed by (file, line, name), with their callers: the flat
 * profiles of all recordings added up.
 *
 * The table owns its names; files and lines are borrowed from the recordings, which must outlive
 * it.  One thread at a time. */
#ifndef KYMO_PSTATS_TABLE_H
#define KYMO_PSTATS_TABLE_H

#include "base/hashset.h"
#include "model/tree/calltree.h"

struct pstats_function {
	const char *file; /* "~" if unknown */
	uint32_t line;
	char *name; /* "fib", "<built-in method builtins.len>" */
	uint64_t count, primitive_count;
	double self_ns, total_ns;
};

struct pstats_call { /* of callee by caller; indexes into functions */
	uint32_t callee, caller;
	uint64_t count, primitive_count;
	double self_ns, total_ns;
};

struct pstats_table {
	struct pstats_function *functions;
	size_t function_count, function_capacity;
	struct pstats_call *calls; /* sorted by callee after pstats_table_sort() */
	size_t call_count, call_capacity;
	struct hashset index; /* of functions by key, index + 1 */
};

/* Its name in cProfile; in the memory of the work (command/xalloc). */
char *pstats_function_name(const struct region *region);

/* Add a recording's flat profile; regions: selected ones, NULL = all. */
void pstats_table_add(struct pstats_table *table, const struct recording *recording,
		      const struct flat *flat, const bool *regions);
/* Sort the calls by callee, then caller, and add up those of the same two. */
void pstats_table_sort(struct pstats_table *table);
void pstats_table_release(struct pstats_table *table);

#endif
