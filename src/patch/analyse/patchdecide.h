/* Between the steps of deciding how each function is recorded. */
#ifndef KYMO_PATCHDECIDE_H
#define KYMO_PATCHDECIDE_H

#include "patch/analyse/patchsweep.h"
#include "patch/decode/x86_64/patchcode.h"

#define PATCH_JUMP_BYTES  5u /* of the jump that is written */
#define PATCH_SHORT_BYTES 2u
#define PATCH_NO_FUNCTION UINT32_MAX

struct patch_hooks { /* of compilers, in a file: x86_64/patchhooks.c */
	bool has_any;
	bool is_gprof;		   /* all of mcount and __fentry__ are the C library's */
	bool is_called_by_address; /* __cyg_profile_func_enter comes from elsewhere */
};

struct patch_decision {
	struct patch_module *module;
	/* By function: of a part, whose it is; PATCH_NO_FUNCTION = nobody's, or of several. */
	uint32_t *owners;
	uint32_t *first_parts, *next_parts; /* of a function: its parts, as a list */
	uint8_t *return_uses;		    /* by function: enum return_address_use */
	struct patch_exit *exits;	    /* module.exits, in the end */
	size_t exit_count, exit_capacity;
	struct patch_hooks hooks;
	bool is_short_of_memory;
};

/* Another thread may just decide about the function: what is a part or a stub stays one. */
static inline enum plan_reason patchdecide_reason(const struct patch_function *function)
{
	return __atomic_load_n(&function->reason, __ATOMIC_RELAXED);
}

static inline uint32_t patchdecide_index(const struct patch_module *module,
					 const struct patch_function *function)
{
	return (uint32_t)(function - module->functions);
}

/* The function itself, or whose part it is; PATCH_NO_FUNCTION = not known.  After patchdecide(). */
static inline uint32_t patchdecide_root(const struct patch_module *module, uint32_t function)
{
	if (module->functions[function].reason != PLAN_PART)
		return function;
	return module->owners ? module->owners[function] : PATCH_NO_FUNCTION;
}

/* Decode the instruction at address; false: none there. */
bool patchdecide_code(const struct patch_module *module, uint64_t address, struct patch_code *out);
/* The instruction in front of address, not before floor; 0 = none is known. */
uint64_t patchdecide_before(const struct patch_module *module, uint64_t address, uint64_t floor);
/* How many bytes from address on nobody ever executes, up to need. */
unsigned patchdecide_padding(const struct patch_module *module, uint64_t address, unsigned need);
/* Nothing else will be written there. */
bool patchdecide_is_taken(const struct patch_module *module, uint64_t start, uint64_t size);
void patchdecide_take(struct patch_module *module, uint64_t start, uint64_t size, bool is_taken);
/* True when something may lead into (start, end): start itself may be led to. */
bool patchdecide_is_entered(const struct patch_module *module, uint64_t start, uint64_t end);
/* The stack at address is as at a function's entry. */
bool patchdecide_is_popped(const struct patch_module *module, uint64_t address);
/* True when the call at address can be made from elsewhere: nobody looks where from. */
bool patchdecide_is_movable(struct patch_decision *decision, uint64_t address,
			    const struct patch_code *code);
/* The function looks at its caller by its nature. */
bool patchdecide_is_special(const char *name);

/* False: out of memory; _end() in any case. */
bool patchdecide_begin(struct patch_decision *decision, struct patch_module *module);
void patchdecide_end(struct patch_decision *decision);

/* Which parts belong to which functions. */
void patchdecide_link_parts(struct patch_decision *decision);
/* The function that a place belongs to, parts' own ones instead of parts. */
uint32_t patchdecide_owner(const struct patch_decision *decision, uint64_t address);

void patchhooks_look(const struct patch_module *module, struct patch_hooks *out);
/* What becomes of the hooks that the function calls.  PLAN_FINE: it has PLAN_WAY_HOOK, or its
 * entry is found, or it is as others are. */
enum plan_reason patchhooks_take(struct patch_decision *decision, struct patch_function *function);
/* The call at address is one that is not made. */
bool patchhooks_is_dropped(const struct patch_module *module, uint64_t address);

/* function->entry; PLAN_FINE or why there is none. */
enum plan_reason patchdecide_entry(struct patch_decision *decision,
				   struct patch_function *function);
/* A call is among what the entry displaces: who unwinds meets it elsewhere. */
bool patchdecide_moves_call(const struct patch_module *module, const struct patch_entry *entry);
/* Likewise by a short jump to bytes that nobody uses. */
enum plan_reason patchdecide_entry_by_cave(struct patch_decision *decision,
					   struct patch_function *function);
/* All ways out of it into decision.exits; PLAN_FINE, or why not all of them can be patched:
 * then only loops back to the entry are there; PLAN_BRANCH_INTO_ENTRY: not even these. */
enum plan_reason patchdecide_exits(struct patch_decision *decision,
				   struct patch_function *function);
/* What an indirect jump is. */
enum patch_through {
	PATCH_THROUGH_INSIDE,  /* to places in the function that are all known */
	PATCH_THROUGH_OUTSIDE, /* to another function */
	PATCH_THROUGH_UNKNOWN,
};
enum patch_through patchdecide_through(const struct patch_decision *decision, uint32_t function,
				       const struct patch_event *event);

/* function->copy of all. */
void patchdecide_copies(struct patch_decision *decision);

/* True when the function never looks at its return address, nor does what it jumps to. */
enum return_address_use {
	RETURN_ADDRESS_UNKNOWN,
	RETURN_ADDRESS_ASKED,
	RETURN_ADDRESS_UNUSED,
	RETURN_ADDRESS_USED
};
bool patchdecide_looks_away(struct patch_decision *decision, uint32_t function);

/* True when something walks stacks with the file's functions by their return addresses. */
bool patchdecide_has_walkers(const struct patch_module *module);

#endif
