/* A plan that is applied to a module in memory, and which of its functions are written.
 *
 * The caller's memory; the steps that read and change it (patchapply*.h) call nothing of the C
 * library while text is changed, allocate nothing and take no lock. */
#ifndef KYMO_PATCHAPPLIED_H
#define KYMO_PATCHAPPLIED_H

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

/* Its writes are in the text now. */
static inline bool patchapply_is_in_place(uint8_t state)
{
	return state != PATCHAPPLY_LEFT && state < PATCHAPPLY_LIFTED;
}

#endif
