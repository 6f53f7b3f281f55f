/* How code is written on this processor.  Each folder of a processor has the same names:
 *
 *   CODE_FLUSHES           writes of code have to be made visible: raw_flush()
 *   CODE_COPIES_STRINGS    there is a copy instruction: raw_copy_string()
 *   CODE_SAMPLE_*          a function that returns 1: its code, at a byte of it and before; what
 *                           that byte is, and what makes it return 2
 *
 * Context: any. */
#ifndef KYMO_CODECPU_H
#define KYMO_CODECPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "platform/code/x86_64/codecpu.h"
#elif defined(__aarch64__)
#include "platform/code/aarch64/codecpu.h"
#else
#include "platform/code/other/codecpu.h"
#endif

/* Make written bytes visible as code. */
#if !CODE_FLUSHES
static inline __attribute__((always_inline)) void raw_flush(uint64_t start, uint64_t size)
{
	(void)start;
	(void)size;
}
#endif

/* A copy by one instruction; false: none is used for so few bytes. */
#if !CODE_COPIES_STRINGS
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
