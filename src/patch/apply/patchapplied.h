/* A plan that is applied to a module in memory, and which of its functions are written.
 *
 * The caller's memory; the steps that read and change it (patchapply*.h) call nothing of the C
 * library while text is changed, allocate nothing and take no lock. */
#ifndef KYMO_PATCHAPPLIED_H
#define KYMO_PATCHAPPLIED_H

#include "patch/plan/plan.h"

struct patch_applied { /* of one module; the caller's memory, needed to undo it */
	struct plan plan;
	uint64_t bias; /* process address = file's address + bias */
	uint64_t code; /* process addresses: of the code … */
	struct patch_vector *vector;
	struct patch_switch *gate;
	const unsigned char *frames; /* of the moved .eh_frame, and of its header */
	const unsigned char *frames_header;
	uint64_t code_end;   /* end of the whole region: code, tables, vector, switch */
	const void *symbols; /* the plan's symbols; NULL = there are none */
	const void *object;  /* for debuggers, an ELF file in memory; NULL = there is none */
	uint64_t object_size;
	int64_t moved;	       /* distance of the code from its address in the plan */
	bool has_text;	       /* the pages of text to be written are already private copies */
	int64_t text_landings; /* 0 = none yet: patchapply_throttle.c */
	int64_t code_landings;
	uint8_t *is_written; /* a byte per function, enum patchapply_state; 0: unchanged */
};

enum patchapply_state {
	PATCHAPPLY_LEFT = 0,
	PATCHAPPLY_WRITTEN = 1,
	PATCHAPPLY_PINNED = 2,	 /* likewise, and never to be lifted … */
	PATCHAPPLY_LIFTABLE = 3, /* … or it may be lifted */
	PATCHAPPLY_LIFTED = 4,	 /* its writes are taken out temporarily */
	PATCHAPPLY_HELD = 5,	 /* likewise, and an obstacle prevents putting them back */
	PATCHAPPLY_COMING = 6,	 /* its writes are in progress */
};

/* Its writes are in the text now. */
static inline bool patchapply_is_in_place(uint8_t state)
{
	return state != PATCHAPPLY_LEFT && state < PATCHAPPLY_LIFTED;
}

#endif
