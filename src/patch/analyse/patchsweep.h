/* What one pass over all code of a file finds, and what the steps of the analysis share. */
#ifndef KYMO_PATCHSWEEP_H
#define KYMO_PATCHSWEEP_H

#include "patch/analyse/patchindex.h"
#include "patch/analyse/file/patchmodule.h"

enum patch_event_kind {
	PATCH_EVENT_RETURN,
	PATCH_EVENT_JUMP,	   /* to target, outside of the function */
	PATCH_EVENT_CONDITIONAL,   /* likewise */
	PATCH_EVENT_SHORT,	   /* likewise: loop, jrcxz, xbegin */
	PATCH_EVENT_JUMP_INDIRECT, /* jmp through a register or memory; target: the memory, or 0 */
	PATCH_EVENT_OWN_ENTRY,	   /* jmp or jcc to the function's own entry */
	PATCH_EVENT_TABLE,	   /* the address of data, target: may be a jump table */
};

struct patch_event {
	uint64_t address, target;
	uint32_t function;
	uint8_t kind;	/* enum patch_event_kind */
	uint8_t length; /* of the instruction */
};

enum {				/* of a function */
       PATCH_SWEPT_ALL = 1,	/* every byte of it was decoded */
       PATCH_SWEPT_FALLS = 2,	/* its last instruction goes on to what is behind it */
       PATCH_SWEPT_ODD = 4,	/* far jumps and the like */
       PATCH_SWEPT_HOOKED = 8,	/* calls __cyg_profile_func_enter or mcount */
       PATCH_SWEPT_DATA = 32,	/* data may lie in it */
       PATCH_SWEPT_TABLE = 128, /* names a jump table */
       PATCH_SWEPT_NO_TABLE = 256,
       PATCH_SWEPT_LABELS = 64, /* pointers lead into it */
       PATCH_SWEPT_SHARED = 16, /* other functions begin within it */
       PATCH_SWEPT_LOOKS = 512, /* looks at its return address, or moves it */
};

/* Why a range with such notes is not followed to all its exits; PLAN_FINE: it is. */
static inline enum plan_reason patchsweep_doubt(uint16_t notes)
{
	if (!(notes & PATCH_SWEPT_ALL) || notes & PATCH_SWEPT_DATA)
		return PLAN_UNDECODED;
	if (notes & (PATCH_SWEPT_FALLS | PATCH_SWEPT_ODD))
		return PLAN_UNKNOWN_JUMPS;
	return notes & PATCH_SWEPT_SHARED ? PLAN_OVERLAPPING : PLAN_FINE;
}

struct patch_imports;

struct patch_sweep {
	struct cfi_fde *fdes; /* all frame descriptions, by address */
	size_t fde_count;
	struct patch_index functions, starts_of_fdes; /* of module.functions, and of fdes */
	uint8_t *boundaries; /* bits: an instruction begins here, in functions that were swept */
	uint8_t *starts;     /* bits: a function begins here */
	uint8_t *named;	     /* bits: called, or pointed at: more than jumped to */
	uint8_t *led;	     /* bits: a target of something else than a direct jump */
	uint8_t *data;	     /* bits: read, or named within a function: may be no code */
	uint8_t *flagged;    /* bits: a caller looks at the flags that the function leaves */
	uint8_t *taken;	     /* bits: will be written over */
	struct patch_event *events; /* by function, then address */
	size_t event_count;
	uint32_t *first_events; /* by function, and one more */
	uint16_t *notes;	/* by function: PATCH_SWEPT_* */
	struct patch_imports *imports;
	uint64_t handler_bytes; /* of tables for exceptions that were read */
};

void patchsweep_free(struct patch_sweep *sweep);

/* As at the first instruction of a function: the return address is on top of the stack. */
static inline bool patchsweep_is_entry_row(const struct cfi_row *row)
{
	return row->cfa == CFI_CFA_STACK && row->cfa_offset == 8 && row->return_offset == -8;
}

/* Sweep all functions: boundaries, named, events, notes, and the targets of branches. */
enum kymo_status patchsweep_run(struct patch_module *module, struct problem *problem);
/* Mark every place that any bytes of [start, end) could be a branch to. */
void patchsweep_superset(struct patch_module *module, uint64_t start, uint64_t end);

static inline bool patchsweep_is_text(const struct patch_module *module, uint64_t address)
{
	return address - module->targets_start < module->targets_end - module->targets_start;
}

/* Of a direct jump. */
static inline void patchsweep_mark_jump(struct patch_module *module, uint64_t address)
{
	if (patchsweep_is_text(module, address))
		patchbits_set(module->targets, address - module->targets_start);
}

/* Of a table, of what may be a jump, of an exception. */
static inline void patchsweep_mark(struct patch_module *module, uint64_t address)
{
	if (!patchsweep_is_text(module, address))
		return;
	patchbits_set(module->targets, address - module->targets_start);
	patchbits_set(module->sweep->led, address - module->targets_start);
}

/* Something calls or points at address. */
static inline void patchsweep_name(struct patch_module *module, uint64_t address)
{
	if (patchsweep_is_text(module, address)) {
		patchbits_set(module->targets, address - module->targets_start);
		patchbits_set(module->sweep->led, address - module->targets_start);
		patchbits_set(module->sweep->named, address - module->targets_start);
	}
}

/* An instruction reads what is at address, or names it though no function begins there. */
static inline void patchsweep_see_data(struct patch_module *module, uint64_t address)
{
	if (patchsweep_is_text(module, address) &&
	    !patchbits_has(module->sweep->starts, address - module->targets_start))
		patchbits_set(module->sweep->data, address - module->targets_start);
}

#endif
