/* A plan that is made of code of the test program itself, put into place and run: a page of
 * assembly is taken for a file whose addresses are those it has. */
#ifndef KYMO_PLAN_FIXTURE_H
#define KYMO_PLAN_FIXTURE_H

#include "patch/analyse/file/patchmodule.h"
#include "patch/apply/patchabi.h"
#include "patch/plan/plan.h"

#define FIXTURE_FUNCTIONS 32
#define FIXTURE_RECORDS	  4096

struct fixture_slow { /* what the slow routines were told */
	uint32_t index;
	uint64_t slot;
	bool is_exit;
};

struct fixture_event {
	bool is_exit, is_long;
	uint32_t index;
	uint32_t slot;
	uint64_t ticks;
};

struct fixture {
	struct patch_module module;
	struct patch_function functions[FIXTURE_FUNCTIONS];
	struct patch_exit exits[4 * FIXTURE_FUNCTIONS];
	struct patch_segment segment;
	unsigned variant;     /* of the plan, PLAN_VARIANT_* */
	unsigned char *bytes; /* the plan */
	size_t size;
	struct plan plan;
	uint8_t *region; /* where it is mapped */
	size_t region_size;
	struct patch_switch *gate;
	unsigned char *text; /* as it was before */
	size_t text_size;
};

extern __thread struct patch_thread_state fixture_hot;
extern uint8_t fixture_records[FIXTURE_RECORDS];
extern uint32_t fixture_left[FIXTURE_FUNCTIONS + 8];
extern uint64_t fixture_clock;
extern struct fixture_slow fixture_slow[256];
extern unsigned fixture_slow_count;
extern bool fixture_is_wanted;	 /* what slow_enter answers */
extern bool fixture_makes_ready; /* slow_enter lets what follows be recorded */
extern bool fixture_is_late;	 /* then, and FULL: there was no record before, for long */
/* Nothing is recorded: the thread's state is another than READY. */
void fixture_pause(uint64_t state);
#define FIXTURE_FIRST_ID 5u

/* Code at [start, end), whole pages. */
void fixture_init(struct fixture *fixture, void *start, void *end);
/* A function; entries of its kind fill displaced bytes.  Its number. */
uint32_t fixture_function(struct fixture *fixture, const void *start, const void *end,
			  enum plan_way way, unsigned displaced, bool ends);
void fixture_exit(struct fixture *fixture, enum patch_exit_kind kind, const void *at,
		  const void *instruction, unsigned code, unsigned displaced);
/* Make the plan, map it and write its jumps; a thread's state is set up. */
void fixture_apply(struct fixture *fixture, enum patch_cost cost, bool no_calls);
/* Take everything back. */
void fixture_release(struct fixture *fixture);
/* The words of this thread as new, records empty; COARSE: at the clock's time. */
void fixture_reset(void);
/* What was recorded since. */
unsigned fixture_events(struct fixture_event *events, unsigned max);
/* "+3 -3 +4 …" of them, ids less FIXTURE_FIRST_ID. */
const char *fixture_text(void);

#endif
