/* The stacks of a thread: what is shown of each, and where it ends. */
#ifndef KYMO_SAMPLED_STACKS_H
#define KYMO_SAMPLED_STACKS_H

#include "model/samples/sampled_class.h"
#include "model/samples/sampled_frames.h"

/* Where a stack leads when what is internal is left out. */
enum sampled_state {
	SAMPLED_OUTER,	/* nothing is shown yet */
	SAMPLED_INSIDE, /* the interpreter executes, or its own native code */
	SAMPLED_SHOWN,
	SAMPLED_RECORDING, /* Kymo does what recording a call needs */
};
enum sampled_step { /* what to do with a frame */
		    SAMPLED_HIDE,
		    SAMPLED_SHOW,
		    SAMPLED_RESTART, /* what was shown of its callers is start-up too: hide all */
};

struct sampled_stack {
	uint32_t parent;	/* 0 = outermost */
	uint32_t frame;		/* index */
	uint32_t python_stack;	/* id of the one that ends with the innermost Python frame, 0 = none
				 */
	uint32_t python_region; /* of that frame, 0 = none */
	uint32_t place_region;	/* of the innermost frame of Python or the program, 0 = none */
	uint8_t state, step;	/* enum sampled_state, enum sampled_step */
	bool is_kymo;		/* Kymo's, or what it called of the vdso */
	bool is_kymo_sleep;
	bool is_stand_in; /* it is one, or Kymo's way from one to the kernel */
	bool is_used;	  /* a sample has it, or one below it; the rest is set only then */
	bool has_samples;
	struct sampled_leaf leaf;
};

/* The stacks of a thread by id; 0, and ids that lead nowhere, have a mark's frame.  NULL = no
 * memory; the caller frees them. */
struct sampled_stack *sampled_stacks_new(struct sampled_frames *frames,
					 const struct samples *samples, uint32_t thread);
bool sampled_stack_is_shown(const struct sampled_stack *stack,
			    const struct sampled_options *options);

#endif
