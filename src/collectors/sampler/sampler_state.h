/* Sampling: signals that interrupt each thread periodically, and a handler that records the
 * interrupted stack.
 *
 * A thread's state is private to it: written where it begins, by its handlers, which exclude
 * each other, and where it ends.  States are never unmapped, so that a late read of one is
 * valid.  Nothing in a handler allocates from the heap, waits for a lock of the program or calls
 * the interpreter. */
#ifndef KYMO_SAMPLER_STATE_H
#define KYMO_SAMPLER_STATE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "collectors/threadstates.h"
#include "collectors/sampler/sampler_kinds.h"
#include "runtime/control/sampling.h"
#include "runtime/hot.h"

struct sampler_timer {
	enum sampler_engine engine;
	int id;		       /* of the timer, or a descriptor */
	uint64_t due_ns;       /* when its next signal is due, on its clock */
	uint64_t period;       /* of the event, as armed last */
	bool was_closed;       /* at its latest signal nothing was recorded */
	uint64_t cpu_ns;       /* of the thread, as far as recorded */
	uint64_t event_count;  /* likewise */
	uint64_t event_id;     /* the kernel's */
	uint32_t period_shift; /* the period is multiplied by that power of two */
};

struct sampler_slot { /* of the hash table of known stacks; id 0 = free */
	uint64_t frame;
	uint32_t parent, id;
};

#define SAMPLER_CODE_PAGES  16u
#define SAMPLER_NATIVE_MAX  4096u
#define SAMPLER_PYTHON_MAX  4096u
#define SAMPLER_STACK_BYTES (128u << 10)
#define SAMPLER_MARKS_MAX   3u
#define SAMPLER_PATH_MAX    (SAMPLER_DEPTH_MAX + SAMPLER_MARKS_MAX + 1u)

struct sampler_stacks { /* sampler_stacks.h */
	struct kymo_chunk *chunk;
	uint64_t payload; /* of the next chunk */
	struct sampler_slot *slots;
	uint32_t capacity, count; /* number of ids assigned */
	uint32_t last_count;
	struct sampler_slot last[SAMPLER_PATH_MAX]; /* the latest stack, outermost first */
};

struct sampler_stream { /* sampler_stream.h */
	struct kymo_chunk *chunk;
	uint64_t payload;
	uint64_t ticks; /* of the latest record */
	uint64_t lost;	/* samples, since the latest record */
};

struct sampler_rest {	 /* sampler_rest.h */
	bool is_on;	 /* its latest sample was the last one before the rest */
	bool has_sample; /* the latest signal has left a sample: */
	uint32_t stack;
	enum kymo_gil_state gil;
	uint64_t ticks, cpu_ns;
	uint32_t awake; /* signals until it may rest again */
	/* How it runs when it does not sleep. */
	bool was_running; /* at its latest sample */
	uint64_t run_ticks, run_cpu_ns;
	/* A timer on its CPU clock. */
	bool has_guard, has_no_guard;
	int guard;
	uint64_t guard_ns; /* when it expires; in the past if it is not armed */
};

struct sampler_thread { /* one for each thread, in pages of its own */
	struct threadstate state;
	uint32_t busy;		    /* atomic; inside of the handler */
	bool has_forked;	    /* the thread's state has to be read again */
	bool has_begun;		    /* BEGIN is written */
	struct kymo_thread *thread; /* never NULL; after a fork, the previous one */
	uint32_t number;	    /* of the thread */
	int system_id;
	uint64_t random;
	/* [stack_low, stack_high) is known to be in its stack, and readable. */
	uint64_t stack_low, stack_high, foreign_page;
	uint64_t start_ns, start_ticks;		   /* when it began to be sampled */
	uint64_t begun_ticks;			   /* of the latest BEGIN */
	uint64_t seen_ticks, seen_ns, seen_cpu_ns; /* at the latest signal */
	uint64_t read_ticks, read_ns;		   /* when the monotonic clock was read last */
	double ns_per_tick;
	uint32_t until_read;		 /* signals until it is read again */
	bool is_waiting;		 /* asleep, at the latest signal */
	uint64_t cost_ticks, cost_count; /* of the handler */
	struct sampler_timer timer[SAMPLER_KINDS];
	struct sampler_rest rest;
	struct sampler_stream stream;
	struct {		       /* sampler_names.h */
		uint32_t python_count; /* samples in Python */
		uint64_t given;	       /* the name that was recorded */
	} name;
	/* Caches. */
	uint64_t
		code_page[SAMPLER_CODE_PAGES]; /* pages of code that can be read, by their number */
	int descriptor;
	uint32_t descriptor_kind;
	struct sampler_stacks stacks; /* at the end: little of it is ever used */
};

/* State of the calling thread; NULL = it is not sampled. */
extern __thread struct sampler_thread *sampler_self __attribute__((tls_model("initial-exec")));

/* No sample is recorded from now on, or sampling is resumed. */
extern bool sampler_is_closed; /* atomic */

#endif
