/* Native functions that are recorded without being recompiled: the collector that puts plans
 * (patch/plan/plan.h) into the program before it runs, and serves what trampolines cannot do alone.
 *
 * The library is initialised before all others: what it changes then nobody runs in.  The
 * recording opens later; until then all switches are off.  A thread's words (struct
 * patch_thread_state) are written by its trampolines, by the slow routines they call, and where it
 * begins, forks and ends.  Nothing of the event path allocates from the heap or waits for a lock of
 * the program; what needs more than a few instructions runs on a stack of Kymo's own with all
 * signals held back. */
#ifndef KYMO_FUNCPATCH_H
#define KYMO_FUNCPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/functions/counts/funcpatch_throttle.h"
#include "format/format.h"
#include "patch/apply/patchabi.h"
#include "format/planvalues.h"
#include "patch/apply/patchapply.h"
#include "runtime/control/sampling.h"

/* What was asked for: funcpatch_settings.c. */

struct funcpatch_settings {
	enum patch_cost cost;
	bool has_scope;	 /* libraries may be recorded, too: the choices say which functions */
	bool has_calls;	 /* bodies may be called by their trampolines */
	bool has_loops;	 /* COARSE, FULL: functions' loops are recorded, too */
	uint32_t budget; /* what recording may cost, millionths of a percent; 0 = whatever */
	const char *key; /* of the choices; "" = all functions of the program, none of libraries */
	const char *api; /* LIB:REGEX …: the calls into these libraries; "" = none */
	bool has_functions;		      /* false: nothing but these */
	bool has_later;			      /* libraries that are loaded later count, too */
	const char *cache_home, *home, *tool; /* NULL = not set */
	char *const *environment;
};
extern struct funcpatch_settings funcpatch_settings;

/* From the environment that the loader hands out.  False: nothing is to be done. */
bool funcpatch_settings_read(char *const *environment);
/* The value of NAME in it; NULL = not set. */
const char *funcpatch_environment(char *const *environment, const char *name);

struct funcpatch_places;

/* Modules: funcpatch_modules.c, _apply.c, _plan.c, _tool.c. */

#define FUNCPATCH_MODULES_MAX 512u
#define FUNCPATCH_PATH_MAX    4096u
#define FUNCPATCH_IDS_PAGE    (KYMO_CHUNK_ALIGN / 4u)
#define FUNCPATCH_ID_FIRST    ((uint32_t)(sizeof(struct kymo_chunk) / 4u))

struct funcpatch_module {
	struct patch_applied applied;
	void *plan_bytes;
	size_t plan_size;
	void *choice_bytes;
	size_t choice_size;
	const uint8_t *choice; /* in them: a byte a function; NULL = all are taken */
	bool is_rewritten;     /* the file itself has jumps and code */
	bool is_api;	       /* its text stays, callers are led to trampolines … */
	bool is_present;       /* … it is loaded now … */
	bool is_bound;	       /* … and they are by now */
	uint64_t start, end;   /* of the module in the process */
	uint64_t path_hash;
	uint32_t first_id, count;
	uint64_t taken;	     /* functions that are written */
	bool is_loaded;	     /* false: it was unloaded, and nobody runs in it */
	bool has_switch;     /* its switch is the recording's page */
	uint64_t told_start; /* the recording has its FUNCTIONS as loaded there; 0 = not */
	struct funcpatch_places *places; /* functions that call hooks: funcpatch_hooks.c */
	struct values values;		 /* of functions whose arguments are recorded */
};

/* What was instrumented is gone, and something else may be in its place. */
extern bool funcpatch_has_unloaded;
/* Raised with a release store; entries before it are valid for ever. */
extern struct funcpatch_module funcpatch_modules[FUNCPATCH_MODULES_MAX];
extern uint32_t funcpatch_module_count;

/* Find the modules that are in scope and not known, and instrument them.  Context: init, or
 * the loader's hook. */
void funcpatch_modules_look(void);
/* True of Kymo's own libraries and of the loader. */
bool funcpatch_is_ours(const char *path);
struct funcpatch_found;
struct modulescan_found;
/* Keep where a module lies, under a hash of what is asked of it; its path fits.  Context: any. */
void funcpatch_keep_found(struct funcpatch_found *found, const struct modulescan_found *module,
			  uint64_t hash);
/* The module whose trampolines address lies in; NULL = none.  Context: any. */
const struct funcpatch_module *funcpatch_module_at(uint64_t address);
/* Write the FUNCTIONS of all that are not told yet. */
void funcpatch_modules_tell(void);
/* What is told belongs to a recording that is gone. */
void funcpatch_modules_forget(void);

/* What recording one call costs, picoseconds, calibrated when it is asked first; never 0.
 * Context: thread. */
uint64_t funcpatch_cost_ps(void);
/* Of these, between the two readings of the clock; 0 = not known, as with COUNTS. */
uint64_t funcpatch_inside_ps(void);
/* Note how the cost depends on what a function does.  Context: thread. */
void funcpatch_cost_note(void);
/* All switches, also those of modules to come. */
void funcpatch_switch(bool is_off);
bool funcpatch_is_switched_off(void);

/* What plans are to be of.  The exported functions of libraries are always called. */
struct plan_kind funcpatch_kind(bool is_api);
/* What belongs to a module's plan is unmapped. */
void funcpatch_plan_release(struct funcpatch_module *module);

/* Shadow slots of return addresses: vector.shadow_start, for further calls; and where those
 * begin that open calls have.  funcpatch_shadow.c */
uint64_t funcpatch_shadow_start(void);
uint64_t funcpatch_shadow_floor(void);
/* Map them, once, when a function needs them. */
void funcpatch_shadow_map(void);
/* Those of the stack that ends at top are to be in core files. */
void funcpatch_shadow_show(uint64_t top);
/* Look whether a library was loaded with which no function can be called through.  Context: init,
 * or the loader's hook. */
void funcpatch_shadow_heed(void);
/* The program limits its memory: no function is called through from now on, and what no open call
 * has is given back.  Context: thread. */
void funcpatch_shadow_limit(void);

/* Before anything of the C library is called.  Context: init. */
void funcpatch_sanitizer_init(void);
/* The program was built with a sanitizer whose reports tell callers.  Context: init. */
bool funcpatch_is_sanitized(void);

/* Find the loader's own functions.  Context: init. */
void funcpatch_unwind_init(void);
/* Debuggers are told of the trampolines of a module, or that they are about to go:
 * funcpatch_debugger.c.  Context: as funcpatch_modules_look(). */
void funcpatch_debugger_add(const struct funcpatch_module *module);
void funcpatch_debugger_remove(const struct funcpatch_module *module);
/* Be told of libraries that are loaded later.  Context: init. */
void funcpatch_loader_follow(void);

/* The recording is to know of modules that came while it is open. */
void funcpatch_loaded(void);

/* The recording is open: what is instrumented is recorded from here on.  Context: init. */
void funcpatch_opened(void);
/* The program ran before it was instrumented (funcpatch_attach.c): whoever attached to it has
 * its text written, and is told what is wrong. */
extern bool funcpatch_is_attached;
/* What was said of what went wrong; "" = nothing. */
const char *funcpatch_complaint(void);
/* Nothing is recorded any more; trampolines pass on. */
void funcpatch_stop(void);

/* One line on stderr, and in the recording when there is one. */
void funcpatch_complain(const char *text);

/* Threads: funcpatch_thread.c. */

#define FUNCPATCH_STACK_BYTES (96u << 10)

struct funcpatch_counts;  /* funcpatch_counts.c */
struct funcpatch_opens;	  /* funcpatch_hooks.c */
struct funcpatch_returns; /* funcpatch_values.c */

struct funcpatch_thread {
	struct funcpatch_thread *next, *next_free;
	bool is_used;
	bool is_out; /* there is no room for it any more */
	struct kymo_thread *thread;
	struct patch_thread_state *hot;
	uint64_t kept_state; /* of the words, while it forks */
	uint32_t *kept_left;
	uint64_t payload; /* of the next chunk of events */
	/* Records with marks of time: where they go on, when the cursor is closed; and a time in
	 * which there were none, which is not written yet.  funcpatch_marked.c */
	uint8_t *at;
	bool is_kept_open; /* the cursor, before it forked */
	uint8_t has_window;
	uint64_t window_off, window_on;
	uint64_t marked;  /* the latest mark's time */
	uint64_t skipped; /* as far as added to the totals */
	void *search;	  /* for a caller: funcpatch_outside.c */
	struct funcpatch_counts *counts;
	struct funcpatch_opens *opens;	   /* it stays, and is used again */
	struct funcpatch_returns *returns; /* likewise */
	/* A budget: bytes of records in chunks that are full, where the one at hand begins, … */
	uint64_t written;
	const uint8_t *chunk_start;
	struct funcpatch_throttle_thread throttle;
	_Alignas(64) char stack[FUNCPATCH_STACK_BYTES];
};

extern __thread struct patch_thread_state funcpatch_thread_state
	__attribute__((tls_model("initial-exec"), visibility("hidden")));
extern __thread struct funcpatch_thread *funcpatch_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

extern bool funcpatch_is_open;				/* atomic: events can be recorded */
extern uint64_t funcpatch_own_start, funcpatch_own_end; /* this library */

static inline bool funcpatch_is_own(uint64_t address)
{
	return address >= funcpatch_own_start && address < funcpatch_own_end;
}

extern const struct kymo_thread_listener funcpatch_listener;

/* The lock of modules and threads, with all signals held back. */
void funcpatch_hold(uint64_t *before);
void funcpatch_let_go(uint64_t before);

/* On a stack of Kymo's own, with all signals held back.  The calling thread meets its first
 * event, or its first after a fork: funcpatch_self is there when it can record. */
void funcpatch_thread_meet(void *unused);
/* Likewise: new room for the records of self; it is out when there is none. */
void funcpatch_thread_refill(void *self);
/* Call one of these for the calling thread, from where general registers alone may be touched.
 * False: it is out.  Context: hook. */
bool funcpatch_apart(void (*function)(void *self));
/* How that is called: the runtime is told that this stack is no stack of the program's. */
struct funcpatch_job {
	void (*function)(void *argument);
	void *argument;
};
void funcpatch_job_do(void *job);
/* The recording is full: nobody records any more. */
void funcpatch_full(void);
/* The recording is about to be closed, or goes on after all: funcpatch_lifecycle.c */
void funcpatch_closing(bool is_closing);
/* Threads begin anew, in another recording; all but the calling one stand still, and none is in
 * a trampoline. */
void funcpatch_threads_renew(void);
/* For every thread that records; the lock is held. */
void funcpatch_threads_each(void (*tell)(struct funcpatch_thread *thread, void *context),
			    void *context);
uint64_t funcpatch_skipped(void);

/* Slow routines: funcpatch_slow.c, x86_64/funcpatch_call.c. */

/* What the vector names; general registers alone are touched. */
void funcpatch_slow_enter(void);
void funcpatch_slow_exit(void);
struct funcpatch_wanted { /* in two registers */
	uint64_t is_wanted;
	uint64_t *start; /* put the time there last of all, or NULL */
};
/* frame: the caller's frame pointer.  saved: where the slow routine keeps registers
 * (funcpatch_values_registers). */
struct funcpatch_wanted funcpatch_enter(uint32_t index, uint64_t slot, uint64_t place,
					uint64_t frame, const uint64_t *saved)
	__attribute__((visibility("hidden")));
void funcpatch_exit(uint64_t slot, uint64_t place, uint64_t now)
	__attribute__((visibility("hidden")));
/* What trampolines do, for who is no trampoline.  slot: of the call, where its return address
 * lies, or a word that stands for that.  True: it is recorded.  Context: hook. */
bool funcpatch_traced_enter(uint32_t id, uint64_t slot);
void funcpatch_traced_exit(uint64_t slot);
bool funcpatch_is_on_signal_stack(void);
/* One was taken off *left in one step; true: there was none. */
bool funcpatch_count_down(uint32_t *left);
/* Then: the call counts, and where the time goes when it is to be timed, or NULL.  caller: its
 * return address.  And: the end of a call that is timed; now is the time. */
uint64_t *funcpatch_counted_enter(const struct funcpatch_module *module, uint32_t index,
				  uint64_t slot, uint64_t caller);
void funcpatch_counted_exit(uint64_t slot, uint64_t now);
/* Call function on another stack that ends at top, with all vector registers kept. */
void funcpatch_call_on(void (*function)(void *), void *argument, void *top);
/* Call function with the vector registers kept that compiled code uses. */
void funcpatch_call_kept(void (*function)(void *), void *argument);
/* Distance of the calling thread's words from its thread pointer. */
uint64_t funcpatch_thread_offset(void);
/* Ticks that are measured of a timed call of an empty function. */
uint64_t funcpatch_empty_ticks(void);
/* One call of a function, recorded as trampolines do it, to be timed.  False: there is no such
 * thing for this processor. */
struct funcpatch_recorded {
	struct patch_thread_state hot;	  /* READY, with room */
	uint8_t is_off;			  /* it is not recorded */
	struct patch_thread_state *words; /* hot */
	uint64_t first_id_head;
	uint64_t *clock;       /* shows hot.last */
	uint64_t inside_ticks; /* out: of all calls, but with the coarse clock */
	uint64_t work, value;  /* multiplications that the function does, and with what */
};
bool funcpatch_recorded_call(struct funcpatch_recorded *recorded, bool is_coarse);
/* What it costs to count a call of a throttled function (funcpatch_throttle.h), picoseconds; 0 = not
 * known.  Context: thread. */
uint64_t funcpatch_counted_ps(void);
/* And, with COUNTS, a call of any other that is not timed.  Context: thread. */
uint64_t funcpatch_counting_ps(void);
/* Look what the processor has.  False: trampolines cannot be served here. */
bool funcpatch_call_init(void);

/* COUNTS: funcpatch_counts.c. */

struct funcpatch_timing { /* of one call */
	struct funcpatch_thread *self;
	const struct funcpatch_module *module;
	uint32_t index;
	uint64_t slot, now;
	uint64_t caller;		 /* its return address; 0 = it lies at slot */
	struct kymo_timed_caller *known; /* the record of its caller; NULL = to be looked for */
	bool is_each;			 /* every call comes here, and is timed */
	uint64_t *start;		 /* out: where its time goes when it is to be timed */
};
/* The call counts; its end, when that is wanted.  To be called by funcpatch_call_kept(), with
 * struct funcpatch_timing. */
void funcpatch_counts_enter(void *timing);
void funcpatch_counts_exit(void *timing);
/* The call counts, and nothing else can be done now.  Touches general registers alone. */
void funcpatch_counts_only(struct funcpatch_thread *self, uint32_t id);
/* Fetch what a call needs; the record of its caller when calls came from there before, which is
 * in an instrumented function then.  Touches general registers alone. */
struct kymo_timed_caller *funcpatch_counts_meet(const struct funcpatch_thread *self,
						const struct funcpatch_module *module,
						uint32_t index, uint64_t slot);
/* True when there is no room for what the next call may need; and: make it, if that can be
 * had.  As funcpatch_thread_refill(). */
bool funcpatch_counts_need_room(const struct funcpatch_thread *self);
void funcpatch_counts_room(void *self);
/* What timing a call takes, ticks, measured when it is asked first. */
uint64_t funcpatch_counts_timing(void);
/* Tell how often each function of ids [first, end) was called. */
void funcpatch_counts_tell(const struct funcpatch_thread *self, uint32_t first, uint32_t end,
			   uint64_t *calls);
/* Tables for self, and room in them for module.  The lock is held. */
bool funcpatch_counts_begin(struct funcpatch_thread *self);
void funcpatch_counts_module(struct funcpatch_thread *self, const struct funcpatch_module *module);
void funcpatch_counts_end(struct funcpatch_thread *self);

/* Off and on: funcpatch_gate.c, funcpatch_helper.c. */

/* The recording that the gate is in. */
void funcpatch_gate_begin(const struct kymo_thread *thread);
/* True when recording was switched off and nobody has noticed.  Context: hook. */
bool funcpatch_gate_is_shut(void);
/* Then: switch off, and have the helper look when it is on again.  As funcpatch_thread_refill. */
void funcpatch_gate_notice(void *unused);
/* Do as the gate says now.  On the helper's thread, or before there is one. */
void funcpatch_gate_follow(void);
bool funcpatch_gate_is_open(void);
/* True when the gate is off now, whoever has noticed; and: when it was changed last.
 * Context: hook. */
bool funcpatch_gate_is_stopped(void);
uint64_t funcpatch_gate_since(void);
/* The page of the recording in the place of the module's switch, when there is one.  The lock
 * is held. */
void funcpatch_gate_lay(struct funcpatch_module *module);
/* All modules have pages of their own again; and: the recording's, as before. */
void funcpatch_gate_part(bool is_off_there);
void funcpatch_gate_rejoin(void);
/* The process itself has them off, or leaves it to the gate. */
void funcpatch_gate_turn(bool is_shut);
/* Another recording begins. */
void funcpatch_gate_renew(void);
void funcpatch_gate_forked(void);

/* Begin what needs the helper, when something does.  Context: init. */
void funcpatch_helper_init(void);
bool funcpatch_helper_has_windows(void);
/* Something needs it from now on. */
void funcpatch_helper_need(void);
/* Where there should be one and is none: make it. */
void funcpatch_helper_begin(void);
void funcpatch_helper_forked(void);

/* x86_64/funcpatch_call.c: a thread that the C library does not know.  function runs on
 * the stack that ends at top, with the thread pointer local; *id is cleared when it has ended.
 * Its id, or negative. */
long funcpatch_thread_make(int (*function)(void *), void *top, uint64_t local, int32_t *id);
uint64_t funcpatch_thread_pointer(void);
/* True of an address in a trampoline where a function that it calls through comes back to. */
bool funcpatch_is_return_point(uint64_t address);
/* The copy of the memory around a thread pointer is at another address: pointer. */
void funcpatch_thread_pointer_fix(uint64_t pointer);

/* The recording's time for an event. */
uint64_t funcpatch_now(void);
extern uint64_t funcpatch_clock; /* COARSE: the time, in a page of its own */

#endif
