/* What the processor and its C library determine.  Each processor's folder has the same names:
 *
 *   PROCESSOR_MACHINE, PROCESSOR_SMALL_MACHINE   EM_* of its programs, of those of half the width
 *   PROCESSOR_CLOCK_READER     the kernel's function that reads a clock
 *   PROCESSOR_CONDITIONS       version of condition variables, NULL = there is one kind;
 *   PROCESSOR_OLD_CONDITIONS   the version of the older kind
 *   processor_ticks()          its counter
 *   processor_wait()           waits until all earlier instructions have completed: no later one,
 *                              such as reading the counter, starts before that
 *   processor_stack()          the stack pointer
 *
 * Only this header, rawcall.h, code/codecpu.h and patch/apply/patchcpu.h test which processor they
 * are compiled for.  Context: any. */
#ifndef KYMO_PROCESSOR_H
#define KYMO_PROCESSOR_H

#if defined(__x86_64__)
#include "platform/x86_64/processor.h"
#elif defined(__aarch64__)
#include "platform/aarch64/processor.h"
#else
#include "platform/other/processor.h"
#endif

#endif
