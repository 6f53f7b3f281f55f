/* An instruction as people read it.  Context: any; allocates nothing. */
#ifndef KYMO_PATCHTEXT_H
#define KYMO_PATCHTEXT_H

#include <stddef.h>
#include <stdint.h>

#define PATCHTEXT_SIZE 192

/* The text of the first of these bytes' instructions, which lies at address: "mov eax, 1".  Its
 * length in bytes; 0: it is none that is known. */
size_t patchtext(const unsigned char *code, size_t bytes, uint64_t address,
		 char text[PATCHTEXT_SIZE]);

#endif
