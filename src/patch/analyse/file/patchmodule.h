/* One ELF file as the analysis sees it: its functions, and all potential branch targets.
 *
 * Filled in by patchmodule_open() and patchanalyse() (patchanalyse.h); each field says by which.
 * The file is mapped read-only, may be hostile, and is checked at every step.  One thread; memory
 * belongs to the module until patchmodule_close(). */
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
	uint64_t image_start, image_end; /* page bounds of all segments */
	uint8_t build_id[PLAN_BUILD_ID_MAX];
	uint32_t build_id_size;
	uint64_t identity;
	bool is_position_dependent; /* ET_EXEC */
	struct cfi_section frames;  /* .eh_frame and its header, as in the file */
	bool wants_copies;	    /* set by the caller, before patchanalyse() */

	/* set by patchanalyse() */
	struct patch_function *functions; /* by address, unique */
	size_t function_count;
	struct patch_exit *exits;
	size_t exit_count;
	/* A bit for each byte of the executable segments: a potential target of a branch or
	 * pointer. */
	uint8_t *targets;
	uint64_t targets_start, targets_end;
	struct patch_range *caves; /* unused bytes between functions: nop, int3, zero */
	size_t cave_count;
	/* By function: of a part (PLAN_PART), its owner; NULL = not known.  patchdecide.h */
	uint32_t *owners;
	struct patch_sweep *sweep; /* private to the analysis */
};

/* Map and check the file.  KYMO_OK, or one line in problem: no such file, not ELF, another
 * processor, damaged. */
enum kymo_status patchmodule_open(const char *path, struct patch_module **out,
				  struct problem *problem);
void patchmodule_close(struct patch_module *module);

/* The file's bytes at an address, size of them in one segment; NULL = not in the file. */
const unsigned char *patchmodule_at(const struct patch_module *module, uint64_t address,
				    uint64_t size);
/* True if the address is code. */
bool patchmodule_is_code(const struct patch_module *module, uint64_t address);
/* The function that contains address, NULL = none. */
struct patch_function *patchmodule_function_at(const struct patch_module *module, uint64_t address);
/* True when something may jump to, call or point to address. */
bool patchmodule_is_target(const struct patch_module *module, uint64_t address);

/* Contents of the file, for readers of its tables. */

/* Number of the file's bytes from address to the end of its segment; 0 = none. */
uint64_t patchmodule_left(const struct patch_module *module, uint64_t address);
/* The program header of that index, which must be below ehdr->e_phnum. */
const Elf64_Phdr *patchmodule_header(const struct patch_module *module, size_t index);
/* NULL = there are no section headers. */
const Elf64_Shdr *patchmodule_sections(const struct patch_module *module, size_t *count_out);
const Elf64_Shdr *patchmodule_section(const struct patch_module *module, const char *name);
/* The section's contents, sh_size bytes; NULL = none in the file. */
const unsigned char *patchmodule_contents(const struct patch_module *module,
					  const Elf64_Shdr *section);
/* A string in a string table; "" = damaged. */
const char *patchmodule_text(const char *texts, uint64_t size, uint64_t offset);

#endif
