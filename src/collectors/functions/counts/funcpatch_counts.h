/* COUNTS: every call is counted, a random subset is timed. */
#ifndef KYMO_FUNCPATCH_COUNTS_H
#define KYMO_FUNCPATCH_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct funcpatch_module;
struct funcpatch_thread;
struct kymo_timed_caller;

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
struct kymo_timed_caller *funcpatch_counts_prefetch(const struct funcpatch_thread *self,
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

#endif
