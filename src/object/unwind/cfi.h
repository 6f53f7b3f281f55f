/* The rule that finds the caller of one address, read from a module's .eh_frame.
 *
 * The section is only read, never registered nor changed: exceptions and debuggers see
 * nothing of it.  The bytes may be hostile: every read is checked against the bounds that
 * are given.  Nothing here allocates or locks.  Context: any, signal handlers too.
 * Formats: LSB "Exception Frames", DWARF 4 section 6.4, psABI register numbers. */
#ifndef KYMO_CFI_H
#define KYMO_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/unwind/cfi_section.h"

/* Where the caller's frame stands: the canonical frame address (CFA). */
enum cfi_cfa {
	CFI_CFA_NONE = 0,    /* no rule: the stack cannot be followed from here */
	CFI_CFA_STACK,	     /* stack pointer + cfa_offset */
	CFI_CFA_FRAME,	     /* frame pointer + cfa_offset */
	CFI_CFA_FRAME_DEREF, /* the word at frame pointer + cfa_offset: realigned stacks */
	CFI_CFA_STACK_DEREF, /* 8 + the word at stack pointer + cfa_offset: hand-written code */
	CFI_CFA_PLT,	     /* stack pointer + 8, and 8 more where (pc & 15) >= cfa_offset */
	CFI_CFA_SIGNAL,	     /* a signal handler's return: registers are in the saved context */
	CFI_CFA_OUTERMOST,   /* the return address is undefined: nothing called this */
	/* A function that was called through (patch/apply/patchabi.h): CFA = stack pointer +
	 * cfa_offset; its return address is at CFA - 8, CFI_SHADOW_BIT of that address turned
	 * over. */
	CFI_CFA_SHADOW = 8,
	CFI_CFA_REGISTER = 16, /* + DWARF number below 16: that register + cfa_offset */
	/* The same, by what code without a description does up to its return: to be believed
	 * where the return address stands behind a call. */
	CFI_CFA_CODE = 32,
};

#define CFI_SHADOW_BIT (UINT64_C(1) << 46)

#define CFI_FRAME_KEPT INT16_MIN /* the caller's frame pointer is in its register */

struct cfi_row { /* 8 bytes, so that a cache can hold it in one word */
	int32_t cfa_offset;
	/* Where the caller's frame pointer was saved: an even number from the CFA, an odd one,
	 * less 1, from the frame pointer. */
	int16_t frame_offset;
	uint8_t cfa; /* enum cfi_cfa */
	/* Of the return address from the CFA; below CFI_RETURN_MIN it is in register number
	 * return_offset - INT8_MIN. */
	int8_t return_offset;
};
#define CFI_RETURN_MIN (INT8_MIN + 16)
_Static_assert(sizeof(struct cfi_row) == 8, "a row is one word");

/* The row for the instruction at pc.  *start_out and *end_out, where not NULL, are the
 * bounds of the FDE that covers pc.  False: nothing covers it. */
bool cfi_find(const struct cfi_section *section, uint64_t pc, struct cfi_row *row_out,
	      uint64_t *start_out, uint64_t *end_out);

/* Where the caller's value of a register, by its DWARF number, was saved: *offset_out from
 * the CFA, CFI_FRAME_KEPT = it is in the register.  False: not known. */
bool cfi_find_register(const struct cfi_section *section, uint64_t pc, unsigned number,
		       int32_t *offset_out);

/* A function or an FDE of one that has a description of its own. */
struct cfi_fde {
	uint64_t start, end;
	uint64_t entry;	    /* where its description is in the section */
	uint64_t handlers;  /* address of its table for exceptions (LSDA); 0 = none */
	bool is_signal;	    /* what a signal handler returns to */
	struct cfi_row row; /* at its first instruction */
};

/* All parts in the order of the section: *offset is 0 at first and moved on.  False: behind
 * the last one.  What makes no sense is left out. */
bool cfi_next(const struct cfi_section *section, uint64_t *offset, struct cfi_fde *fde_out);

/* As cfi_find() for an address that the FDE covers, without a search. */
bool cfi_find_in(const struct cfi_section *section, const struct cfi_fde *fde, uint64_t pc,
		 struct cfi_row *row_out);

/* Tell each row of the FDE, by address, together with where it is true: [start, end).  False:
 * its program makes no sense; some may be told by then. */
typedef void (*cfi_row_fn)(void *context, uint64_t start, uint64_t end, const struct cfi_row *row);
bool cfi_each_row(const struct cfi_section *section, const struct cfi_fde *fde, cfi_row_fn each,
		  void *context);

#endif
