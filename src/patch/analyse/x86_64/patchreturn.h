/* Recognising return points of call-throughs: they are 8 bytes beyond a multiple of 16, so that a
 * read there never crosses a page, and begin with an 8-byte nop that no compiler emits. Context:
 * any. */
#ifndef KYMO_PATCHRETURN_X86_64_H
#define KYMO_PATCHRETURN_X86_64_H

#include <stdint.h>

#define RETURN_POINT_REMAINDER 8
#define RETURN_POINT_NOP       UINT64_C(0x4f4d594b00841f0f)

#endif
