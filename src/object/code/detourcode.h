/* The processor-specific instructions of a detour (detour.h).  Context: any. */
#ifndef KYMO_DETOURCODE_H
#define KYMO_DETOURCODE_H

#include <stddef.h>
#include <stdint.h>

struct detourcode {	/* of a function's beginning */
	unsigned pad;	/* bytes of a landing pad, which is not changed */
	unsigned moved; /* bytes after it of whole instructions, valid at another address */
};

/* Why nothing can be taken over; NULL = functions can. */
extern const char *const detourcode_unavailable;

/* NULL, or why the function cannot be taken over: constant text. */
const char *detourcode_read(const unsigned char *code, size_t size, struct detourcode *out);

#define DETOURCODE_BYTES  64u
#define DETOURCODE_SECOND 16u /* where the moved instructions begin */

/* Write into room, for execution at address: a jump to target, and the moved instructions followed
 * by a jump to behind. */
void detourcode_make(unsigned char room[DETOURCODE_BYTES], uint64_t address,
		     const unsigned char *moved, unsigned count, uint64_t behind, uint64_t target);

/* A jump from an address to another one, at most DETOURCODE_REACH away. */
#define DETOURCODE_REACH (UINT64_C(1) << 31)
void detourcode_jump(unsigned char *room, uint64_t from, uint64_t to);

#endif
