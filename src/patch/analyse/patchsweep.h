/* Results of one pass over all code of a file, and the state shared by the steps of the
 * analysis. */
#ifndef KYMO_PATCHSWEEP_H
#define KYMO_PATCHSWEEP_H

#include "patch/analyse/patchindex.h"
#include "patch/analyse/file/patchmodule.h"

enum patch_event_kind {
	PATCH_EVENT_RETURN,
	PATCH_EVENT_JUMP,	   /* to target, outside of the function */
	PATCH_EVENT_CONDITIONAL,   /* likewise */
	PATCH_EVENT_SHORT,	   /* likewise: loop, jrcxz, xbegin */
	PATCH_EVENT_JUMP_INDIRECT, /* indirect jmp; target: the memory operand, or 0 */
	PATCH_EVENT_OWN_ENTRY,	   /* jmp or jcc to the function's own entry */
	PATCH_EVENT_TABLE,	   /* the address target of data: may be a jump table */
};

struct patch_event {
	uint64_t address, target;
	uint32_t function;
	uint8_t kind;	/* enum patch_event_kind */
	uint8_t length; /* of the instruction */
};

enum {				    /* of a function */
       PATCH_SWEPT_ALL = 1,	    /* every byte of it was decoded */
       PATCH_SWEPT_FALLS = 2,	    /* its last instruction falls through */
       PATCH_SWEPT_UNSUPPORTED = 4, /* far jumps and other unsupported instructions */
       PATCH_SWEPT_HOOKED = 8,	    /* calls __cyg_profile_func_enter or mcount */
       PATCH_SWEPT_DATA = 32,	    /* data may be in it */
       PATCH_SWEPT_TABLE = 128,	    /* refers to a jump table */
       PATCH_SWEPT_NO_TABLE = 256,
       PATCH_SWEPT_LABELS = 64,	      /* pointers refer into it */
       PATCH_SWEPT_SHARED = 16,	      /* other functions begin within it */
       PATCH_SWEPT_USES_RETURN = 512, /* reads or modifies its return address */
};

/* Why a range with such notes is not followed to all its exits; PLAN_FINE: it is. */
static inline enum plan_reason patchsweep_doubt(uint16_t notes)
{
	if (!(notes & PATCH_SWEPT_ALL) || notes & PATCH_SWEPT_DATA)
		return PLAN_UNDECODED;
	if (notes & (PATCH_SWEPT_FALLS | PATCH_SWEPT_UNSUPPORTED))
		return PLAN_UNKNOWN_JUMPS;
	return notes & PATCH_SWEPT_SHARED ? PLAN_OVERLAPPING : PLAN_FINE;
}

struct patch_imports;

struct patch_sweep {
	struct cfi_fde *fdes; /* all frame descriptions, by address */
	size_t fde_count;
	struct patch_index functions, starts_of_fdes; /* of module.functions and of fdes */
	uint8_t *boundaries; /* bits: an instruction begins here, in functions that were swept */
	uint8_t *starts;     /* bits: a function begins here */
	uint8_t *named;	     /* bits: called or pointed to, not just jumped to */
	uint8_t *indirect;   /* bits: a target other than of a direct jump */
	uint8_t *data;	     /* bits: read, or addressed within a function: may be no code */
	uint8_t *flagged;    /* bits: a caller reads the flags that the function leaves */
	uint8_t *taken;	     /* bits: reserved, will be overwritten */
	struct patch_event *events; /* by function, then address */
	size_t event_count;
	uint32_t *first_events; /* by function, and one more */
	uint16_t *notes;	/* by function: PATCH_SWEPT_* */
	struct patch_imports *imports;
	uint64_t handler_bytes; /* bytes of exception tables that were read */
};

void patchsweep_free(struct patch_sweep *sweep);

/* As at the first instruction of a function: the return address is on top of the stack. */
static inline bool patchsweep_is_entry_row(const struct cfi_row *row)
{
	return row->cfa == CFI_CFA_STACK && row->cfa_offset == 8 && row->return_offset == -8;
}

/* Sweep all functions: boundaries, named, events, notes, and the targets of branches. */
enum kymo_status patchsweep_run(struct patch_module *module, struct problem *problem);
/* Mark every potential target of a branch encoded anywhere in [start, end). */
void patchsweep_superset(struct patch_module *module, uint64_t start, uint64_t end);

static inline bool patchsweep_is_text(const struct patch_module *module, uint64_t address)
{
	return address - module->targets_start < module->targets_end - module->targets_start;
}

/* Target of a direct jump. */
static inline void patchsweep_mark_jump(struct patch_module *module, uint64_t address)
{
	if (patchsweep_is_text(module, address))
		patchbits_set(module->targets, address - module->targets_start);
}

/* Target of a table, of a potential jump, of an exception. */
static inline void patchsweep_mark(struct patch_module *module, uint64_t address)
{
	if (!patchsweep_is_text(module, address))
		return;
	patchbits_set(module->targets, address - module->targets_start);
	patchbits_set(module->sweep->indirect, address - module->targets_start);
}

/* Something calls or points to address. */
static inline void patchsweep_name(struct patch_module *module, uint64_t address)
{
	if (patchsweep_is_text(module, address)) {
		patchbits_set(module->targets, address - module->targets_start);
		patchbits_set(module->sweep->indirect, address - module->targets_start);
		patchbits_set(module->sweep->named, address - module->targets_start);
	}
}

/* An instruction reads at address, or refers to it though no function begins there. */
static inline void patchsweep_see_data(struct patch_module *module, uint64_t address)
{
	if (patchsweep_is_text(module, address) &&
	    !patchbits_has(module->sweep->starts, address - module->targets_start))
		patchbits_set(module->sweep->data, address - module->targets_start);
}

#endif
