/* The callers of timed calls: one thread's CALLERS records, by callee and return address. */
#ifndef KYMO_FUNCPATCH_CALLERS_H
#define KYMO_FUNCPATCH_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

struct kymo_thread;

struct callers {
	struct kymo_timed_caller **table; /* open addressing; NULL = free */
	uint32_t capacity, count;	  /* a power of two, or 0 */
	struct kymo_timed_caller *next, *end;
	uint64_t payload;
};

/* The record for a call of function id whose return address is at slot; NULL: there is no space.
 * Context: hook. */
struct kymo_timed_caller *callers_find(struct callers *callers, uint32_t id, uint64_t slot);
/* The same if it exists; else NULL.  Uses general registers only. */
struct kymo_timed_caller *callers_known(const struct callers *callers, uint32_t id, uint64_t slot);
bool callers_need_space(const struct callers *callers);
/* With all signals blocked. */
void callers_reserve(struct callers *callers, struct kymo_thread *thread);
void callers_release(struct callers *callers);

#endif
