/* What trampolines do in one way on this processor.  Each folder of a processor has the
 * same names:
 *
 *   PATCH_RETURN_AT         a trampoline that calls slow_enter has the function's return address
 *                           at its slot and this
 *   PATCH_HAS_CALLS         functions are called through
 *   PATCH_IS_MARKED(cost)   records have marks of time: the cursor moves in one instruction
 *
 * Context: any. */
#ifndef KYMO_PATCHCPU_H
#define KYMO_PATCHCPU_H

#if defined(__x86_64__)
#include "patch/apply/x86_64/patchcpu.h"
#elif defined(__aarch64__)
#include "patch/apply/aarch64/patchcpu.h"
#else
#include "patch/apply/other/patchcpu.h"
#endif

#endif
