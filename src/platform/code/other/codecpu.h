/* Processors whose code nobody writes: platform/code/codecpu.h. */
#ifndef KYMO_CODECPU_OTHER_H
#define KYMO_CODECPU_OTHER_H

#define CODE_FLUSHES	    0
#define CODE_COPIES_STRINGS 0

/* No instructions: the check of written code always fails. */
#define CODE_SAMPLE_OPCODE ""
#define CODE_SAMPLE_VALUE  "	.byte 0\n"
#define CODE_SAMPLE_FIRST  0u
#define CODE_SAMPLE_OTHER  0u

#endif
