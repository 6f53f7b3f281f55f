/* Instrumented modules: found, planned (funcpatch_plan.c), patched (funcpatch_apply.c), and written
 * to the recording.  One lock (funcpatch_threads.h) guards changes. */
#ifndef KYMO_FUNCPATCH_MODULE_H
#define KYMO_FUNCPATCH_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "format/planvalues.h"
#include "patch/apply/patchapply.h"

struct plan_kind;
struct funcpatch_places;

#define FUNCPATCH_MODULES_MAX 512u
#define FUNCPATCH_PATH_MAX    4096u
#define FUNCPATCH_IDS_PAGE    (KYMO_CHUNK_ALIGN / 4u)
#define FUNCPATCH_ID_FIRST    ((uint32_t)(sizeof(struct kymo_chunk) / 4u))

struct funcpatch_module {
	struct patch_applied applied;
	void *plan_bytes;
	size_t plan_size;
	void *choice_bytes;
	size_t choice_size;
	const uint8_t *choice; /* in them: a byte a function; NULL = all are taken */
	bool is_rewritten;     /* the file itself has jumps and code */
	bool is_api;	       /* its text stays, callers are led to trampolines … */
	bool is_present;       /* … it is loaded now … */
	bool is_bound;	       /* … and they are by now */
	uint64_t start, end;   /* of the module in the process */
	uint64_t path_hash;
	uint32_t first_id, count;
	uint64_t taken;	     /* functions that are written */
	bool is_loaded;	     /* false: it was unloaded, and nobody runs in it */
	bool has_switch;     /* its switch is the recording's page */
	uint64_t told_start; /* the recording has its FUNCTIONS as loaded there; 0 = not */
	struct funcpatch_places *places; /* functions that call hooks: funcpatch_hooks.c */
	struct values values;		 /* of functions whose arguments are recorded */
};

/* What was instrumented is gone, and something else may be in its place. */
extern bool funcpatch_has_unloaded;
/* Raised with a release store; entries before it are valid for ever. */
extern struct funcpatch_module funcpatch_modules[FUNCPATCH_MODULES_MAX];
extern uint32_t funcpatch_module_count;

/* Find the modules that are in scope and not known, and instrument them.  Context: init, or
 * the loader's hook. */
void funcpatch_modules_look(void);
/* True of Kymo's own libraries and of the loader. */
bool funcpatch_is_ours(const char *path);
struct funcpatch_found;
struct modulescan_found;
/* Keep where a module lies, under a hash of what is asked of it; its path fits.  Context: any. */
void funcpatch_keep_found(struct funcpatch_found *found, const struct modulescan_found *module,
			  uint64_t hash);
/* The module whose trampolines address lies in; NULL = none.  Context: any. */
const struct funcpatch_module *funcpatch_module_at(uint64_t address);
/* Write the FUNCTIONS of all that are not told yet. */
void funcpatch_modules_tell(void);
/* What is told belongs to a recording that is gone. */
void funcpatch_modules_forget(void);

/* All switches, also those of modules to come. */
void funcpatch_switch(bool is_off);
bool funcpatch_is_switched_off(void);

/* What plans are to be of.  The exported functions of libraries are always called. */
struct plan_kind funcpatch_kind(bool is_api);
/* What belongs to a module's plan is unmapped. */
void funcpatch_plan_release(struct funcpatch_module *module);

#endif
