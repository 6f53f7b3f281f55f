/* The rule to find the caller at an address, read from a module's .eh_frame.
 *
 * The section is only read, never registered nor changed: exceptions and debuggers are not
 * affected.  The bytes may be hostile: every read is checked against the given bounds.  Nothing
 * here allocates or locks.  Context: any, signal handlers too.  Formats: LSB "Exception Frames",
 * DWARF 4 section 6.4, psABI register numbers. */
#ifndef KYMO_CFI_H
#define KYMO_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/unwind/cfi_section.h"

/* How the canonical frame address (CFA) of the caller is computed. */
enum cfi_cfa {
	CFI_CFA_NONE = 0,    /* no rule: the stack cannot be unwound here */
	CFI_CFA_STACK,	     /* stack pointer + cfa_offset */
	CFI_CFA_FRAME,	     /* frame pointer + cfa_offset */
	CFI_CFA_FRAME_DEREF, /* the word at frame pointer + cfa_offset: realigned stacks */
	CFI_CFA_STACK_DEREF, /* 8 + the word at stack pointer + cfa_offset: hand-written code */
	CFI_CFA_PLT,	     /* stack pointer + 8, and 8 more if (pc & 15) >= cfa_offset */
	CFI_CFA_SIGNAL,	     /* return from a signal handler: registers are in the saved context */
	CFI_CFA_OUTERMOST,   /* the return address is undefined: the outermost frame */
	/* A function that was called through (patch/apply/patchabi.h): CFA = stack pointer +
	 * cfa_offset; its return address is at CFA - 8 with CFI_SHADOW_BIT of that address
	 * flipped. */
	CFI_CFA_SHADOW = 8,
	CFI_CFA_REGISTER = 16, /* + DWARF number below 16: that register + cfa_offset */
	/* The same for code without a description, from its instructions up to its return: valid
	 * only if the return address follows a call. */
	CFI_CFA_CODE = 32,
};

#define CFI_SHADOW_BIT (UINT64_C(1) << 46)

#define CFI_FRAME_KEPT INT16_MIN /* the caller's frame pointer is in its register */

struct cfi_row { /* 8 bytes, so that a cache can hold it in one word */
	int32_t cfa_offset;
	/* Where the caller's frame pointer was saved: an even number from the CFA, an odd one, less
	 * 1, from the frame pointer. */
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

/* Where the caller's value of a register, by its DWARF number, was saved: *offset_out from the CFA,
 * CFI_FRAME_KEPT = it is in the register.  False: not known. */
bool cfi_find_register(const struct cfi_section *section, uint64_t pc, unsigned number,
		       int32_t *offset_out);

/* An FDE: a function or a part of one with a frame description of its own. */
struct cfi_fde {
	uint64_t start, end;
	uint64_t entry;	    /* offset of its description in the section */
	uint64_t handlers;  /* address of its exception table (LSDA); 0 = none */
	bool is_signal;	    /* a signal handler returns here */
	struct cfi_row row; /* at its first instruction */
};

/* All FDEs in the order of the section: *offset is initially 0 and is advanced.  False: after the
 * last one.  Malformed ones are skipped. */
bool cfi_next(const struct cfi_section *section, uint64_t *offset, struct cfi_fde *fde_out);

/* As cfi_find() for an address that the FDE covers, without a search. */
bool cfi_find_in(const struct cfi_section *section, const struct cfi_fde *fde, uint64_t pc,
		 struct cfi_row *row_out);

/* Pass each row of the FDE to the callback, by address, with the range that it applies to: [start,
 * end).  False: its program is malformed; some rows may have been passed. */
typedef void (*cfi_row_fn)(void *context, uint64_t start, uint64_t end, const struct cfi_row *row);
bool cfi_each_row(const struct cfi_section *section, const struct cfi_fde *fde, cfi_row_fn each,
		  void *context);

#endif
