/* The functions that were instrumented in a process: what the ids in its records refer to.
 *
 * Read and checked when the recording is opened.  Each instrumented function has a region of its
 * own, whose name, file and line are resolved lazily, since most functions of a program are never
 * called.  Not thread-safe. */
#ifndef KYMO_FUNCTIONS_H
#define KYMO_FUNCTIONS_H

#include "model/code/functions_code.h"
#include "model/recording/recording.h"

#define FUNCTION_NONE UINT32_MAX

struct locations;

struct function {	  /* index = id; size_flags 0 and region 0: in no table */
	uint64_t address; /* in the process */
	uint32_t size;
	uint32_t flags;	 /* KYMO_FUNCTION_* */
	uint32_t region; /* 0 = none: it was not instrumented */
	bool is_named;
};

struct functions { /* of one recording, which owns it */
	struct function *items;
	uint32_t count; /* ids are below it */
	uint32_t taken_count;
	uint32_t first_region;	      /* of the instrumented ones, which are consecutive */
	uint64_t cost_ps;	      /* overhead of a call, calibrated; 0 = not known */
	uint64_t inside_ps;	      /* of it, between the call's readings of the clock */
	bool has_counts, has_records; /* by the costs of their tables */
	bool has_coarse;	      /* likewise, of has_records */
	uint64_t timing_ticks;	      /* of a timed call; 0 = not known */
	uint64_t call_through_until;  /* calls with CALL_THROUGH have exits up to then; UINT64_MAX =
					 always */
	uint32_t *by_address;	      /* known ids, for functions_at() */
	uint32_t known_count;
	struct functions_code code;  /* code that records their calls */
	struct locations *locations; /* NULL until the first name is resolved */
	char **loop_names;	     /* of the loops resolved so far */
	size_t loop_name_count;
};

/* Read the tables of a recording and add the regions.  KYMO_OK, also if there are none
 * (recording->functions stays NULL), or KYMO_MEMORY. */
enum kymo_status functions_load(struct recording *recording);
void functions_free(struct functions *functions);

/* Whether the end of a call with these KYMO_FUNCTION_* that begins then is recorded. */
static inline bool functions_has_end(const struct functions *functions, uint32_t flags,
				     uint64_t ticks)
{
	return !(flags & KYMO_FUNCTION_NO_EXIT) &&
	       (!(flags & KYMO_FUNCTION_CALL_THROUGH) || ticks < functions->call_through_until);
}

/* The region is one of a function's. */
static inline bool functions_has_region(const struct functions *functions, uint32_t region)
{
	return functions && region - functions->first_region < functions->taken_count;
}

/* The id of the function that covers an address; FUNCTION_NONE. */
uint32_t functions_at(const struct functions *functions, uint64_t address);

/* Resolve the name of the function's region: from symbols and debug information of the file as it
 * is now, else "module+0x1234". */
void functions_name(const struct recording *recording, uint32_t id);

/* The region of an id from a record, named; 0 = not in this recording. */
static inline uint32_t functions_region(const struct recording *recording, uint32_t id)
{
	const struct functions *functions = recording->functions;

	if (!functions || id >= functions->count || !functions->items[id].region)
		return 0;
	if (!functions->items[id].is_named)
		functions_name(recording, id);
	return functions->items[id].region;
}

#endif
