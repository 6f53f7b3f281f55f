/* Sampling: signals that interrupt each thread now and then, and a handler that records the
 * stack it interrupted.
 *
 * A thread's state is private to it: written where it begins, by its handlers, which keep
 * each other out, and where it ends.  States are never unmapped, so that a late look at one
 * finds memory.  Nothing in a handler allocates from the heap, waits for a lock of the
 * program or calls the interpreter. */
#ifndef KYMO_SAMPLER_H
#define KYMO_SAMPLER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "object/unwind/unwind.h"
#include "pystack/pymerge.h"
#include "runtime/control/sampling.h"
#include "runtime/hot.h"

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

/* One line about what is not done, on stderr and in the recording. */
void sampler_complain(const char *text);

/* Which signals: sampler_signals.c. */

/* A free one, or the one that is wanted; 0 = it cannot be had.  Context: init. */
int sampler_signal_choose(int wanted);
/* Install the handler for the kinds that are on; false: for none.  Context: init. */
bool sampler_signals_install(void (*handler)(int, siginfo_t *, void *));
/* Let the program have one, and its kind take another; no signal is under way, and nobody
 * else does this.  False: there is no other, or it is not ours. */
bool sampler_signal_give(int signal);

struct sampler_timer {
	enum sampler_engine engine;
	int id;		      /* of the timer, or a descriptor */
	uint64_t due_ns;      /* when it comes next, on its clock */
	uint64_t period;      /* of the event, as armed last */
	bool was_closed;      /* at its latest signal nothing was recorded */
	uint64_t cpu_ns;      /* of the thread, as far as recorded */
	uint64_t event_count; /* likewise */
	uint64_t event_id;    /* the kernel's */
	uint32_t stretch;     /* the period is longer by that power of two */
};

struct sampler_slot { /* of the table that finds known stacks; id 0 = free */
	uint64_t frame;
	uint32_t parent, id;
};

#define SAMPLER_CODE_PAGES  16u
#define SAMPLER_NATIVE_MAX  4096u
#define SAMPLER_PYTHON_MAX  4096u
#define SAMPLER_DEPTH_MAX   4096u
#define SAMPLER_STACK_BYTES (128u << 10)
#define SAMPLER_MARKS_MAX   3u
#define SAMPLER_PATH_MAX    (SAMPLER_DEPTH_MAX + SAMPLER_MARKS_MAX + 1u)

struct sampler_stacks { /* sampler_stacks.c */
	struct kymo_chunk *chunk;
	uint64_t payload; /* of the next chunk */
	struct sampler_slot *slots;
	uint32_t capacity, count; /* ids given so far */
	uint32_t last_count;
	struct sampler_slot last[SAMPLER_PATH_MAX]; /* the latest stack, outermost first */
};

struct sampler_stream { /* sampler_stream.c */
	struct kymo_chunk *chunk;
	uint64_t payload;
	uint64_t ticks; /* of the latest record */
	uint64_t lost;	/* samples, since the latest record */
};

/* Room for one stack while it is taken: there are as many as handlers may run at once, and
 * what one thread has used is warm for the next. */
struct sampler_scratch {
	uint64_t path[SAMPLER_PATH_MAX]; /* filled from its end */
	struct unwind_frame native[SAMPLER_NATIVE_MAX];
	struct pyframe python[SAMPLER_PYTHON_MAX];
	struct pymerge_frame merged[SAMPLER_NATIVE_MAX + SAMPLER_PYTHON_MAX];
	/* The handler's own: signals may come on alternate stacks of a few KiB. */
	_Alignas(64) char stack[SAMPLER_STACK_BYTES];
};

struct sampler_rest { /* sampler_rest.c */
	bool is_on;   /* its latest sample was the last one before it was left to sleep */
	bool is_met;  /* the latest signal has left a sample, which was: */
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
	uint64_t guard_ns; /* when it comes; in the past where it is not armed */
};

struct sampled {		   /* one for each thread, in pages of its own */
	struct sampled *next;	   /* of all */
	struct sampled *next_free; /* of those not in use */
	bool is_used;
	uint32_t busy;		    /* atomic; inside of the handler */
	bool has_forked;	    /* the thread's state is to be asked for again */
	bool has_begun;		    /* BEGIN is written */
	struct kymo_thread *thread; /* never NULL; where it has forked, as it was before */
	uint32_t number;	    /* of the thread */
	int system_id;
	uint64_t random;
	/* [stack_low, stack_high) is known to be of its stack, and to be readable. */
	uint64_t stack_low, stack_high, foreign_page;
	uint64_t start_ns, start_ticks;		   /* when it began to be sampled */
	uint64_t begun_ticks;			   /* of the latest BEGIN */
	uint64_t seen_ticks, seen_ns, seen_cpu_ns; /* at the latest signal */
	uint64_t read_ticks, read_ns;		   /* when the monotonic clock was read last */
	double ns_per_tick;
	uint32_t until_read;		 /* signals until it is read again */
	bool is_waiting;		 /* and asleep, at the latest signal */
	uint64_t cost_ticks, cost_count; /* of the handler */
	struct sampler_timer timer[SAMPLER_KINDS];
	struct sampler_rest rest;
	struct sampler_stream stream;
	struct {		       /* sampler_names.c */
		uint32_t python_count; /* samples in Python */
		uint64_t given;	       /* the name that was recorded */
	} name;
	/* Caches. */
	uint64_t
		code_page[SAMPLER_CODE_PAGES]; /* pages of code that can be read, by their number */
	int descriptor;
	uint32_t descriptor_kind;
	struct sampler_stacks stacks; /* at the end: little of it is ever touched */
};

/* Signals: sampler_timer.c. */

/* Arm all that the plan has for the calling thread.  False: one cannot be had. */
bool sampler_timers_begin(struct sampled *self);
/* The next signal of a kind, from inside of its handler. */
void sampler_timer_next(struct sampled *self, unsigned kind, uint64_t now_ns);
/* Let go of them, in any thread's state. */
void sampler_timers_end(struct sampled *state);
/* No more signals for now; and again. */
void sampler_timers_pause(struct sampled *state);
void sampler_timers_resume(struct sampled *state);
/* Have those of a kind, in any thread's state, send the signal that it has now. */
void sampler_timers_move(struct sampled *state);
/* A forked child has no timers, but copies of descriptors. */
void sampler_timers_forget(struct sampled *self);

/* A distance between two signals, around the period.  Context: signal. */
uint64_t sampler_timer_draw(struct sampled *self, uint64_t period);
/* A timer on the calling thread's CPU clock, not armed, with the signal of realtime samples. */
bool sampler_guard_new(struct sampled *self, int *id_out);
void sampler_guard_set(int id, uint64_t due_ns); /* 0 = never */
/* The CPU clock of any thread of the process. */
clockid_t sampler_cpu_clock(int system_id);

/* Who sleeps: sampler_rest.c. */

struct sample_record;
/* Of a thread that begins. */
void sampler_rest_reset(struct sampled *self);
/* Before a sample is recorded: those that the thread slept through.  Context: signal. */
void sampler_rest_meet(struct sampled *self, const struct sample_record *record, uint64_t cpu_ns);
/* Where the thread is left to sleep for now, *period becomes what it is woken after, at least.
 * Context: signal. */
void sampler_rest_begin(struct sampled *self, uint64_t *period);
/* Those that any thread slept through so far; its handler does not run. */
void sampler_rest_flush(struct sampled *state);
/* Its guard comes no more for now; no more at all. */
void sampler_rest_pause(struct sampled *state);
void sampler_rest_end(struct sampled *state);

/* The thread's stack: sampler_stackbounds.c. */

/* Context: thread. */
void sampler_bounds_begin(struct sampled *self);
/* What can be read directly of the stack that sp is on.  Context: signal. */
struct unwind_stack sampler_bounds_of(struct sampled *self, uint64_t sp);

/* Room for stacks: sampler_scratch.c. */

/* Context: init. */
bool sampler_scratch_init(void);
void sampler_scratch_forked(void);
/* NULL: all are in use.  Context: signal. */
struct sampler_scratch *sampler_scratch_get(void);
void sampler_scratch_put(struct sampler_scratch *room);

/* Samples: sampler_stacks.c, sampler_stream.c. */

/* Id of path[0, count), outermost first; 0 = it could not be kept. */
uint32_t sampler_stack_id(struct sampled *self, const uint64_t *path, uint32_t count);
/* Forget what belongs to a recording that is gone. */
void sampler_stacks_reset(struct sampler_stacks *stacks);

/* False: there is no room, and the loss is counted where it is a sample. */
bool sampler_stream_put(struct sampled *self, const struct sample_record *record);
void sampler_stream_end(struct sampled *self);

/* The interrupted thread: sampler_handler.c. */

extern __thread struct sampled *sampler_self __attribute__((tls_model("initial-exec")));

/* The handler for the kinds that are on; false: a signal cannot be had. */
bool sampler_handler_install(void);

/* No sample is recorded from here on, or again. */
extern bool sampler_is_closed; /* atomic */

/* What was interrupted, by its registers: <cpu>/sampler_call_<cpu>.c */
struct sampler_call {
	bool is_call;	     /* it was in the kernel, by a system call */
	bool is_behind;	     /* which has ended */
	bool is_interrupted; /* with EINTR */
	/* The signal has ended it, or nobody knows; else who used little time had no processor. */
	bool may_have_slept;
	/* Or KYMO_FRAME_NO_CALL; of one that has ended not until sampler_call_name(). */
	uint32_t number;
	uint32_t meant;	    /* by the program, when signal hiding has made another one for it */
	uint64_t argument;  /* the first one */
	uint64_t operation; /* the second one: what a futex is called for */
};
void sampler_call_look(const void *ucontext, struct sampled *self, struct sampler_call *out);
/* Which one it was, where that is to be found out; on the room's stack. */
void sampler_call_name(const void *ucontext, const struct unwind_stack *stack,
		       struct sampler_call *call);
/* A system call, and nothing else: no wrapper, and errno is kept.  Negative: -errno. */
long sampler_system_call(long number, long first, long second, long third, long fourth);
/* Call function on another stack, that ends at top. */
void sampler_call_on(void (*function)(void *), void *argument, void *top);
/* Where the call would be begun anew, end it with EINTR. */
void sampler_call_end(void *ucontext);
/* Whether [pc - before, pc + after) can be read, around where self was interrupted. */
bool sampler_can_read_code(struct sampled *self, uint64_t pc, size_t before, size_t after);

/* It waits for a futex. */
bool sampler_call_is_wait(const struct sampler_call *call);
/* The frame of a system call: sampler_kernel.c.  is_waiting: the thread used no CPU time. */
uint64_t sampler_kernel_frame(struct sampled *self, const struct sampler_call *call,
			      bool is_waiting);

/* Python: sampler_interpreter.c, sampler_python.c, sampler_codes.c. */

struct sampler_interpreter {
	struct pyruntime runtime;
	bool is_permanent; /* it was there from the start, and cannot be unloaded */
	struct pymerge_evaluation evaluation;
};

/* Context: init. */
void sampler_interpreter_init(void);
void sampler_interpreter_forked(void);
/* A module was met that was not known. */
void sampler_interpreter_news(void);
/* The interpreter that Python code may run in now, or NULL.  Context: signal. */
const struct sampler_interpreter *sampler_interpreter_now(void);
/* Why one that is there is not looked into, or NULL. */
const char *sampler_interpreter_obstacle(void);

struct sampler_python {
	const struct sampler_interpreter *interpreter; /* NULL = none */
	uint64_t thread;			       /* its state, 0 = none */
	size_t count;				       /* of its frames; 0 = none */
	bool is_cut;
	bool is_torn; /* it has frames, but how many is not known */
	enum kymo_gil_state gil;
};
/* The Python stack of the calling thread, whose native one is in the room.
 * Context: signal. */
void sampler_python_walk(struct sampled *self, struct sampler_scratch *room, const void *context,
			 const struct sampler_call *call, struct sampler_python *out);

/* Whether its name is to be looked at in this sample: seldom, and ever more so.  Context: signal.
 */
bool sampler_name_is_due(struct sampled *self);
/* Record the name that Python has for the thread, which stands still.  Context: signal. */
void sampler_name_read(struct sampled *self, const struct pyruntime *runtime,
		       const struct pyframe *outermost, uint64_t address);

/* The frame's word; false: its code could not be recorded.  Context: signal. */
bool sampler_code_frame(const struct pyruntime *runtime, const struct pyframe *frame,
			uint64_t *frame_out);
void sampler_codes_forked(void);

/* What is said at the end: sampler_notes.c. */

struct sampler_totals { /* atomic */
	uint64_t unsampled_threads, closed_events, torn, lost, cost_ticks, cost_count;
	double ns_per_tick; /* as any thread saw it */
};
extern struct sampler_totals sampler_totals;

/* Add what a thread did. */
void sampler_totals_add(struct sampled *state);
void sampler_notes_write(void);

#endif
