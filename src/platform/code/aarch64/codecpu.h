/* AArch64: platform/code/codecpu.h. */
#ifndef KYMO_CODECPU_AARCH64_H
#define KYMO_CODECPU_AARCH64_H

#include <stdint.h>

#define CODE_FLUSHES	    1
#define CODE_COPIES_STRINGS 0

/* A function that returns 1: its first byte, and the value that makes it return 2. */
#define CODE_SAMPLE_OPCODE ""
#define CODE_SAMPLE_VALUE  "	mov w0, #1\n" /* 0x52800020 */
#define CODE_SAMPLE_FIRST  0x20u
#define CODE_SAMPLE_OTHER  0x40u

static inline __attribute__((always_inline)) void raw_flush(uint64_t start, uint64_t size)
{
	uint64_t kinds, data_line, code_line;

	/* CTR_EL0 has the line sizes: log2 of the number of words. */
	__asm__("mrs %0, ctr_el0" : "=r"(kinds));
	data_line = UINT64_C(4) << (kinds >> 16 & 15);
	code_line = UINT64_C(4) << (kinds & 15);
	for (uint64_t at = start & ~(data_line - 1); at < start + size; at += data_line)
		__asm__ volatile("dc cvau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish" : : : "memory");
	for (uint64_t at = start & ~(code_line - 1); at < start + size; at += code_line)
		__asm__ volatile("ic ivau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

#endif
