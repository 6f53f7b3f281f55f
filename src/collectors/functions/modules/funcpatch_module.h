/* The table of instrumented modules: their ids, and where they are.  They are found
 * (funcpatch_modules.h), planned (funcpatch_plan.h) and patched (funcpatch_apply.h) elsewhere.
 * One lock (funcpatch_threads.h) guards changes; entries are never removed. */
#ifndef KYMO_FUNCPATCH_MODULE_H
#define KYMO_FUNCPATCH_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "format/planvalues.h"
#include "patch/apply/patchapplied.h"

struct hook_index;

#define FUNCPATCH_MODULES_MAX 512u
#define FUNCPATCH_IDS_PAGE    (KYMO_CHUNK_ALIGN / 4u)
#define FUNCPATCH_ID_FIRST    ((uint32_t)(sizeof(struct kymo_chunk) / 4u))

struct funcpatch_module {
	struct patch_applied applied;
	void *plan_bytes;
	size_t plan_size;
	void *choice_bytes;
	size_t choice_size;
	const uint8_t *choice; /* in them: a byte per function; NULL = all are chosen */
	bool is_rewritten;     /* the file itself has jumps and code */
	bool is_api;	     /* its text is unchanged, callers are redirected to trampolines … */
	bool is_present;     /* … it is loaded now … */
	bool is_bound;	     /* … and they are redirected */
	uint64_t start, end; /* of the module in the process */
	uint64_t path_hash;
	uint32_t first_id, count;
	uint64_t taken;		  /* number of functions that are patched */
	bool is_loaded;		  /* false: it was unloaded, and no thread runs in it */
	bool has_switch;	  /* its switch is the recording's page */
	uint64_t described_start; /* the recording has its FUNCTIONS as loaded there; 0 = not */
	struct hook_index *hook_index; /* functions that call hooks: funcpatch_hooks.c */
	struct values values;	       /* of functions whose arguments are recorded */
};

/* An instrumented module was unloaded, and another may be mapped there. */
extern bool funcpatch_has_unloaded;
/* Incremented with a release store; entries before it stay valid. */
extern struct funcpatch_module funcpatch_modules[FUNCPATCH_MODULES_MAX];
extern uint32_t funcpatch_module_count;

/* A place in the table for a module of that path with so many functions: its previous one, or a
 * new one.  NULL: there is none.  Context: init, or the loader's hook. */
struct funcpatch_module *funcpatch_module_place(uint64_t path_hash, uint32_t count,
						bool *is_new_out);
/* It is complete.  The lock is held. */
void funcpatch_module_add(struct funcpatch_module *module, bool is_new);
/* The module whose trampolines contain address; NULL = none.  Context: any. */
const struct funcpatch_module *funcpatch_module_at(uint64_t address);
/* A new recording has none of the FUNCTIONS written so far. */
void funcpatch_modules_forget(void);
extern bool funcpatch_has_noted_costs; /* the recording has the cost of recording */

#endif
