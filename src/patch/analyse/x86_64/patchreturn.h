/* How a return point of a call-through is told from other addresses: it is 8 bytes beyond a
 * multiple of 16, so that looking at what is there never leaves a page, and there is a nop of 8
 * bytes that no compiler makes.  Context: any. */
#ifndef KYMO_PATCHRETURN_X86_64_H
#define KYMO_PATCHRETURN_X86_64_H

#include <stdint.h>

#define RETURN_POINT_REMAINDER 8
#define RETURN_POINT_NOP       UINT64_C(0x4f4d594b00841f0f)

#endif
