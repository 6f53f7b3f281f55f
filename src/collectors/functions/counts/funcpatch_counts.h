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
	uint64_t caller;		 /* its return address; 0 = it is stored at slot */
	struct kymo_timed_caller *known; /* the record of its caller; NULL = to be searched for */
	bool is_each;			 /* every call comes here, and is timed */
	uint64_t *start; /* out: where to store its start time if it is to be timed */
};
/* Count the call; record its end, if it is timed.  Called through funcpatch_call_kept(), with
 * struct funcpatch_timing. */
void funcpatch_counts_enter(void *timing);
void funcpatch_counts_exit(void *timing);
/* Count the call, and do nothing else.  Uses general registers only. */
void funcpatch_counts_only(struct funcpatch_thread *self, uint32_t id);
/* Prefetch what a call needs; returns the record of its caller if calls came from there before,
 * which is in an instrumented function then.  Uses general registers only. */
struct kymo_timed_caller *funcpatch_counts_prefetch(const struct funcpatch_thread *self,
						    const struct funcpatch_module *module,
						    uint32_t index, uint64_t slot);
/* True if there is no space for what the next call may need; reserve it, if possible.  As
 * funcpatch_thread_refill(). */
bool funcpatch_counts_need_space(const struct funcpatch_thread *self);
void funcpatch_counts_refill(void *self);
/* What timing a call takes, ticks, measured at the first call. */
uint64_t funcpatch_counts_timing(void);
/* Report how often each function of ids [first, end) was called. */
void funcpatch_counts_report(const struct funcpatch_thread *self, uint32_t first, uint32_t end,
			     uint64_t *calls);
/* Make tables for self, and space in them for module.  The lock is held. */
bool funcpatch_counts_begin(struct funcpatch_thread *self);
void funcpatch_counts_module(struct funcpatch_thread *self, const struct funcpatch_module *module);
void funcpatch_counts_end(struct funcpatch_thread *self);

#endif
