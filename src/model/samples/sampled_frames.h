/* What the frames of samples are: the regions that stand for them, whose code it is and
 * what it waits for.  Each frame is looked up once.  Only the files that make tables of
 * samples need this. */
#ifndef KYMO_SAMPLED_FRAMES_H
#define KYMO_SAMPLED_FRAMES_H

#include "model/code/sampled_calls.h"
#include "model/samples/sampled_kinds.h"
#include "model/samples/samples.h"

struct calltree;

enum sampled_origin {
	SAMPLED_FROM_PROGRAM,
	SAMPLED_FROM_PYTHON,	  /* a Python frame */
	SAMPLED_FROM_INTERPRETER, /* its own native code */
	SAMPLED_FROM_LIBC,
	SAMPLED_FROM_START,	 /* what begins a thread */
	SAMPLED_FROM_MAIN_START, /* what calls main */
	SAMPLED_FROM_TRAMPOLINE, /* what begins a signal handler */
	SAMPLED_FROM_KYMO,
	SAMPLED_FROM_KERNEL,
	SAMPLED_FROM_NOWHERE, /* a mark */
};

struct sampled_frame {
	uint64_t word;
	uint32_t index;
	enum sampled_origin origin;
	bool is_of_no_file; /* native code of no module: the kernel's vdso, or made by the program
			     */
	bool is_evaluation; /* sampled_is_evaluation() */
	bool is_gil_wait;   /* a function that takes the GIL */
	bool is_recording;  /* one of Kymo's that trampolines call */
	bool is_kymo_sleep; /* one of Kymo's that sleeps in the place of the program's */
	const struct sampled_call *call; /* KERNEL and LIBC: what it is in, or NULL */
	bool is_stand_in; /* KYMO: the program called a wait of the C library's and got this one */
	uint32_t region;  /* of the outermost function, see sampled_region() */
	uint32_t region_count; /* with those inlined into it */
};

struct sampled_frames;
enum kymo_status sampled_frames_new(struct recording *recording, const struct samples *samples,
				    const struct sampled_options *options,
				    struct sampled_frames **out);
void sampled_frames_free(struct sampled_frames *frames);

/* The frame that a word is; NULL = no memory.  Valid until the next call. */
const struct sampled_frame *sampled_frames_find(struct sampled_frames *frames, uint64_t word);
bool sampled_frames_keep_internal(const struct sampled_frames *frames);
/* The region of the outermost function of a frame, 1 = the one inlined into it, and so on. */
uint32_t sampled_frames_region(const struct sampled_frames *frames,
			       const struct sampled_frame *frame, uint32_t index);

/* A region of that name which stands for no frame; 0 = no memory. */
uint32_t sampled_frames_named(struct sampled_frames *frames, const char *name);
/* The frame with an index, as struct sampled_stack has it. */
const struct sampled_frame *sampled_frames_at(const struct sampled_frames *frames, uint32_t index);

#endif
