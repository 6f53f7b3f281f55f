/* X86-64: platform/code/codecpu.h. */
#ifndef KYMO_CODECPU_X86_64_H
#define KYMO_CODECPU_X86_64_H

#include <stdbool.h>
#include <stddef.h>

#define CODE_FLUSHES	    0
#define CODE_COPIES_STRINGS 1

/* A function that returns 1: its first byte, and the value that makes it return 2. */
#define CODE_SAMPLE_OPCODE "	.byte 0xb8\n" /* mov eax, 1 */
#define CODE_SAMPLE_VALUE  "	.byte 1, 0, 0, 0\n"
#define CODE_SAMPLE_FIRST  1u
#define CODE_SAMPLE_OTHER  2u

static inline __attribute__((always_inline)) bool raw_copy_string(void *to, const void *from,
								  size_t size)
{
	if (size < 64) /* slower for few bytes */
		return false;
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
	return true;
}

#endif
