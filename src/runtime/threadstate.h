/* The runtime's state of each thread, and whether its events are recorded now.
 *
 * It is reached through one initial-exec thread-local pointer.  Nothing here allocates, locks,
 * calls the C library or changes errno.  Context: hook. */
#ifndef KYMO_THREADSTATE_H
#define KYMO_THREADSTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/runtime.h"

#define kymo_likely(x)	 __builtin_expect(!!(x), 1)
#define kymo_unlikely(x) __builtin_expect(!!(x), 0)

struct kymo_fold;
struct position_slot;
struct kymo_path_table;

struct kymo_thread {
	struct kymo_node *current; /* innermost open node; the root when none is */
	char *base;		   /* where the recording is mapped */
	uint64_t *event;	   /* next free word */
	uint64_t *event_limit;	   /* space for the longest record is left after it */
	uint64_t event_base;	   /* ticks that deltas are relative to */
	uint32_t blocked;	   /* > 0: nothing is recorded: guard + paused + hidden */
	uint32_t clock_is_ticks;   /* the CPU's counter may be read directly */
	uint32_t gate;		   /* header.gate when last checked, or KYMO_GATE_ASK */
	uint32_t user_count;	   /* open regions of the user: see kymo_user_begin() */
	uint32_t *user;
	/* Off the hot path. */
	struct kymo_path_table *paths;
	struct kymo_fold *fold;
	struct kymo_thread_record *record;
	struct kymo_chunk *nodes; /* chunk new nodes are taken from */
	struct kymo_chunk *events;
	struct kymo_node *root;
	struct kymo_thread *next;      /* all states of the process, or the free ones */
	struct kymo_thread *idle_next; /* fibers without a stack */
	uint64_t cpu_start_ns;
	uint64_t waited_start_ns;
	uint32_t paused; /* part of blocked: notrace, noprofile */
	uint32_t hidden; /* part of blocked: inside a subtree that the filter hides */
	uint32_t gated;	 /* part of blocked, 0 or 1: recording is switched off */
	uint32_t user_capacity;
	uint32_t busy; /* stack_mark() inside of enter or leave: a signal handler records nothing */
	uint32_t pinned; /* innermost open region that does not end when collection stops, or 0 */
	uint32_t is_overdue;  /* collection stopped, and the pinned region kept others open */
	uint32_t stack_aside; /* frame evaluation is skipped until this unwinds */
	uint32_t is_fiber;
	uint32_t has_waits;  /* waited_ns of its record is to be written */
	uint32_t outermost;  /* open as long as the thread records: see kymo_thread_outermost() */
	uint32_t find_count; /* of kymo_callpath_find() */
	uintptr_t stack_low; /* lowest stack address evaluation may reach; UINTPTR_MAX = unknown */
	void *collector;     /* for the language collector's use */
	struct kymo_chunk *points; /* current chunk of its counters */
	struct user_name *names;   /* regions it has named recently */
	uint32_t pauses;	   /* how often it was paused while not paused */
	uint32_t gate_seen;	   /* the latest change of header.gate that it has applied */
	uint64_t off_ticks; /* of the first change to off that it has not applied, 0 = in the log */
	void *sampler;	    /* for the sampling collector's use */
	uint32_t interruptions;	    /* see kymo_sample_signals() */
	struct position_slot *slot; /* with KYMO_MODE_POSITIONS; NULL = it is not sampled */
	struct kymo_node *folded;   /* its position while it folds; read by other threads */
};

extern __thread struct kymo_thread *kymo_thread_current
	__attribute__((tls_model("initial-exec"), visibility("default")));

static inline struct kymo_thread *kymo_thread(void)
{
	struct kymo_thread *thread = kymo_thread_current;

	return kymo_likely(thread != NULL) ? thread : kymo_thread_attach();
}

/* thread.gate if time windows decide: every event has to check. */
#define KYMO_GATE_ASK UINT32_MAX

/* kymo_admits() without its uncommon cases: false does not mean that they do not record. */
static inline __attribute__((always_inline)) bool
kymo_admits_at_once(const struct kymo_thread *thread)
{
	const struct kymo_header *header = (const struct kymo_header *)thread->base;

	return thread->blocked == 0 &&
	       thread->gate == __atomic_load_n(&header->gate, __ATOMIC_RELAXED);
}

/* True if events of this thread are recorded now.  Every collector checks this before
 * kymo_enter() and kymo_leave(): recording may be switched off and on from outside, by the
 * program and by time windows, and the thread itself then closes its open regions. */
static inline __attribute__((always_inline)) bool kymo_admits(struct kymo_thread *thread)
{
	return kymo_likely(kymo_admits_at_once(thread)) || kymo_admits_slow(thread);
}

#endif
