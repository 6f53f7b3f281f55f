/* System calls by number, and what a thread that is in one waits for. */
#ifndef KYMO_SAMPLED_CALLS_H
#define KYMO_SAMPLED_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/descriptor_kind.h"
#include "model/samples/sampled_kinds.h"

struct sampled_call {
	const char *name;
	enum sampled_class class; /* SAMPLED_KERNEL: it does not wait */
	bool is_wait;		  /* by nature; of the others those that took no CPU time */
};

/* NULL: a number that is not known. */
const struct sampled_call *sampled_call_find(uint32_t number);
/* The call that a function of the C library is there for: "__read_nocancel",
 * "pthread_cond_wait"; NULL: none. */
const struct sampled_call *sampled_call_named(const char *function);
/* What the descriptor in the content of a kernel's frame is. */
static inline enum kymo_descriptor_kind sampled_call_descriptor(uint64_t content)
{
	return (enum kymo_descriptor_kind)(content >> 32 & 0xf);
}

/* The content of a kernel's frame is a wait for no descriptor, which is a sleep. */
bool sampled_call_is_sleep(uint64_t content);
/* The content that a sleep by the usual call has. */
uint64_t sampled_call_sleep(void);
/* The class of a call with what its descriptor is, where that tells more. */
enum sampled_class sampled_call_class(const struct sampled_call *call, uint64_t content);

#endif
