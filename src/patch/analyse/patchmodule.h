/* One ELF file as the engine sees it: its functions, and where anything may jump to.
 *
 * Made by patchmodule_open() and patchmodule_analyse(); what is filled in by which step is
 * said at each field.  The file is mapped read-only, may be hostile, and is checked at every
 * step.  One thread; memory belongs to the module until patchmodule_close(). */
#ifndef KYMO_PATCHMODULE_H
#define KYMO_PATCHMODULE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "object/unwind/cfi.h"
#include "patch/analyse/patchfunction.h"
#include "patch/plan/plan.h"

struct patch_range {
	uint64_t start, end; /* addresses of the file */
};

struct patch_sweep; /* patchsweep.h */
struct patch_processor;

struct patch_segment {
	uint64_t address, size;	     /* in memory */
	uint64_t offset, file_bytes; /* in the file */
	uint32_t flags;		     /* PF_* */
};

struct patch_module {
	/* patchmodule_open() */
	char *path;
	const unsigned char *bytes; /* the file */
	size_t size;
	const Elf64_Ehdr *ehdr;
	const struct patch_processor *processor; /* patchprocessor.h */
	struct patch_segment *segments;		 /* PT_LOAD, by address */
	size_t segment_count;
	uint64_t image_start, image_end; /* page bounds of all of them */
	uint8_t build_id[PLAN_BUILD_ID_MAX];
	uint32_t build_id_size;
	uint64_t identity;
	bool is_position_dependent; /* ET_EXEC */
	struct cfi_section frames;  /* .eh_frame and its header, as in the file */
	bool wants_copies;	    /* the caller's, before patchmodule_analyse() */

	/* patchmodule_analyse() */
	struct patch_function *functions; /* by address, none twice */
	size_t function_count;
	struct patch_exit *exits;
	size_t exit_count;
	/* A bit for each byte of the executable segments: something may jump or point there. */
	uint8_t *targets;
	uint64_t targets_start, targets_end;
	struct patch_range *caves; /* unused bytes between functions: nop, int3, zero */
	size_t cave_count;
	/* By function: of a part (PLAN_PART), whose it is; NULL = not known.  patchdecide.h */
	uint32_t *owners;
	struct patch_sweep *sweep; /* the analysis' own */
};

/* Map and check the file.  KYMO_OK, or one line in problem: no such file, not ELF, another
 * processor, damaged. */
enum kymo_status patchmodule_open(const char *path, struct patch_module **out,
				  struct problem *problem);
void patchmodule_close(struct patch_module *module);

/* Bytes of the file at an address, size of them in one segment; NULL = not there. */
const unsigned char *patchmodule_at(const struct patch_module *module, uint64_t address,
				    uint64_t size);
/* True where code is. */
bool patchmodule_is_code(const struct patch_module *module, uint64_t address);
/* The function that address lies in, NULL = none. */
struct patch_function *patchmodule_function_at(const struct patch_module *module, uint64_t address);
/* True when something may jump to, call or point at address. */
bool patchmodule_is_target(const struct patch_module *module, uint64_t address);

/* The steps, in this order; all of them by patchmodule_analyse(). */
enum kymo_status patchfunctions_find(struct patch_module *module, struct problem *problem);
enum kymo_status patchtargets_scan(struct patch_module *module, struct problem *problem);
enum kymo_status patchdecide(struct patch_module *module, struct problem *problem);

enum kymo_status patchmodule_analyse(struct patch_module *module, struct problem *problem);

/* In place of patchdecide(): the exported functions that wants says true of are called by their
 * trampolines, and nothing of them is moved.  All others stay as they are. */
typedef bool (*patchdecide_wants_fn)(const struct patch_function *function, void *context);
enum kymo_status patchdecide_calls(struct patch_module *module, patchdecide_wants_fn wants,
				   void *context, struct problem *problem);

#endif
