/* Code that is not at its plan's address: relocation of one instruction or distance. Context: any.
 * Nothing here calls functions. */
#ifndef KYMO_PATCHMOVED_H
#define KYMO_PATCHMOVED_H

#include <elf.h>
#include <stdint.h>

/* The reach of a jump, with a margin. */
static inline __attribute__((always_inline)) uint64_t moved_reach(uint16_t machine)
{
	return machine == EM_AARCH64 ? (UINT64_C(1) << 27) - (UINT64_C(1) << 20)
				     : (UINT64_C(1) << 31) - (UINT64_C(1) << 20);
}

/* The word with its target moved by bytes: a 4-byte distance, or of aarch64 an instruction with
 * one: b, bl or adrp.  by is a multiple of a page. */
static inline __attribute__((always_inline)) uint32_t moved_word(uint16_t machine, uint32_t word,
								 int64_t by)
{
	uint32_t pages;

	if (machine != EM_AARCH64)
		return word + (uint32_t)by;
	if ((word & 0x7c000000u) == 0x14000000u)
		return (word & ~0x3ffffffu) | ((word + (uint32_t)(by / 4)) & 0x3ffffffu);
	pages = ((word >> 3 & 0x1ffffcu) | (word >> 29 & 3)) + (uint32_t)(by / 4096);
	return (word & 0x9f00001fu) | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5;
}

#endif
