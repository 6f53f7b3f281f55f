/* Disassembly of one instruction.  Context: any; allocates nothing. */
#ifndef KYMO_PATCHTEXT_H
#define KYMO_PATCHTEXT_H

#include <stddef.h>
#include <stdint.h>

#define PATCHTEXT_SIZE 192

/* The text of the instruction at the first of these bytes, whose address is given: "mov eax, 1".
 * Returns its length in bytes; 0: not a known instruction. */
size_t patchtext(const unsigned char *code, size_t bytes, uint64_t address,
		 char text[PATCHTEXT_SIZE]);

#endif
