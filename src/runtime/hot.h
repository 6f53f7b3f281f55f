/* The hot path: entering and leaving a region, inlined into collectors.
 *
 * All state hangs off one initial-exec thread-local pointer.  Nothing here allocates,
 * locks, calls the C library or touches errno; what does not fit goes to the slow halves
 * in the runtime.  Context: hook. */
#ifndef KYMO_HOT_H
#define KYMO_HOT_H

#include "platform/ticks.h"
#include "runtime/metricread.h"
#include "runtime/runtime.h"

#define kymo_likely(x)	 __builtin_expect(!!(x), 1)
#define kymo_unlikely(x) __builtin_expect(!!(x), 0)

#define KYMO_MODE_PROFILE 1u
#define KYMO_MODE_TRACE	  2u
#define KYMO_MODE_METRICS 4u /* metrics besides the wall clock on every node */

struct kymo_fold;
struct kymo_path_table;

struct kymo_thread {
	struct kymo_node *current; /* innermost open node; the root when none is */
	char *base;		   /* where the recording is mapped */
	uint64_t *event;	   /* next free word */
	uint64_t *event_limit;	   /* room for the longest record is left below it */
	uint64_t event_base;	   /* ticks the deltas count from */
	uint32_t blocked;	   /* > 0: nothing is recorded: guard + paused + hidden */
	uint32_t clock_is_ticks;   /* the CPU's counter may be read directly */
	uint32_t gate;		   /* header.gate when last looked at, or KYMO_GATE_ASK */
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
	uint32_t hidden; /* part of blocked: inside a subtree the filter hides */
	uint32_t gated;	 /* part of blocked, 0 or 1: recording is switched off */
	uint32_t user_capacity;
	uint32_t busy;	 /* stack_mark() inside of enter or leave: a signal handler passes by */
	uint32_t pinned; /* innermost open region that does not end when collection stops, or 0 */
	uint32_t is_overdue;  /* collection stopped, and the pinned region kept others open */
	uint32_t stack_aside; /* frame evaluation has stepped aside until this unwinds */
	uint32_t is_fiber;
	uint32_t has_waits;  /* waited_ns of its record is to be told */
	uint32_t outermost;  /* open as long as the thread records: see kymo_thread_outermost() */
	uint32_t find_count; /* of kymo_callpath_find() */
	uintptr_t
		stack_low; /* lowest stack address evaluation may reach; UINTPTR_MAX = not asked */
	void *collector;   /* for the language collector's use */
	struct kymo_chunk *points; /* where its counters go on */
	struct user_name *names;   /* regions it has named lately */
	uint32_t pauses;	   /* how often it was paused while it was not */
	uint32_t gate_seen;	   /* the latest change of header.gate that it has followed */
	uint64_t off_ticks;	   /* of the first change to off that it has not, 0 = in the log */
	void *sampler;		   /* for the sampling collector's use */
	uint32_t interruptions;	   /* see kymo_sample_signals() */
};

extern __thread struct kymo_thread *kymo_thread_current
	__attribute__((tls_model("initial-exec"), visibility("default")));

static inline struct kymo_thread *kymo_thread(void)
{
	struct kymo_thread *thread = kymo_thread_current;

	return kymo_likely(thread != NULL) ? thread : kymo_thread_attach();
}

/* thread.gate where time windows decide: every event has to ask. */
#define KYMO_GATE_ASK UINT32_MAX

/* True when events of this thread are recorded now.  Every collector asks this before
 * kymo_enter() and kymo_leave(): recording may be switched off and on from outside, by
 * the program and by time windows, and the thread itself closes what is open then. */
static inline __attribute__((always_inline)) bool kymo_admits(struct kymo_thread *thread)
{
	const struct kymo_header *header = (const struct kymo_header *)thread->base;

	if (kymo_likely(thread->blocked == 0 &&
			thread->gate == __atomic_load_n(&header->gate, __ATOMIC_RELAXED)))
		return true;
	return kymo_admits_slow(thread);
}

static inline uint64_t kymo_now(const struct kymo_thread *thread)
{
	return kymo_likely(thread->clock_is_ticks) ? ticks_read() : ticks_read_fallback();
}

static inline struct kymo_node *kymo_node_at(const struct kymo_thread *thread, uint32_t reference)
{
	return (struct kymo_node *)(thread->base + (uint64_t)reference * KYMO_NODE_UNIT);
}

static inline void kymo_event_put(struct kymo_thread *thread, enum kymo_event_kind kind,
				  uint32_t region, uint64_t now)
{
	uint64_t *event = thread->event;
	uint64_t delta = now - thread->event_base;

	if (kymo_unlikely(event >= thread->event_limit || (delta >> KYMO_EVENT_TICK_BITS) != 0 ||
			  region > KYMO_EVENT_REGION_MAX)) {
		kymo_event_slow(thread, kind, region, now, 0);
		return;
	}
	__atomic_store_n(event, kymo_event_head(kind, region, delta), __ATOMIC_RELEASE);
	thread->event = event + 1;
}

/* As kymo_event_put(), for the kinds that carry a word; it is written before the head. */
static inline void kymo_event_put_word(struct kymo_thread *thread, enum kymo_event_kind kind,
				       uint32_t region, uint64_t now, uint64_t word)
{
	uint64_t *event = thread->event;
	uint64_t delta = now - thread->event_base;

	if (kymo_unlikely(event >= thread->event_limit || (delta >> KYMO_EVENT_TICK_BITS) != 0 ||
			  region > KYMO_EVENT_REGION_MAX)) {
		kymo_event_slow(thread, kind, region, now, word);
		return;
	}
	event[1] = word;
	__atomic_store_n(event, kymo_event_head(kind, region, delta), __ATOMIC_RELEASE);
	thread->event = event + 2;
}

/* The bookkeeping of one closed visit. */
static inline void kymo_node_close(struct kymo_node *node, uint64_t now)
{
	uint64_t duration = now - node->enter;

	node->sum += duration;
	if (duration < node->min)
		node->min = duration;
	if (duration > node->max)
		node->max = duration;
	node->sum_squares += (double)(int64_t)duration * (double)(int64_t)duration;
	node->enter = 0;
}

/* Enter region in the tree; false when the path folds.  *now_out is set when true. */
static inline __attribute__((always_inline)) bool
kymo_enter_tree(struct kymo_thread *thread, uint32_t region, unsigned mode, uint64_t *now_out)
{
	/* Without a child the cache is 0, which is the header page: its magic is no region,
	 * so no separate test is needed. */
	struct kymo_node *node = kymo_node_at(thread, thread->current->cache);

	if (kymo_unlikely(node->region != region)) {
		node = kymo_callpath_find(thread, region);
		if (!node)
			return false;
	}
	node->count++;
	thread->current = node;
	if (mode & KYMO_MODE_METRICS)
		kymo_callpath_metrics_enter(thread, node);
	node->enter = *now_out = kymo_now(thread);
	return true;
}

/* Enter region in the profile, if there is one; whether there is an event to write, and its time.
 */
static inline __attribute__((always_inline)) bool
kymo_enter_profile(struct kymo_thread *thread, uint32_t region, unsigned mode, uint64_t *now_out)
{
	bool is_entered =
		(mode & KYMO_MODE_PROFILE) && kymo_enter_tree(thread, region, mode, now_out);

	if (!(mode & KYMO_MODE_TRACE))
		return false;
	if (!is_entered)
		*now_out = kymo_now(thread);
	return true;
}

/* Enter region.  mode is a compile-time constant of KYMO_MODE_* bits. */
static inline __attribute__((always_inline)) void kymo_enter(struct kymo_thread *thread,
							     uint32_t region, unsigned mode)
{
	uint64_t now;

	if (kymo_enter_profile(thread, region, mode, &now))
		kymo_event_put(thread, KYMO_EVENT_ENTER, region, now);
}

/* As kymo_enter(), with an event that carries a word: KYMO_EVENT_RESUME or _ANNOTATED. */
static inline __attribute__((always_inline)) void kymo_enter_with(struct kymo_thread *thread,
								  uint32_t region,
								  enum kymo_event_kind kind,
								  uint64_t word, unsigned mode)
{
	uint64_t now;

	if (kymo_enter_profile(thread, region, mode, &now))
		kymo_event_put_word(thread, kind, region, now, word);
}

/* Leave region; kind is KYMO_EVENT_LEAVE or KYMO_EVENT_UNWIND. */
static inline __attribute__((always_inline)) void
kymo_leave(struct kymo_thread *thread, uint32_t region, enum kymo_event_kind kind, unsigned mode)
{
	uint64_t now = kymo_now(thread);

	if (mode & KYMO_MODE_PROFILE) {
		struct kymo_node *node = thread->current;

		if (kymo_likely(node->region == region)) {
			if (mode & KYMO_MODE_METRICS)
				kymo_callpath_metrics_exit(thread, node);
			kymo_node_close(node, now);
			thread->current = kymo_node_at(thread, node->parent);
		} else {
			kymo_callpath_exit_slow(thread, region, now);
		}
	}
	if (mode & KYMO_MODE_TRACE)
		kymo_event_put(thread, kind, region, now);
}

#endif
