/* What trampolines do in one way on this processor, and how code is written on it.  Each folder of
 * a processor has the same names:
 *
 *   PATCH_RETURN_AT         a trampoline that calls slow_enter has the function's return address
 *                           at its slot and this
 *   PATCH_HAS_CALLS         functions are called through
 *   PATCH_IS_MARKED(cost)   records have marks of time: the cursor moves in one instruction
 *   raw_flush()             what was written is code from now on: where processors do not see it
 *   raw_copy_string()       a copy by one instruction; false: there is none for so few bytes
 *   PATCH_SAMPLE_*          a function that returns 1: its code, at a byte of it and before; what
 *                           that byte is, and what makes it return 2
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
