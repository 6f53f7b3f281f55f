/* One ELF file as the engine sees it: its functions, and where anything may jump to.
 *
 * Made by patchmodule_open() and patchanalyse() (patchanalyse.h); which of them fills in what is
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
	bool wants_copies;	    /* the caller's, before patchanalyse() */

	/* patchanalyse() */
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

/* What is in the file, for those who read its tables. */

/* Bytes of the file from address on to the end of its segment; 0 = none. */
uint64_t patchmodule_left(const struct patch_module *module, uint64_t address);
/* The program header of that number: below ehdr->e_phnum. */
const Elf64_Phdr *patchmodule_header(const struct patch_module *module, size_t index);
/* NULL = there is no table of sections. */
const Elf64_Shdr *patchmodule_sections(const struct patch_module *module, size_t *count_out);
const Elf64_Shdr *patchmodule_section(const struct patch_module *module, const char *name);
/* Its bytes, sh_size of them; NULL = none in the file. */
const unsigned char *patchmodule_contents(const struct patch_module *module,
					  const Elf64_Shdr *section);
/* A text in a table of texts; "" = damaged. */
const char *patchmodule_text(const char *texts, uint64_t size, uint64_t offset);

#endif
