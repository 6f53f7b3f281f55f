/* System calls by number, and what a thread in one waits for. */
#ifndef KYMO_SAMPLED_CALLS_H
#define KYMO_SAMPLED_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/descriptor_kind.h"
#include "model/samples/sampled_kinds.h"

struct sampled_call {
	const char *name;
	enum sampled_class class; /* SAMPLED_KERNEL: it does not wait */
	bool is_wait; /* always a wait; other calls are waits if they took no CPU time */
};

/* NULL: unknown number. */
const struct sampled_call *sampled_call_find(uint32_t number);
/* The system call that a function of the C library wraps: "__read_nocancel", "pthread_cond_wait";
 * NULL: none. */
const struct sampled_call *sampled_call_named(const char *function);
/* The kind of the descriptor in the content of a kernel frame. */
static inline enum kymo_descriptor_kind sampled_call_descriptor(uint64_t content)
{
	return (enum kymo_descriptor_kind)(content >> 32 & 0xf);
}

/* The content of a kernel frame is a wait for no descriptor: a sleep. */
bool sampled_call_is_sleep(uint64_t content);
/* The content of a sleep by the usual call. */
uint64_t sampled_call_sleep(void);
/* The class of a call, refined by the kind of its descriptor where that matters. */
enum sampled_class sampled_call_class(const struct sampled_call *call, uint64_t content);

#endif
