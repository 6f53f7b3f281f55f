/* A module of the process that was found and is not instrumented yet.  Memory of the caller;
 * context: any. */
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
	bool is_missing; /* its plan has to be made */
	uint64_t start, end, bias;
	uint64_t last_segment, last_size; /* 0 = not read */
	/* Files that the command writes to if the cache cannot be used; 0 = none.  Never a
	 * standard stream. */
	int plan_memfile, choice_memfile;
	const char *api; /* its exported functions that match this; NULL = all its functions */
};

/* Store where a module is mapped, with a hash of the request for it; its path fits. */
void funcpatch_keep_found(struct funcpatch_found *found, const struct modulescan_found *module,
			  uint64_t hash);
/* True for Kymo's own libraries and the loader. */
bool funcpatch_is_kymo(const char *path);

#endif
