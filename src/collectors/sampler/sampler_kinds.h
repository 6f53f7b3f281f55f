/* What is sampled: the kinds of samples, the sources of their signals, and the plan of all of
 * them.  Written once, except signals that the program is given.  Context: any. */
#ifndef KYMO_SAMPLER_KINDS_H
#define KYMO_SAMPLER_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/control/sampling.h"

/* Index of a kind of sample: enum kymo_sample_kind less 1. */
#define SAMPLER_KINDS 3u
static inline enum kymo_sample_kind sampler_kind_of(unsigned index)
{
	return (enum kymo_sample_kind)(KYMO_SAMPLE_REALTIME + index);
}

enum sampler_engine {
	SAMPLER_NONE,	  /* this thread is not sampled */
	SAMPLER_WALL,	  /* a timer on the monotonic clock */
	SAMPLER_CPU,	  /* a timer on the thread's CPU clock */
	SAMPLER_WEIGHTED, /* a timer on the monotonic clock, weighted by CPU time used */
	SAMPLER_EVENT,	  /* an overflow of an event of the kernel or the processor */
};

#define SAMPLER_RANGES_MAX 64u

struct sampler_threads { /* selected by number; none = all */
	uint32_t count;
	struct {
		uint32_t first, last;
	} range[SAMPLER_RANGES_MAX];
};

struct sampler_event { /* for perf_event_open() */
	uint32_t type;
	uint64_t config;
};

struct sampler_kind {
	bool is_on;
	int signal;
	enum sampler_engine engine;
	enum sampler_engine otherwise; /* for threads without an event; may be SAMPLER_NONE */
	uint64_t period;	       /* ns, or events */
	uint64_t start_ns;	       /* on the monotonic clock */
	uint64_t end_ns;	       /* 0 = never */
	struct sampler_threads threads;
	struct sampler_event event; /* of SAMPLER_EVENT */
	bool is_time;		    /* the event counts nanoseconds */
};

#define SAMPLER_DEPTH_MAX 4096u

struct sampler_plan {
	struct sampler_kind kind[SAMPLER_KINDS];
	uint32_t depth; /* frames of a stack that are recorded, at most SAMPLER_DEPTH_MAX */
	bool has_jitter;
};

/* Written by sampler_plan_read(), before the first thread is sampled. */
extern struct sampler_plan sampler_plan;

#endif
