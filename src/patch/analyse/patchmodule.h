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
#include "patch/plan/plan.h"

struct patch_range {
	uint64_t start, end; /* addresses of the file */
};

/* How the first bytes of a function become a jump to its trampoline. */
enum patch_entry_way {
	PATCH_ENTRY_NONE,
	PATCH_ENTRY_JUMP,    /* 5 bytes at the entry, which whole instructions make room for */
	PATCH_ENTRY_PADDING, /* likewise, with padding behind a function that is shorter */
	PATCH_ENTRY_CAVE,    /* 2 bytes at the entry jump to 5 unused ones at cave */
	/* Room that the compiler left: nops, or its call of __fentry__.  Nothing is moved. */
	PATCH_ENTRY_HOOK,
};

struct patch_entry {
	uint8_t way;	      /* enum patch_entry_way */
	uint8_t displaced;    /* bytes of whole instructions that are moved; with HOOK left out */
	uint8_t instructions; /* of these */
	bool ends;	      /* the last of them never goes on to the next */
	bool keeps_flags;     /* the function may read the flags before it sets them */
	uint64_t at; /* first byte that is overwritten: behind endbr64 where there is one */
	uint64_t cave;
};

enum patch_exit_kind {
	PATCH_EXIT_RETURN,	/* ret, also with an operand and behind bnd or rep */
	PATCH_EXIT_JUMP,	/* jmp to another function, in the file or through a pointer */
	PATCH_EXIT_CONDITIONAL, /* jcc to another function */
	/* No exit: a jump or jcc from inside back to the entry, or to the displaced bytes' first.
	 * It is not recorded, but shall go to what the entry displaced, not to the call's record.
	 */
	PATCH_EXIT_AGAIN,
};

/* A place where a function is left.  The bytes [at, at + displaced) become a jump to a
 * trampoline that does what they did, up to the last instruction, records, and does that. */
struct patch_exit {
	uint64_t at;
	uint64_t instruction; /* of the return or jump itself: the last that is displaced */
	/* At least 5, with padding behind it when the code is shorter.  0: it lies in what the
	 * entry displaces, and is recorded by the entry's trampoline. */
	uint8_t displaced;
	uint8_t code;	  /* bytes of instructions in it: the rest is padding */
	uint8_t kind;	  /* enum patch_exit_kind */
	bool keeps_flags; /* the caller may look at the flags: the record leaves them alone */
	uint32_t function;
	/* PATCH_EXIT_JUMP and _CONDITIONAL: where they lead to in the file; 0 = not known. */
	uint64_t target;
};

/* Whether all of a function can be done elsewhere. */
enum patch_copy {
	PATCH_COPY_NONE,
	PATCH_COPY_LEAF,  /* it can */
	PATCH_COPY_CALLS, /* likewise, but the functions it calls are called from there then */
};
#define PATCH_COPY_BYTES_MAX 128u

struct patch_sweep; /* patchsweep.h */
struct patch_processor;

struct patch_function {
	uint64_t address, size; /* found by patchfunctions.c */
	const char *name;	/* "" = none */
	uint32_t flags;		/* PLAN_FUNCTION_* */
	enum plan_reason reason;
	enum plan_way way; /* from here on found by patchdecide.c */
	struct patch_entry entry;
	/* In module.exits.  With PLAN_WAY_EXITS all of them; otherwise only those that are
	 * PATCH_EXIT_AGAIN. */
	uint32_t first_exit, exit_count;
	uint32_t instructions; /* 0 = not decoded */
	bool has_handlers;     /* its calls' return addresses are looked up: for exceptions, by
				* who walks stacks */
	bool is_callable;      /* its body may be called by its trampoline, whatever its way */
	bool ends_in_function; /* it may jump to one that can be recorded itself */
	uint8_t hook_bytes;    /* of a call of mcount at hook_call, which is not made; 0 = none */
	uint64_t hook_call;
	uint8_t copy; /* enum patch_copy; with module.wants_copies */
};

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
