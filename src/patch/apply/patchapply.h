/* Applying a plan in memory: trampolines beside the module, jumps in its functions.
 *
 * Used in a process that is just starting, by the loader's hook for libraries that come later,
 * and from outside on a stopped process.  No function here calls the C library while text is
 * changed (it may be what is changed), allocates, or takes a lock. */
#ifndef KYMO_PATCHAPPLY_H
#define KYMO_PATCHAPPLY_H

#include "patch/plan/plan.h"

struct patch_applied { /* of one module; the caller's memory, kept for undoing */
	struct plan plan;
	uint64_t bias; /* process address = file's address + bias */
	uint64_t code; /* process addresses: of the code … */
	struct patch_vector *vector;
	struct patch_switch *gate;
	const unsigned char *frames; /* of the moved .eh_frame, and of its header */
	const unsigned char *frames_header;
	uint64_t code_end;   /* end of the whole region: code, tables, vector, switch */
	const void *symbols; /* of the plan; NULL = there are none */
	const void *object;  /* for debuggers, an ELF file in memory; NULL = there is none */
	uint64_t object_size;
	int64_t moved;	       /* code lies this far from where the plan has it */
	bool has_text;	       /* the pages that are to be written to are its own already */
	int64_t text_landings; /* 0 = none yet: patchapply_throttle.c */
	int64_t code_landings;
	uint8_t *is_written; /* a byte a function, enum patchapply_state; 0: it is as it was */
};

enum patchapply_state {
	PATCHAPPLY_LEFT = 0,
	PATCHAPPLY_WRITTEN = 1,
	PATCHAPPLY_PINNED = 2,	 /* likewise, and never to be lifted … */
	PATCHAPPLY_LIFTABLE = 3, /* … or it may be */
	PATCHAPPLY_LIFTED = 4,	 /* its writes are taken out for a while */
	PATCHAPPLY_HELD = 5,	 /* likewise, and something is in the way of putting them back */
	PATCHAPPLY_COMING = 6,	 /* its writes are being made */
};

/* Map the plan's code near the module, at its own place where that is free, and fill the
 * vector.  plan_fd, when >= 0, is the file of the plan, which code is mapped from where it needs
 * no fixups.  0 or an errno value: ENOMEM = no place within reach. */
int patchapply_map(struct patch_applied *applied, int plan_fd, const struct patch_vector *vector);
/* Make the object in the vector's page, which can be written: called by that. */
void patchapply_object(struct patch_applied *applied);
/* Give it back; nobody runs in it, and no write is in place. */
void patchapply_unmap(struct patch_applied *applied);

/* The same for a module that was rewritten on disk: segment is its last one in memory, size bytes,
 * which tells of its plan and choice (rewritehead.h).  Its text has the jumps; vector and switch
 * are laid over those of the file, the switch off.  Not to be unmapped.  0 or an errno value:
 * ENOENT = it is no such segment. */
int patchapply_adopt(struct patch_applied *applied, const void *segment, uint64_t size,
		     const struct patch_vector *vector);

/* Make the writes of the functions that choice (a byte each; NULL = all) takes: verified
 * before, all of one function or none.  Nobody runs in them; is_alone: nor does anybody else in
 * this process.  0, with the number of functions that are written now in *count_out, or an errno
 * value: nothing was written, since the text may not be. */
int patchapply_write(struct patch_applied *applied, const uint8_t *choice, bool is_alone,
		     uint64_t *count_out);
/* The process has one thread. */
bool patchapply_is_alone(void);
/* While the program runs, before a write or before taking back: so that these need as little time
 * as can be.  No byte is changed.  has_text: the pages of text that are to be written to are in
 * memory, and no longer the file's. */
void patchapply_ready(struct patch_applied *applied, bool has_text);
/* Take back all that is written; nobody runs there.  0 or an errno value. */
int patchapply_unwrite(struct patch_applied *applied);

/* Taken out for a while: patchapply_lift.c. */

/* Its writes are in the text now. */
static inline bool patchapply_is_in_place(uint8_t state)
{
	return state != PATCHAPPLY_LEFT && state < PATCHAPPLY_LIFTED;
}

/* Say of new functions whether they can be lifted: those cannot in which a call would come back
 * into the midst of what is written.  To be called before patchapply_lift(), while all run. */
void patchapply_pin(struct patch_applied *applied);
/* All threads are stopped: as it was, but for what is pinned or was changed by others.  0, or
 * an errno value: nothing was changed. */
int patchapply_lift(struct patch_applied *applied);
/* Likewise, back in place, but for what is held, which becomes lifted again; how many these are
 * in *left_out. */
int patchapply_put_back(struct patch_applied *applied, uint64_t *left_out);

/* The bytes of lifted functions that nobody may stand in, or come back to, when they are put
 * back: all but the first of each write.  A bit a byte of text; bits has room for
 * patchapply_inner_bytes(), all zero.  False where address is none of them. */
uint64_t patchapply_inner_bytes(const struct patch_applied *applied);
void patchapply_inner_mark(const struct patch_applied *applied, uint8_t *bits);
bool patchapply_is_inner(const struct patch_applied *applied, const uint8_t *bits,
			 uint64_t address);
/* Hold the functions whose bytes address is among. */
void patchapply_hold(struct patch_applied *applied, uint64_t address);

#endif
