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

/* What a thread did whose stack ends with these innermost frames. */
struct sampled_leaf {
	enum sampled_class class;	 /* that of its code */
	const struct sampled_call *call; /* it is in, or NULL */
	uint64_t content;		 /* of the kernel's frame */
	bool is_python;			 /* a Python frame itself */
	bool is_gil_wait;
	bool is_in_kernel;
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
enum sampled_class sampled_classify(const struct sampled_leaf *leaf, const struct sample *sample);
/* It computes, or would. */
bool sampled_is_running(enum sampled_class class);

/* What samples count in these tables: kinds, and which clock weighs. */
struct sampled_scale {
	enum kymo_sample_kind wall_kind, cpu_kind; /* KYMO_SAMPLE_KINDS = there is none */
};
struct sampled_scale sampled_scale(const struct samples *samples);

enum sampled_weight {
	SAMPLED_WALL,
	SAMPLED_CPU,
	SAMPLED_EVENTS,
	SAMPLED_WAITING, /* of SAMPLED_WALL: beside the others, none to choose */
	SAMPLED_WEIGHTS
};
/* The weight that options ask for. */
enum sampled_weight sampled_weight_of(const struct sampled_scale *scale, enum sampled_by by);
/* The weights of a sample; NAN = it is not of that kind.  CPU time of samples that found the
 * thread waiting is carried on to the next one that did not: it was used before. */
void sampled_weigh(const struct sampled_scale *scale, const struct sample *sample,
		   enum sampled_class class, double *carried_ns, double out[SAMPLED_WEIGHTS]);

#endif
