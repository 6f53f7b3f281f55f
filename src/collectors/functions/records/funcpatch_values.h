/* Arguments and return values: each call of a function that the choice names enters the slow
 * routine, and its end, if requested, a return point of this library. */
#ifndef KYMO_FUNCPATCH_VALUES_H
#define KYMO_FUNCPATCH_VALUES_H

#include "collectors/functions/funcpatch.h"

#include "format/planvalues.h"

struct funcpatch_thread;
struct funcpatch_module;

struct funcpatch_call { /* that begins */
	const struct funcpatch_module *module;
	const struct values_function *function;
	struct funcpatch_thread *self;
	uint64_t slot;
	uint64_t integers[VALUES_INTEGERS];
	uint64_t vectors[VALUES_VECTORS]; /* lower halves */
	bool has_end;			  /* out: it returns to the return point */
};
/* Called on a stack of Kymo's own, with struct funcpatch_call. */
void funcpatch_values_enter(void *call);

struct funcpatch_return { /* of a call */
	struct funcpatch_thread *self;
	uint64_t slot;
	uint64_t integer, vector;
	/* A long double, which code for general registers only may not name. */
	uint8_t x87[16];
};
/* Likewise. */
void funcpatch_values_leave(void *result);
/* Is the result of the thread's innermost call that began at slot in st0? */
bool funcpatch_values_is_x87(const struct funcpatch_thread *self, uint64_t slot);

/* The thread has no open calls.  The lock is held. */
void funcpatch_values_begin(struct funcpatch_thread *self);

/* x86_64/funcpatch_values.c.  saved: where rbp of the slow routine is stored. */
void funcpatch_values_registers(struct funcpatch_call *call, const uint64_t *saved);
void funcpatch_values_x87(uint8_t out[16]);
/* Make the call that begins at slot return to the return point; false: impossible. */
bool funcpatch_values_turn(uint64_t slot);
uint64_t funcpatch_values_vector(void);
/* Called by the return point: saved as above.  Returns the call's original return address.
 * funcpatch_slow.c */
uint64_t funcpatch_values_returned(const uint64_t *saved) __attribute__((visibility("hidden")));

#endif
