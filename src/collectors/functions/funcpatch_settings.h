/* Settings of the collector of functions.  Written at init, read by all. */
#ifndef KYMO_FUNCPATCH_SETTINGS_H
#define KYMO_FUNCPATCH_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "patch/apply/patchabi.h"

struct funcpatch_settings {
	enum patch_cost cost;
	bool has_scope; /* libraries may be recorded, too: the choices determine which functions */
	bool has_calls; /* bodies may be called by their trampolines */
	bool is_serialized; /* COARSE, FULL: PLAN_VARIANT_SERIALIZED */
	bool has_loops;	    /* COARSE, FULL: functions' loops are recorded, too */
	uint32_t budget;    /* what recording may cost, millionths of a percent; 0 = no limit */
	const char *key; /* of the choices; "" = all functions of the program, none of libraries */
	const char *api; /* LIB:REGEX …: the calls into these libraries; "" = none */
	bool has_functions;		      /* false: only the calls into libraries */
	bool has_later;			      /* libraries that are loaded later are included */
	const char *cache_home, *home, *tool; /* NULL = not set */
	char *const *environment;
};
extern struct funcpatch_settings funcpatch_settings;

/* From the environment passed by the loader.  False: there is nothing to do. */
bool funcpatch_settings_read(char *const *environment);
/* The value of NAME in it; NULL = not set. */
const char *funcpatch_environment(char *const *environment, const char *name);

#endif
