/* A module of the process that was found and is not instrumented yet.  Plain memory of whoever
 * looks; context: any. */
#ifndef KYMO_FUNCPATCH_FOUND_H
#define KYMO_FUNCPATCH_FOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "patch/plan/plan_file.h"

struct modulescan_found;

#define FUNCPATCH_PATH_MAX 4096u

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

/* Keep where a module lies, under a hash of what is asked of it; its path fits. */
void funcpatch_keep_found(struct funcpatch_found *found, const struct modulescan_found *module,
			  uint64_t hash);
/* True of Kymo's own libraries and of the loader. */
bool funcpatch_is_ours(const char *path);

#endif
