/* X86-64: patch/apply/patchcpu.h. */
#ifndef KYMO_PATCHCPU_X86_64_H
#define KYMO_PATCHCPU_X86_64_H

#include <stdbool.h>
#include <stddef.h>

#define PATCH_RETURN_AT	      0
#define PATCH_HAS_CALLS	      1
#define PATCH_IS_MARKED(cost) ((cost) == PATCH_COST_COARSE)
#define PATCH_FLUSHES	      0
#define PATCH_COPIES_STRINGS  1

/* A function that returns 1: its first byte, and the value that makes it return 2. */
#define PATCH_SAMPLE_OPCODE "	.byte 0xb8\n" /* mov eax, 1 */
#define PATCH_SAMPLE_VALUE  "	.byte 1, 0, 0, 0\n"
#define PATCH_SAMPLE_FIRST  1u
#define PATCH_SAMPLE_OTHER  2u

static inline __attribute__((always_inline)) bool raw_copy_string(void *to, const void *from,
								  size_t size)
{
	if (size < 64) /* slower for few bytes */
		return false;
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
	return true;
}

#endif
