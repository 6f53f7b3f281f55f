/* The processor-specific behaviour of trampolines, and how code is written.  The folder of each
 * processor has the same names:
 *
 *   PATCH_RETURN_AT         a trampoline that calls slow_enter has the function's return address
 *                           at its slot and this
 *   PATCH_HAS_CALLS         functions are called through
 *   PATCH_IS_MARKED(cost)   records have marks of time: the cursor moves in one instruction
 *   PATCH_FLUSHES           writes of code have to be made visible: raw_flush()
 *   PATCH_COPIES_STRINGS    there is a copy instruction: raw_copy_string()
 *   PATCH_SAMPLE_*          a function that returns 1: its code, at a byte of it and before; what
 *                           that byte is, and what makes it return 2
 *
 * Context: any. */
#ifndef KYMO_PATCHCPU_H
#define KYMO_PATCHCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "patch/apply/x86_64/patchcpu.h"
#elif defined(__aarch64__)
#include "patch/apply/aarch64/patchcpu.h"
#else
#include "patch/apply/other/patchcpu.h"
#endif

/* Make written bytes visible as code. */
#if !PATCH_FLUSHES
static inline __attribute__((always_inline)) void raw_flush(uint64_t start, uint64_t size)
{
	(void)start;
	(void)size;
}
#endif

/* A copy by one instruction; false: none is used for so few bytes. */
#if !PATCH_COPIES_STRINGS
static inline __attribute__((always_inline)) bool raw_copy_string(void *to, const void *from,
								  size_t size)
{
	(void)to;
	(void)from;
	(void)size;
	return false;
}
#endif

#endif
