/* The stacks of a thread: what is shown of each, and its innermost frames. */
#ifndef KYMO_SAMPLED_STACKS_H
#define KYMO_SAMPLED_STACKS_H

#include "model/samples/sampled_class.h"
#include "model/samples/sampled_frames.h"

/* State of a stack if internal frames are hidden. */
enum sampled_state {
	SAMPLED_OUTER,	/* nothing is shown yet */
	SAMPLED_INSIDE, /* the interpreter executes, or its own native code */
	SAMPLED_SHOWN,
	SAMPLED_RECORDING, /* Kymo's own work for recording a call */
};
enum sampled_step { /* what to do with a frame */
		    SAMPLED_HIDE,
		    SAMPLED_SHOW,
		    SAMPLED_RESTART, /* what was shown of its callers is start-up code too: hide all
				      */
};

struct sampled_stack {
	uint32_t parent;	/* 0 = outermost */
	uint32_t frame;		/* index */
	uint32_t python_stack;	/* id of the one that ends with the innermost Python frame, 0 = none
				 */
	uint32_t python_region; /* of that frame, 0 = none */
	uint32_t place_region;	/* of the innermost frame of Python or the program, 0 = none */
	uint8_t state, step;	/* enum sampled_state, enum sampled_step */
	bool is_kymo;		/* Kymo's, or the vdso called by it */
	bool is_kymo_sleep;
	bool is_wrapper; /* it is a wrapper, or Kymo's code between one and the kernel */
	bool is_used; /* by a sample, directly or further in; the other fields are set only then */
	bool has_samples;
	struct sampled_leaf leaf;
};

/* The stacks of a thread by id; 0, and invalid ids, have a mark's frame.  NULL = no memory; the
 * caller frees them. */
struct sampled_stack *sampled_stacks_new(struct sampled_frames *frames,
					 const struct samples *samples, uint32_t thread);
bool sampled_stack_is_shown(const struct sampled_stack *stack,
			    const struct sampled_options *options);

#endif
