/* A plan while it is made: what each step (planmake.c) passes on to later ones.  Only for
 * planmake.c and the files that implement its steps.  Memory belongs to the maker, and is released
 * at the end of plan_make(). */
#ifndef KYMO_PLANMAKER_H
#define KYMO_PLANMAKER_H

#include "patch/analyse/patchloops.h"
#include "patch/plan/frames/planframes.h"
#include "patch/plan/planblob.h"
#include "patch/plan/planemission.h"
#include "patch/plan/planmake_options.h"
#include "patch/plan/plansymbols.h"
#include "patch/plan/planthrottle.h"

struct plan_maker { /* one plan, while it is made */
	struct patch_module *module;
	const struct planmake_options *options;
	struct problem *problem;
	struct plan_blob blob;
	struct plan_emission emission;
	struct plan_addresses addresses;
	struct plan_function *functions; /* of the file, then the loops */
	size_t function_count;
	struct patch_loops loops;
	struct plan_write *writes;
	size_t write_count, write_capacity;
	uint8_t *claimed; /* a bit for each byte of the text: it is written */
	uint32_t *fixups;
	struct plan_owner *owners;
	size_t fixup_count;
	struct plan_stretch names;
	struct plan_frames frames;
	struct plan_symbols symbols;
	struct plan_header header;
	struct plan_throttle throttle;
};

static inline enum kymo_status planmaker_no_memory(struct plan_maker *maker)
{
	return problem_set(maker->problem, KYMO_MEMORY, "out of memory for the plan of '%s'",
			   maker->module->path);
}

static inline uint64_t planmaker_round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

#endif
