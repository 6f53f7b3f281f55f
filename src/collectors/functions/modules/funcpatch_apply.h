/* From modules that were found to modules that are instrumented. */
#ifndef KYMO_FUNCPATCH_APPLY_H
#define KYMO_FUNCPATCH_APPLY_H

#include "collectors/functions/funcpatch.h"

#include "collectors/functions/modules/funcpatch_module.h"

struct funcpatch_found {
	char path[FUNCPATCH_PATH_MAX];
	uint64_t path_hash;
	uint8_t build_id[PLAN_BUILD_ID_MAX];
	uint32_t build_id_size;
	bool is_program;
	bool is_missing; /* its plan is to be made */
	uint64_t start, end, bias;
	uint64_t last_segment, last_size; /* 0 = it was not looked at */
	/* Where the command writes what the cache cannot take; 0 = none.  Never a standard stream.
	 */
	int plan_hand, choice_hand;
	const char *api; /* its exported functions that match this; NULL = all its functions */
};

/* Instrument these modules; plans that are missing are made first. */
void funcpatch_apply(struct funcpatch_found *found, size_t count);

/* A place in the table for a module with so many functions: one it had before, or a new one.
 * NULL: there is none. */
struct funcpatch_module *funcpatch_module_place(const struct funcpatch_found *found, uint32_t count,
						bool *is_new_out);
/* It is complete. */
void funcpatch_module_add(struct funcpatch_module *module, bool is_new);

/* Take plan and choice from the cache; the plan's descriptor, or -1 when there is none that
 * fits.  Context: init, or the loader's hook. */
int funcpatch_plan_load(const struct funcpatch_found *found, struct funcpatch_module *out);
#define FUNCPATCH_MAKE_MAX 32u /* modules at a time */
/* Have the command make the plans that are missing, of at most FUNCPATCH_MAKE_MAX modules.  False:
 * it could not. */
bool funcpatch_plans_make(const struct funcpatch_found *found, size_t count);
/* Give those that are missing their hands, as many as there are descriptors for; and take them
 * back. */
void funcpatch_hands_open(struct funcpatch_found *found, size_t count);
void funcpatch_hands_close(struct funcpatch_found *found, size_t count);

#endif
