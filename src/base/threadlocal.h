/* Addresses of thread-locals, to calculate with.  Context: any.
 *
 * Compilers take the difference of such an address and another apart, and subtract the variable's
 * entry of the GOT: that relocation is for MOV and ADD alone, which linkers rewrite, and newer
 * assemblers refuse it elsewhere.  What comes from here is a number whose origin compilers do not
 * know. */
#ifndef KYMO_THREADLOCAL_H
#define KYMO_THREADLOCAL_H

#include <stdint.h>

/* Where the calling thread has this variable of its own. */
static inline uintptr_t threadlocal_address(const volatile void *variable)
{
	uintptr_t address = (uintptr_t)variable;

	__asm__("" : "+r"(address));
	return address;
}

#endif
