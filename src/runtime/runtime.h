/* The runtime: what lives in the process under study and writes its recording.
 *
 * This header is for collectors that call the runtime off the hot path; the enter and
 * leave of a region are inlined from hot.h.  The runtime owns everything it hands out.
 * Any function may be called from any thread after kymo_runtime_open(); each says in
 * which context.  None exits, aborts, prints to stdout or changes errno. */
#ifndef KYMO_RUNTIME_H
#define KYMO_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

#define KYMO_EXPORT __attribute__((visibility("default")))

/* Raised when a structure or function shared with separately built collectors changes. */
#define KYMO_RUNTIME_ABI 2

struct kymo_thread;
struct kymo_node;

enum kymo_runtime_state {
	KYMO_RUNTIME_NEW,      /* nothing was opened yet */
	KYMO_RUNTIME_ACTIVE,   /* recording */
	KYMO_RUNTIME_CLOSED,   /* the recording is complete */
	KYMO_RUNTIME_DISABLED, /* could not record; the reason was said once on stderr */
};

struct kymo_runtime_options {
	size_t size; /* of this structure */
	/* "NAME=VALUE" with names as KYMO_NAME without the prefix, closed by NULL; these
	 * count as the command line, above environment and files.  May be NULL. */
	const char *const *settings;
	/* The program's own command line, closed by NULL.  May be NULL: /proc is read. */
	const char *const *argv;
	/* The caller ends the recording itself, with kymo_runtime_end() of lifecycle.h, when
	 * nothing of the program is left to run: kymo_runtime_close() then only tells the exit
	 * status.  Programs that are started join the run through the environment. */
	bool is_resident;
	/* What is taken for the environment, closed by NULL, in memory that stays and may be
	 * written; NULL = the program's own. */
	char *const *environment;
	/* usage_own_ns() of this thread when Kymo's start began; 0 = now. */
	uint64_t began_ns;
};

KYMO_EXPORT int kymo_runtime_abi(void);

/* Read the settings, make the run directory or join the run named by KYMO_RUN_DIR, make
 * the recording.  0; KYMO_USAGE (base/status.h) when a setting is wrong, KYMO_ERROR when
 * nothing can be recorded, both with one line in reason (always terminated).
 * A second call, where the process is recorded already, takes over the settings and
 * returns 0; what is recorded in this process was settled by the first.  Context: init. */
KYMO_EXPORT int kymo_runtime_open(const struct kymo_runtime_options *options, char *reason,
				  size_t reason_size);

/* Close every open region and the recording; when this process made the run directory
 * and the settings ask for it, write the run's output files and summary (a child process
 * `kymo finish`, waited for).  exit_status -1 = unknown.  Context: init. */
KYMO_EXPORT void kymo_runtime_close(int exit_status);

KYMO_EXPORT enum kymo_runtime_state kymo_runtime_state(void);

/* Have listener called when the runtime has opened; at once when it is open.  Context: init. */
typedef void (*kymo_open_fn)(void);
KYMO_EXPORT void kymo_runtime_on_open(kymo_open_fn listener);

/* The collector is about to begin: what passed since opening is the start-up's cost. */
KYMO_EXPORT void kymo_runtime_ready(void);

/* Directory of the run and path of this process's recording; "" before opening. */
KYMO_EXPORT const char *kymo_runtime_directory(void);
KYMO_EXPORT const char *kymo_runtime_recording(void);

/* Value of a setting by its name without prefix ("MAX_DEPTH"); NULL when unknown.
 * Valid until the runtime is closed.  Context: init. */
KYMO_EXPORT const char *kymo_runtime_setting(const char *name);
/* Whether what is of this category is recorded, by ENABLE_CATEGORIES and DISABLE_CATEGORIES. */
KYMO_EXPORT bool kymo_runtime_records(const char *category);

/* Context of collection: bits KYMO_MODE_* of hot.h, fixed by the settings at opening. */
KYMO_EXPORT unsigned kymo_runtime_mode(void);

/* What a creating thread leaves for the thread it creates. */
struct kymo_thread_ticket {
	uint32_t thread; /* KYMO_NO_THREAD = unknown */
	uint32_t node;
};

/* State of the calling thread, made at the first call in a thread and after fork.
 * Never NULL: where nothing can be recorded a blocked state is returned.  Context: thread. */
KYMO_EXPORT struct kymo_thread *kymo_thread_attach(void);

KYMO_EXPORT struct kymo_thread_ticket kymo_thread_ticket(void);

/* As attach, with the parent and the name (either may be unknown: NULL).  Context: thread. */
KYMO_EXPORT struct kymo_thread *kymo_thread_begin(const struct kymo_thread_ticket *ticket,
						  const char *name);

/* Name a thread of this process by its gettid(); ignored when it was never seen. */
KYMO_EXPORT void kymo_thread_name(uint64_t system_id, const char *name);

/* Close the open regions of every thread: collection stops.  What a user opened by name
 * stays open where the thread's state says so (pinned), and with it what is below.  The
 * caller holds whatever keeps the other threads out of the hot path (the GIL).
 * Context: thread. */
KYMO_EXPORT void kymo_threads_unwind(void);
/* The same for the calling thread, when a pinned region of it has ended since. */
KYMO_EXPORT void kymo_thread_unwind(struct kymo_thread *thread);

/* Fibers: several stacks on one thread (greenlets). */

/* State for a further stack of the calling thread, fresh or recycled: its own tree and
 * events, shown as a thread of its own.  NULL when it cannot be had.  Context: thread. */
KYMO_EXPORT struct kymo_thread *kymo_fiber_get(const char *name);
/* Its stack has ended; the fiber may be given to another. */
KYMO_EXPORT void kymo_fiber_put(struct kymo_thread *fiber);
/* False for a state from before a fork. */
KYMO_EXPORT bool kymo_fiber_is_valid(const struct kymo_thread *fiber);
/* The calling thread runs on fiber's stack from here; returns the state it leaves. */
KYMO_EXPORT struct kymo_thread *kymo_fiber_switch(struct kymo_thread *fiber);

struct kymo_region_spec {
	enum kymo_region_kind kind;
	uint32_t flags;	  /* KYMO_REGION_* */
	const char *name; /* UTF-8; the rest may be NULL */
	const char *qualname;
	const char *module;
	const char *file;
	const char *arguments;
	uint32_t line;
	uint16_t argument_count;
	uint16_t local_count;
	uint32_t stack_size;
};

/* Id of the region with these properties, the same for the same properties; 0 when the
 * recording is full.  Context: thread. */
KYMO_EXPORT uint32_t kymo_region_intern(const struct kymo_region_spec *spec);

/* Call path and events: the slow halves of hot.h. */

/* Child of the current node for region, found or made.  NULL when the path folds: the
 * enter is then kept on the fold stack and balanced by kymo_callpath_exit_slow(). */
KYMO_EXPORT struct kymo_node *kymo_callpath_find(struct kymo_thread *thread, uint32_t region);
/* An exit whose region is not the current one: folded, unbalanced or not entered. */
KYMO_EXPORT void kymo_callpath_exit_slow(struct kymo_thread *thread, uint32_t region, uint64_t now);

/* Append an event that does not fit the head or the chunk. */
KYMO_EXPORT void kymo_event_slow(struct kymo_thread *thread, enum kymo_event_kind kind,
				 uint32_t region, uint64_t now, uint64_t word);

/* The cases of kymo_admits() that are not the common one: blocked threads, and changes of
 * the gate, which this applies to the thread.  Context: hook. */
KYMO_EXPORT bool kymo_admits_slow(struct kymo_thread *thread);

/* Entering and leaving for wrappers and users. */

/* Enter region where recording admits it; false: it was not entered, and is not to be
 * left.  Saves errno.  In a signal handler that came in the middle of one of these two it
 * passes by, and the loss is counted.  Context: any, signal handlers too. */
KYMO_EXPORT bool kymo_region_enter(struct kymo_thread *thread, uint32_t region);
/* Leave what kymo_region_enter() said it entered. */
KYMO_EXPORT void kymo_region_leave(struct kymo_thread *thread, uint32_t region);

/* Regions that a user begins and ends, in any language. */

/* Enter nothing on the calling thread until it is resumed as often as it was paused.
 * Context: thread. */
KYMO_EXPORT void kymo_user_pause(struct kymo_thread *thread);
/* False when it was not paused. */
KYMO_EXPORT bool kymo_user_resume(struct kymo_thread *thread);

/* The region of that name, whichever language names it; 0 when the recording is full.
 * Context: thread. */
KYMO_EXPORT uint32_t kymo_user_region(const char *name);

/* Enter region on the calling thread and keep it on the thread's stack of users' regions;
 * where nothing is recorded now it is kept as not entered.  Context: thread. */
KYMO_EXPORT void kymo_user_begin(struct kymo_thread *thread, uint32_t region);

enum kymo_user_end {
	KYMO_USER_ENDED,     /* it was the innermost one */
	KYMO_USER_REORDERED, /* it was not: those inside of it were ended too, and counted */
	KYMO_USER_NOT_OPEN,  /* counted, and nothing else done */
};
KYMO_EXPORT enum kymo_user_end kymo_user_end(struct kymo_thread *thread, uint32_t region);
/* The innermost open one, entered or not; 0 = none. */
KYMO_EXPORT uint32_t kymo_user_innermost(const struct kymo_thread *thread);

/* Picoseconds for each byte that is recorded, for the pages of the recording that the kernel makes
 * as they are filled; 0 = not known.  Context: thread. */
KYMO_EXPORT uint64_t kymo_page_byte_ps(void);

/* Whether times are read from the processor's counter.  Context: any. */
KYMO_EXPORT bool kymo_clock_is_ticks(void);

/* What recording one visit of a region takes, calibrated; 0 = not known. */
struct kymo_visit_cost {
	uint64_t all_ps;
	/* Of these: between the visit's two readings of the clock, and so in its own time; the
	 * rest is in its caller's. */
	uint64_t inside_ps;
};

struct kymo_visit_costs {
	struct kymo_visit_cost call, resume, c_call; /* resume: a generator's going on */
};

KYMO_EXPORT void kymo_cost_set(const struct kymo_visit_costs *costs);
/* CPU time that is Kymo's own, for the report; nanoseconds.
 * kymo_cost_early(): that was taken before the runtime was opened.  Context: init.
 * kymo_cost_beside(): a thread of Kymo's own did since it last said so.  Context: any.
 * kymo_cost_ending(): the program has ended, all that the calling thread does from here until the
 * recording is closed is Kymo's.  Context: thread. */
KYMO_EXPORT void kymo_cost_early(uint64_t cpu_ns);
KYMO_EXPORT void kymo_cost_beside(uint64_t cpu_ns);
KYMO_EXPORT void kymo_cost_ending(void);
/* A step of the coarse clock took so long that calls in it have no times of their own;
 * nanoseconds.  Context: any. */
KYMO_EXPORT void kymo_coarse_late(uint64_t step_ns);
/* Frame evaluation stepped aside once for want of stack. */
KYMO_EXPORT void kymo_stack_aside_count(void);

#endif
