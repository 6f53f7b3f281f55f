/* Implementation of platform/processor.h for AArch64. */
#ifndef KYMO_PROCESSOR_AARCH64_H
#define KYMO_PROCESSOR_AARCH64_H

#include <stddef.h>
#include <stdint.h>

#define PROCESSOR_MACHINE	 EM_AARCH64
#define PROCESSOR_SMALL_MACHINE	 EM_ARM
#define PROCESSOR_CLOCK_READER	 "__kernel_clock_gettime"
#define PROCESSOR_CONDITIONS	 NULL
#define PROCESSOR_OLD_CONDITIONS NULL

static inline uint64_t processor_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

static inline void processor_wait(void)
{
	__asm__ volatile("isb" : : : "memory");
}

static inline __attribute__((always_inline)) uintptr_t processor_stack(void)
{
	uintptr_t pointer;

	__asm__ volatile("mov %0, sp" : "=r"(pointer));
	return pointer;
}

#endif
