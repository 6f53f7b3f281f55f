/* Where the calling thread's stack stands, in few bits: a later mark that is not below an
 * earlier one was taken when the frame of the earlier one was gone.  Stacks grow down.
 * Context: any. */
#ifndef KYMO_STACKMARK_H
#define KYMO_STACKMARK_H

#include <stdbool.h>
#include <stdint.h>

#define STACK_MARK_SHIFT 4

/* Never 0. */
static inline __attribute__((always_inline)) uint32_t stack_mark(void)
{
	uintptr_t pointer;

#if defined(__x86_64__)
	__asm__ volatile("mov %%rsp, %0" : "=r"(pointer));
#elif defined(__aarch64__)
	__asm__ volatile("mov %0, sp" : "=r"(pointer));
#else
	pointer = (uintptr_t)__builtin_frame_address(0);
#endif
	return (uint32_t)(pointer >> STACK_MARK_SHIFT) | 1u;
}

/* True when mark was taken deeper in the stack than earlier was. */
static inline bool stack_mark_is_below(uint32_t mark, uint32_t earlier)
{
	return (int32_t)(mark - earlier) < 0;
}

#endif
