/* The instructions of a detour (detour.h): the processor's.  Where none are known, nothing can be
 * taken over.  Context: any. */
#ifndef KYMO_DETOURCODE_H
#define KYMO_DETOURCODE_H

#include <stddef.h>
#include <stdint.h>

struct detourcode {	/* of a function's beginning */
	unsigned pad;	/* bytes of a landing pad, which stays */
	unsigned moved; /* bytes behind it of whole instructions that do the same elsewhere */
};

/* Why nothing can be taken over; NULL = functions can. */
extern const char *const detourcode_unavailable;

/* NULL, or why the function cannot be taken over: constant text. */
const char *detourcode_read(const unsigned char *code, size_t size, struct detourcode *out);

#define DETOURCODE_BYTES  64u
#define DETOURCODE_SECOND 16u /* where the moved instructions begin */

/* Into room, which will be at address: a jump to target, and the moved instructions with one to
 * what follows them. */
void detourcode_make(unsigned char room[DETOURCODE_BYTES], uint64_t address,
		     const unsigned char *moved, unsigned count, uint64_t behind, uint64_t target);

/* A jump from an address to another one, at most DETOURCODE_REACH away. */
#define DETOURCODE_REACH (UINT64_C(1) << 31)
void detourcode_jump(unsigned char *room, uint64_t from, uint64_t to);

#endif
