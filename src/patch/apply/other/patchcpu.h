/* Processors that no plan is made for: patch/apply/patchcpu.h. */
#ifndef KYMO_PATCHCPU_OTHER_H
#define KYMO_PATCHCPU_OTHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATCH_RETURN_AT	      0
#define PATCH_HAS_CALLS	      0
#define PATCH_IS_MARKED(cost) ((void)(cost), 0)

/* No instructions: writing is never believed. */
#define PATCH_SAMPLE_OPCODE ""
#define PATCH_SAMPLE_VALUE  "	.byte 0\n"
#define PATCH_SAMPLE_FIRST  0u
#define PATCH_SAMPLE_OTHER  0u

static inline __attribute__((always_inline)) void raw_flush(uint64_t start, uint64_t size)
{
	(void)start;
	(void)size;
}

static inline __attribute__((always_inline)) bool raw_copy_string(void *to, const void *from,
								  size_t size)
{
	(void)to;
	(void)from;
	(void)size;
	return false;
}

#endif
