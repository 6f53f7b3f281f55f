/* Addresses of thread-locals for arithmetic.  Context: any.
 *
 * For the difference of such an address and another one, compilers subtract the variable's GOT
 * entry directly.  That relocation is defined for MOV and ADD only, which linkers rewrite, and
 * newer assemblers refuse it elsewhere.  The values from here are opaque to the compiler. */
#ifndef KYMO_THREADLOCAL_H
#define KYMO_THREADLOCAL_H

#include <stdint.h>

/* The address of this variable in the calling thread. */
static inline uintptr_t threadlocal_address(const volatile void *variable)
{
	uintptr_t address = (uintptr_t)variable;

	__asm__("" : "+r"(address));
	return address;
}

#endif
