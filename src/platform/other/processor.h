/* Implementation of platform/processor.h for unknown processors. */
#ifndef KYMO_PROCESSOR_OTHER_H
#define KYMO_PROCESSOR_OTHER_H

#include <stddef.h>
#include <stdint.h>

#define PROCESSOR_MACHINE	 EM_NONE
#define PROCESSOR_SMALL_MACHINE	 EM_NONE
#define PROCESSOR_CLOCK_READER	 "__vdso_clock_gettime"
#define PROCESSOR_CONDITIONS	 NULL
#define PROCESSOR_OLD_CONDITIONS NULL

__attribute__((visibility("default"))) uint64_t ticks_read_fallback(void);

static inline uint64_t processor_ticks(void)
{
	return ticks_read_fallback();
}

static inline void processor_wait(void)
{
}

static inline __attribute__((always_inline)) uintptr_t processor_stack(void)
{
	return (uintptr_t)__builtin_frame_address(0);
}

#endif
