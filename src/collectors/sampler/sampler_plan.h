/* What is to be sampled, as the settings have it, and the events of the kernel and the processor.
 */
#ifndef KYMO_SAMPLER_PLAN_H
#define KYMO_SAMPLER_PLAN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
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
	SAMPLER_EVENT,	  /* an event of the kernel's or the processor's that overflows */
};

/* What was asked for: sampler_plan.c. */

#define SAMPLER_RANGES_MAX 64u

struct sampler_threads { /* chosen by number; none = all */
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
	enum sampler_engine otherwise; /* for threads that get no event; may be SAMPLER_NONE */
	uint64_t period;	       /* ns, or events */
	uint64_t start_ns;	       /* on the monotonic clock */
	uint64_t end_ns;	       /* 0 = never */
	struct sampler_threads threads;
	struct sampler_event event; /* of SAMPLER_EVENT */
	bool is_time;		    /* the event counts nanoseconds */
};

struct sampler_plan {
	struct sampler_kind kind[SAMPLER_KINDS];
	uint32_t depth; /* frames of a stack that are kept */
	bool has_jitter;
};

extern struct sampler_plan sampler_plan; /* written before the first thread is sampled */

/* False when nothing is to be sampled.  Context: init. */
bool sampler_plan_read(void);
bool sampler_threads_has(const struct sampler_threads *threads, uint32_t number);

/* The event by its name, as PAPI and the kernel have it; false: unknown. */
bool sampler_event_find(const char *name, struct sampler_event *out);
/* A descriptor of the event in the calling thread, with its signal; -1: there is none, or none
 * that leaves half of them to the program, or time would not be seen in the kernel. */
int sampler_event_open(const struct sampler_kind *kind, uint64_t period);
/* Whether it can be had, and sees what the kernel does for the thread. */
bool sampler_event_probe(const struct sampler_event *event, bool *sees_kernel_out);
void sampler_event_rearm(int descriptor, uint64_t period);
void sampler_event_stop(int descriptor);
uint64_t sampler_event_count(int descriptor);
struct sampler_timer;
uint64_t sampler_event_id(int descriptor);
/* A program may close all descriptors there are, and get the number for a file of its own. */
bool sampler_event_is_open(const struct sampler_timer *timer);
void sampler_event_close(const struct sampler_timer *timer);

/* The signals that sampling takes: sampler_signals.c. */

/* A free one, or the one that is wanted; 0 = it cannot be had.  Context: init. */
int sampler_signal_choose(int wanted);
/* Install the handler for the kinds that are on; false: for none.  Context: init. */
bool sampler_signals_install(void (*handler)(int, siginfo_t *, void *));
/* Let the program have one, and its kind take another; no signal is under way, and nobody
 * else does this.  False: there is no other, or it is not ours. */
bool sampler_signal_give(int signal);

#endif
