/* Putting a plan into memory: the trampolines beside the module, jumps into its functions.
 *
 * Used in a process that is just starting, by the loader's hook for libraries that come later,
 * and from outside on a stopped process.  No function here calls the C library while text is
 * changed (it may be what is changed), allocates, or takes a lock. */
#ifndef KYMO_PATCHAPPLY_H
#define KYMO_PATCHAPPLY_H

#include "patch/plan.h"

struct patch_applied { /* of one module; the caller's memory, kept for undoing */
	struct plan plan;
	uint64_t bias; /* process address = file's address + bias */
	uint64_t code; /* process addresses: of the code … */
	struct patch_vector *vector;
	struct patch_switch *gate;
	const unsigned char *frames; /* of the moved .eh_frame, and of its header */
	const unsigned char *frames_header;
	uint64_t code_end;   /* end of the whole region: code, tables, vector, switch */
	int64_t moved;	     /* code lies this far from where the plan has it */
	uint8_t *is_written; /* a byte a function; 1: its writes are in place */
};

/* Map the plan's code near the module, at its own place where that is free, and fill the
 * vector.  plan_fd, when >= 0, is the file of the plan, which code is mapped from where it needs
 * no fixups.  0 or an errno value: ENOMEM = no place within reach. */
int patchapply_map(struct patch_applied *applied, int plan_fd, const struct patch_vector *vector);
/* Give it back; nobody runs in it, and no write is in place. */
void patchapply_unmap(struct patch_applied *applied);

/* The same for a module that was rewritten on disk: segment is its last one in memory, size bytes,
 * which tells of its plan and choice (rewritehead.h).  Its text has the jumps; vector and switch
 * are laid over those of the file, the switch off.  Not to be unmapped.  0 or an errno value:
 * ENOENT = it is no such segment. */
int patchapply_adopt(struct patch_applied *applied, const void *segment, uint64_t size,
		     const struct patch_vector *vector);

/* Make the writes of the functions that choice (a byte each; NULL = all) takes: verified
 * before, all of one function or none.  0, with the number of functions that are written now
 * in *count_out, or an errno value: nothing was written, since the text may not be. */
int patchapply_write(struct patch_applied *applied, const uint8_t *choice, uint64_t *count_out);
/* Take back all that is written; nobody runs there.  0 or an errno value. */
int patchapply_unwrite(struct patch_applied *applied);

#endif
