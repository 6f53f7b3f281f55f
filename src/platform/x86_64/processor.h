/* Implementation of platform/processor.h for x86-64. */
#ifndef KYMO_PROCESSOR_X86_64_H
#define KYMO_PROCESSOR_X86_64_H

#include <stddef.h>
#include <stdint.h>

#define PROCESSOR_MACHINE	 EM_X86_64
#define PROCESSOR_SMALL_MACHINE	 EM_386
#define PROCESSOR_CLOCK_READER	 "__vdso_clock_gettime"
#define PROCESSOR_CONDITIONS	 "GLIBC_2.3.2"
#define PROCESSOR_OLD_CONDITIONS "GLIBC_2.2.5"

static inline uint64_t processor_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

static inline void processor_wait(void)
{
	__asm__ volatile("lfence" : : : "memory");
}

static inline __attribute__((always_inline)) uintptr_t processor_stack(void)
{
	uintptr_t pointer;

	__asm__ volatile("mov %%rsp, %0" : "=r"(pointer));
	return pointer;
}

#endif
