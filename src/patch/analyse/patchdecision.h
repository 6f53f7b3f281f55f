/* How the functions of one file are recorded, while that is decided: the state that the steps of
 * the decision share.  Each step has a header of its own.
 *
 * Two threads decide about one half of the functions each, with a decision of their own
 * (patchdecide.c). The arrays belong to the decision until patchdecision_end(). */
#ifndef KYMO_PATCHDECISION_H
#define KYMO_PATCHDECISION_H

#include "patch/analyse/file/patchmodule.h"

#define PATCH_JUMP_BYTES  5u /* length of the jump that is written */
#define PATCH_SHORT_BYTES 2u
#define PATCH_NO_FUNCTION UINT32_MAX

struct patch_hooks { /* hooks of compilers in a file: x86_64/patchhooks.h */
	bool has_any;
	bool is_gprof;		   /* all of mcount and __fentry__ belong to the C library */
	bool is_called_by_address; /* __cyg_profile_func_enter is imported */
};

/* Whether a function, or one that it jumps to, reads its return address: x86_64/return_use.h */
enum return_address_use {
	RETURN_ADDRESS_UNKNOWN,
	RETURN_ADDRESS_PENDING,
	RETURN_ADDRESS_UNUSED,
	RETURN_ADDRESS_USED
};

struct patch_decision {
	struct patch_module *module;
	/* By function: of a part, its owner; PATCH_NO_FUNCTION = none, or several. */
	uint32_t *owners;
	uint32_t *first_fragments, *next_fragments; /* of a function: its parts, as a list */
	uint8_t *return_uses;			    /* by function: enum return_address_use */
	struct patch_exit *exits;		    /* becomes module.exits */
	size_t exit_count, exit_capacity;
	struct patch_hooks hooks;
	bool is_short_of_memory;
};

/* False: out of memory; _end() in any case. */
bool patchdecision_begin(struct patch_decision *decision, struct patch_module *module);
void patchdecision_end(struct patch_decision *decision);

/* Another thread may be deciding about the function: parts and stubs remain what they are. */
static inline enum plan_reason patchdecision_reason(const struct patch_function *function)
{
	return __atomic_load_n(&function->reason, __ATOMIC_RELAXED);
}

static inline uint32_t patchdecision_index(const struct patch_module *module,
					   const struct patch_function *function)
{
	return (uint32_t)(function - module->functions);
}

/* The function itself, or the owner of a part; PATCH_NO_FUNCTION = not known.  After all
 * decisions. */
static inline uint32_t patchdecision_root(const struct patch_module *module, uint32_t function)
{
	if (module->functions[function].reason != PLAN_PART)
		return function;
	return module->owners ? module->owners[function] : PATCH_NO_FUNCTION;
}

#endif
